# The probe of Ruby (2.6 or later). See PROTOCOL.md.
# frozen_string_literal: true

require 'json'

# id, call, kind, the clock that Process.clock_getres takes, and the value in its unit.
CLOCKS = [
  ['clock-gettime-monotonic-ns', 'Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)',
   'monotonic', 1e9, :CLOCK_MONOTONIC],
  ['clock-gettime-monotonic', 'Process.clock_gettime(Process::CLOCK_MONOTONIC)',
   'monotonic', 1, :CLOCK_MONOTONIC],
  ['clock-gettime-realtime-ns', 'Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond)',
   'wall', 1e9, :CLOCK_REALTIME],
  ['time-now', 'Time.now', 'wall', 1e9, :CLOCK_REALTIME],
  ['clock-gettime-cpu-ns',
   'Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :nanosecond)', 'cpu', 1e9,
   :CLOCK_PROCESS_CPUTIME_ID]
].select { |clock| Process.const_defined?(clock.last) }

def stopwatch
  Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
end

# The loops of one clock, compiled from text: a JIT compiler specialises each for itself. `while`
# is the loop without a block. Its value is kept in `value`, which is returned.
class Loops
  def initialize(read, readers, ordered)
    instance_eval <<~RUBY, __FILE__, __LINE__ + 1
      def self.read
        #{read}
      end

      def self.throughput(reads)
        value = nil
        at = 0
        while at < reads
          value = #{read}
          at += 1
        end
        value
      end

      def self.latency(reads)
        readers = #{readers}
        zero = 0
        value = 0
        at = 0
        while at < reads
          value = #{ordered}
          at += 1
        end
        value
      end
    RUBY
  end
end

# The argument that the clock takes depends on the value before.
def loops_of(id, call)
  if id == 'time-now'
    return Loops.new('Time.now', '[Time, Time]', 'readers[value.to_i < zero ? 1 : 0].now')
  end
  clock = call[/Process::\w+/]
  unit = call[/(?<=, ):\w+/]
  ordered = "Process.clock_gettime(readers[value < zero ? 1 : 0]#{unit && ", #{unit}"})"
  Loops.new(call, "[#{clock}, #{clock}]", ordered)
end

EMPTY = Loops.new('1', '[1, 1]', 'readers[value < zero ? 1 : 0]')
LOOPS = CLOCKS.to_h { |id, call| [id, loops_of(id, call)] }.merge('empty' => EMPTY).freeze

# In the clock's unit.
def reader(id)
  loops = LOOPS.fetch(id)
  return loops.method(:read) unless id == 'time-now'

  -> { (now = Time.now).to_i * 1_000_000_000 + now.nsec }
end

def jit
  return 'YJIT' if defined?(RubyVM::YJIT) && RubyVM::YJIT.enabled?

  'interpreter'
end

def hello
  clocks = CLOCKS.map do |id, call, kind, hz, clock|
    { id: id, call: call, kind: kind, hz: hz, modes: %w[throughput latency],
      claimed_ns: Process.clock_getres(Process.const_get(clock), :float_second) * 1e9,
      claims: "clock_gettime(#{clock})" }
  end
  { protocol: 2, runtime: RUBY_ENGINE, version: RUBY_VERSION, build: "#{RUBY_PLATFORM}, #{jit}",
    stopwatch: { call: CLOCKS[0][1], hz: 1_000_000_000 }, clocks: clocks,
    sleeps: [{ id: 'sleep', call: 'sleep(seconds)', unit_ns: 1 }],
    waits: WAITS.keys, monotonic: RUBY_PLATFORM.include?('linux'), unavailable: no_waits,
    allocations: GC.stat.key?(:total_allocated_objects) }
end

def batch(id, mode, reads, warm)
  raise ArgumentError, 'no such mode' unless %w[throughput latency].include?(mode)

  timed = LOOPS.fetch(id).method(mode)
  timed.call(Integer(warm))
  reads = Integer(reads)
  start = stopwatch
  timed.call(reads)
  stop = stopwatch
  { start: start, ticks: stop - start }
end

def sums(turns, values)
  at = 0
  while at < turns
    values.sum
    at += 1
  end
end

def timed_sums(turns, values, read)
  at = 0
  while at < turns
    start = read.call
    values.sum
    read.call - start
    at += 1
  end
end

def around(id, turns, count)
  values = Array.new([Integer(count), 1_000_000].min) { |at| at }
  turns = Integer(turns)
  read = reader(id) unless id == 'empty'
  start = stopwatch
  read ? timed_sums(turns, values, read) : sums(turns, values)
  { start: start, ticks: stopwatch - start }
end

def deltas(id, count)
  read = reader(id)
  values = Array.new([Integer(count), 1_000_000].min, 0)
  at = 0
  while at < values.size
    values[at] = read.call
    at += 1
  end
  $kept = values
  more(0)
end

# The reads of the last deltas.
$kept = []

def more(from)
  some = $kept[Integer(from), 20_000] || []
  { values: some.map { |value| value - $kept[0] } }
end

def spins(id, count)
  read = reader(id)
  most = [Integer(count), 2000].min
  steps = []
  reads = []
  limit = stopwatch + 500_000_000
  last = read.call
  tries = 0
  first = true
  while steps.size < most
    now = read.call
    tries += 1
    if now != last
      unless first
        steps << now - last
        reads << tries
      end
      first = false
      last = now
      tries = 0
    end
    break if (tries % 100).zero? && stopwatch > limit
  end
  { steps: steps, reads: reads }
end

def watch(id, count)
  read = reader(id)
  count = Integer(count)
  limit = stopwatch + 2_000_000_000
  same = smallest = longest = backwards = worst = done = 0
  last = read.call
  while done < count
    now = read.call
    step = now - last
    last = now
    done += 1
    if step > 0
      longest = step if step > longest
      smallest = step if step < smallest || smallest == 0
    elsif step == 0
      same += 1
    else
      backwards += 1
      worst = -step if -step > worst
    end
    break if done % 1000 == 0 && stopwatch > limit
  end
  { reads: done, same: same, smallest: smallest, longest: longest, backwards: backwards,
    worst: worst }
end

def slept(id, nanoseconds, count)
  raise ArgumentError, 'no such sleep' unless id == 'sleep'

  seconds = Integer(nanoseconds) / 1e9
  durations = Array.new([Integer(count), 1000].min) do
    start = stopwatch
    sleep(seconds)
    stopwatch - start
  end
  { slept: durations }
end

# What makes a wait of a number of seconds, made before the first one.
WAITS = {
  'sleep' => -> { ->(seconds) { sleep(seconds) } },
  'condition-wait' => lambda do
    mutex = Mutex.new
    condition = ConditionVariable.new
    ->(seconds) { mutex.synchronize { condition.wait(mutex, seconds) } }
  end,
  'io-select' => -> { ->(seconds) { IO.select(nil, nil, nil, seconds) } },
  'thread-join' => lambda do
    thread = Thread.new { Thread.stop }
    ->(seconds) { thread.join(seconds) }
  end,
  'queue-pop' => lambda do
    queue = Queue.new
    ->(seconds) { queue.pop(timeout: seconds) }
  end
}.freeze

# Waits that this version of Ruby lacks.
def no_waits
  return [] if RUBY_VERSION >= '3.2'

  [{ id: 'queue-pop', reason: 'Queue#pop has a time-out since Ruby 3.2' }]
end

def cpu_time
  Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :nanosecond)
end

def waits(id, nanoseconds, count, first, work)
  wait = WAITS.fetch(id).call
  length, count, first, work = [nanoseconds, count, first, work].map { |word| Integer(word) }
  times = []
  deadline = first > stopwatch ? first : stopwatch + length
  cpu = cpu_time
  [count, 1000].min.times do
    start = stopwatch
    deadline = start + length if first.zero?
    left = deadline - start
    wait.call(left / 1e9) if left.positive?
    stop = stopwatch
    times.push(start, deadline, stop)
    nil while stopwatch < stop + work
    deadline += length * (1 + [0, (stop - deadline) / length].max)
  end
  cpu = cpu_time - cpu
  start = times[0] || stopwatch
  answer = { start: start, times: times.map { |time| time - start }, cpu_ns: cpu }
  thread = Thread.current
  answer[:thread] = thread.native_thread_id if thread.respond_to?(:native_thread_id)
  answer
end

def allocations(id, reads)
  loops = LOOPS.fetch(id)
  reads = Integer(reads)
  before = GC.stat(:total_allocated_objects)
  loops.throughput(reads)
  { objects: GC.stat(:total_allocated_objects) - before }
end

REQUESTS = { 'hello' => :hello, 'batch' => :batch, 'deltas' => :deltas, 'more' => :more,
             'spins' => :spins, 'watch' => :watch, 'sleep' => :slept, 'waits' => :waits,
             'allocations' => :allocations, 'around' => :around }.freeze

# Objects are collected between requests, not during them.
GC.disable
while (line = $stdin.gets)
  name, *words = line.split
  break if name == 'quit'

  begin
    answer = send(REQUESTS.fetch(name), *words)
  rescue StandardError => e
    answer = { error: e.message[0, 200] }
  end
  $stdout.write(JSON.generate(answer), "\n")
  $stdout.flush
  GC.start if GC.stat(:heap_live_slots) > 2_000_000
end
