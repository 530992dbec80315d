-- The probe of LuaJIT (2.0 or later). See PROTOCOL.md.
local ffi = require 'ffi'

local posix = ffi.os ~= 'Windows'
if posix then
  ffi.cdef [[
    typedef struct { long seconds, nanoseconds; } probe_timespec;
    int clock_gettime(int clock, probe_timespec *now);
    int clock_getres(int clock, probe_timespec *resolution);
    int nanosleep(const probe_timespec *time, probe_timespec *left);
  ]]
else
  ffi.cdef [[
    int QueryPerformanceCounter(int64_t *now);
    int QueryPerformanceFrequency(int64_t *hz);
    void Sleep(uint32_t ms);
  ]]
end

-- What the loops below use. In one table, as a chunk of text has no other upvalues.
local shared = { ffi = ffi, C = ffi.C, sink = 0 }
if posix then
  shared.MONOTONIC = ffi.os == 'OSX' and 6 or 1
  shared.now = ffi.new 'probe_timespec[1]'
else
  shared.now = ffi.new 'int64_t[1]'
end

local windows_hz
if not posix then
  ffi.C.QueryPerformanceFrequency(shared.now)
  windows_hz = tonumber(shared.now[0])
end

-- id, call, kind, units per second, claimed resolution in nanoseconds, statements that read into
-- `value`, and the same with a dependency on the value before.
local CLOCKS = {}
if posix then
  local resolution = ffi.new 'probe_timespec[1]'
  ffi.C.clock_getres(shared.MONOTONIC, resolution)
  local claimed = tonumber(resolution[0].seconds) * 1e9 + tonumber(resolution[0].nanoseconds)
  local value = 'value = tonumber(now[0].seconds) * 1e9 + tonumber(now[0].nanoseconds)'
  CLOCKS[1] = {
    'clock-gettime-monotonic', 'ffi.C.clock_gettime(ffi.C.CLOCK_MONOTONIC, now)', 'monotonic', 1e9,
    claimed, 'C.clock_gettime(MONOTONIC, now) ' .. value,
    'C.clock_gettime(MONOTONIC + (value < zero and 1 or 0), now) ' .. value,
  }
else
  local value = 'value = tonumber(now[0])'
  CLOCKS[1] = {
    'query-performance-counter', 'ffi.C.QueryPerformanceCounter(now)', 'monotonic', windows_hz,
    1e9 / windows_hz, 'C.QueryPerformanceCounter(now) ' .. value,
    'C.QueryPerformanceCounter(now + (value < zero and 1 or 0)) ' .. value,
  }
end
CLOCKS[2] = {
  'os-clock', 'os.clock()', 'cpu', 1, 1000, 'value = os.clock()',
  'value = readers.clock[value < zero and 2 or 1]()',
}
CLOCKS[3] = {
  'os-time', 'os.time()', 'wall', 1, 1e9, 'value = os.time()',
  'value = readers.time[value < zero and 2 or 1]()',
}

-- The functions of one clock, compiled from text: each loop becomes a trace of its own.
local function functions_of(read, ordered)
  local text = ([[
    local shared, readers, C = ...
    local now, MONOTONIC = shared.now, shared.MONOTONIC
    local tonumber, os = tonumber, os
    local function once()
      local value
      $read
      return value
    end
    local function throughput(reads)
      local value = 0
      for at = 1, reads do
        $read
        shared.sink = value
      end
      return value
    end
    local function latency(reads)
      local value, zero = 0, shared.zero
      for at = 1, reads do
        $ordered
        shared.sink = value
      end
      return value
    end
    return { once = once, throughput = throughput, latency = latency }
  ]]):gsub('%$(%l+)', { read = read, ordered = ordered })
  local readers = { clock = { os.clock, os.clock }, time = { os.time, os.time }, one = { 1, 1 } }
  return assert(loadstring(text))(shared, readers, ffi.C)
end

shared.zero = 0
local functions = {
  empty = functions_of('value = at', 'value = readers.one[value < zero and 2 or 1]'),
}
for _, clock in ipairs(CLOCKS) do
  functions[clock[1]] = functions_of(clock[6], clock[7])
end

local stopwatch = functions[CLOCKS[1][1]].once
local HZ = CLOCKS[1][4]

local function known(id, name)
  local found = functions[id] and functions[id][name]
  if not found then error('no such clock or mode', 0) end
  return found
end

local function number(word)
  if not word:match '^%d+$' or #word > 15 then error('not a number', 0) end
  return tonumber(word)
end

-- Seventeen digits describe a double exactly, and show an integer as one.
local function json(value)
  if type(value) == 'number' then return ('%.17g'):format(value) end
  if type(value) == 'boolean' then return tostring(value) end
  if type(value) == 'string' then return '"' .. value:gsub('[%c"\\]', '') .. '"' end
  local parts = {}
  if value.list then
    for at, one in ipairs(value.list) do parts[at] = json(one) end
    return '[' .. table.concat(parts, ',') .. ']'
  end
  for name, one in pairs(value) do parts[#parts + 1] = json(name) .. ':' .. json(one) end
  return '{' .. table.concat(parts, ',') .. '}'
end

local function sleep_for(ns)
  if posix then
    local time = ffi.new 'probe_timespec[1]'
    time[0].seconds, time[0].nanoseconds = math.floor(ns / 1e9), ns % 1e9
    ffi.C.nanosleep(time, nil)
  else
    ffi.C.Sleep(math.ceil(ns / 1e6))
  end
end

local requests = {}

local WAITS = {}
if posix then WAITS = { 'nanosleep', 'clock-nanosleep', 'poll' } end

requests['hello 0'] = function()
  local clocks = {}
  for at, clock in ipairs(CLOCKS) do
    clocks[at] = {
      id = clock[1], call = clock[2], kind = clock[3], hz = clock[4], claimed_ns = clock[5],
      modes = { list = { 'throughput', 'latency' } },
    }
  end
  local sleep = { id = 'nanosleep', call = 'ffi.C.nanosleep(time, nil)', unit_ns = 1 }
  if not posix then sleep = { id = 'sleep', call = 'ffi.C.Sleep(ms)', unit_ns = 1e6 } end
  return {
    protocol = 2, runtime = 'LuaJIT', version = jit.version:gsub('^LuaJIT ', ''),
    build = jit.os .. ' ' .. jit.arch .. (jit.status() and ', JIT' or ', interpreter'),
    stopwatch = { call = CLOCKS[1][2], hz = HZ }, clocks = { list = clocks },
    sleeps = { list = { sleep } }, allocations = true, waits = { list = WAITS },
    monotonic = ffi.os == 'Linux',
  }
end

requests['batch 4'] = function(id, mode, reads, warm)
  if mode ~= 'throughput' and mode ~= 'latency' then error('no such mode', 0) end
  local loop = known(id, mode)
  reads = number(reads)
  loop(number(warm))
  local start = stopwatch()
  loop(reads)
  local stop = stopwatch()
  return { start = start, ticks = stop - start }
end

local function sum_of(values)
  local sum = 0
  for at = 1, #values do sum = sum + values[at] end
  return sum
end

requests['around 3'] = function(id, turns, count)
  local read = id ~= 'empty' and known(id, 'once')
  local values = {}
  for at = 1, math.min(number(count), 1e6) do values[at] = at - 1 end
  turns = number(turns)
  local all, elapsed = 0, 0
  local start = stopwatch()
  if read then
    for _ = 1, turns do
      local begin = read()
      all = all + sum_of(values)
      elapsed = read() - begin
      shared.sink = elapsed
    end
  else
    for _ = 1, turns do all = all + sum_of(values) end
  end
  local stop = stopwatch()
  shared.sink = all
  return { start = start, ticks = stop - start }
end

-- The reads of the last deltas.
local kept = {}

requests['deltas 2'] = function(id, count)
  local read = known(id, 'once')
  count = math.min(number(count), 1000000)
  local values = {}
  -- Twice, so that the memory is touched and the loop compiled.
  for _ = 1, 2 do
    for at = 1, count do values[at] = read() end
  end
  kept = values
  return requests['more 1'] '0'
end

requests['more 1'] = function(from)
  from = number(from)
  local values = {}
  for at = from + 1, math.min(from + 20000, #kept) do values[#values + 1] = kept[at] - kept[1] end
  return { values = { list = values } }
end

requests['spins 2'] = function(id, count)
  local read = known(id, 'once')
  count = math.min(number(count), 2000)
  local steps, reads, limit = {}, {}, stopwatch() + 0.5 * HZ
  local last, tries, first = read(), 0, true
  while #steps < count do
    local now = read()
    tries = tries + 1
    if now ~= last then
      if not first then
        steps[#steps + 1], reads[#reads + 1] = now - last, tries
      end
      last, tries, first = now, 0, false
    end
    if tries % 100 == 0 and stopwatch() > limit then break end
  end
  return { steps = { list = steps }, reads = { list = reads } }
end

requests['watch 2'] = function(id, count)
  local read = known(id, 'once')
  count = number(count)
  local limit = stopwatch() + 2 * HZ
  local same, smallest, longest, backwards, worst, done = 0, 0, 0, 0, 0, 0
  local last = read()
  while done < count do
    local now = read()
    local step = now - last
    last, done = now, done + 1
    if step > 0 then
      longest = math.max(longest, step)
      smallest = smallest == 0 and step or math.min(smallest, step)
    elseif step == 0 then
      same = same + 1
    else
      backwards, worst = backwards + 1, math.max(worst, -step)
    end
    if done % 1000 == 0 and stopwatch() > limit then break end
  end
  return {
    reads = done, same = same, smallest = smallest, longest = longest, backwards = backwards,
    worst = worst,
  }
end

requests['sleep 3'] = function(id, ns, count)
  if id ~= (posix and 'nanosleep' or 'sleep') then error('no such sleep', 0) end
  ns = number(ns)
  local slept = {}
  for at = 1, math.min(number(count), 1000) do
    local start = stopwatch()
    sleep_for(ns)
    slept[at] = math.floor((stopwatch() - start) * 1e9 / HZ)
  end
  return { slept = { list = slept } }
end

-- Each takes how long to wait and until when, in nanoseconds.
local waits = {}
if posix then
  ffi.cdef [[
    int clock_nanosleep(int clock, int flags, const probe_timespec *until, probe_timespec *left);
    int poll(void *descriptors, unsigned long count, int ms);
    int getpid(void);
  ]]
  local SECOND = 1e9
  local time = ffi.new 'probe_timespec[1]'
  local function set(ns)
    time[0].seconds, time[0].nanoseconds = math.floor(ns / SECOND), ns % SECOND
  end
  waits['nanosleep'] = function(ns)
    set(ns)
    ffi.C.nanosleep(time, nil)
  end
  if ffi.os == 'Linux' then
    waits['clock-nanosleep'] = function(_, deadline)
      set(deadline)
      ffi.C.clock_nanosleep(shared.MONOTONIC, 1, time, nil)
    end
  end
  waits['poll'] = function(ns) ffi.C.poll(nil, 0, math.ceil(ns / 1e6)) end
end

local function now_ns() return stopwatch() * 1e9 / HZ end

requests['waits 5'] = function(id, ns, count, first, work)
  local wait = waits[id] or error('no such wait', 0)
  ns, first, work = number(ns), tonumber(first), number(work)
  local times = {}
  local deadline = first > now_ns() and first or now_ns() + ns
  local cpu = os.clock()
  for at = 1, 3 * math.min(number(count), 1000), 3 do
    local begin = now_ns()
    if first == 0 then deadline = begin + ns end
    if deadline > begin then wait(deadline - begin, deadline) end
    local done = now_ns()
    times[at], times[at + 1], times[at + 2] = begin, deadline, done
    while work > 0 and now_ns() < done + work do end
    deadline = deadline + ns * (1 + math.max(0, math.floor((done - deadline) / ns)))
  end
  cpu = os.clock() - cpu
  local start = times[1] or now_ns()
  for at = 1, #times do times[at] = math.floor(times[at] - start) end
  return {
    start = start, times = { list = times }, cpu_ns = math.floor(cpu * 1e9),
    thread = ffi.C.getpid(),
  }
end

-- What the collector counts grows by what is allocated, if it is stopped.
requests['allocations 2'] = function(id, reads)
  local loop = known(id, 'throughput')
  reads = math.min(number(reads), 1e6)
  collectgarbage()
  loop(1000)
  collectgarbage 'stop'
  local before = collectgarbage 'count'
  loop(reads)
  local kib = collectgarbage 'count' - before
  collectgarbage 'restart'
  return { bytes = math.max(0, kib * 1024) }
end

for line in io.lines() do
  local words = {}
  for word in line:gmatch '%S+' do words[#words + 1] = word end
  if words[1] == 'quit' then break end
  local request = requests[(words[1] or '') .. ' ' .. #words - 1]
  local done, answer = pcall(request or function() error('no such request', 0) end,
    unpack(words, 2))
  if not done then answer = { error = tostring(answer):sub(1, 200) } end
  io.write(json(answer), '\n')
  io.flush()
end
