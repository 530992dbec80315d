<?php
// The probe of PHP (7.3 or later). See PROTOCOL.md.
declare(strict_types=1);

// id, call, kind, units per second, the read that depends on the value before.
const CLOCKS = [
    ['hrtime-ns', 'hrtime(true)', 'monotonic', 1e9, '\hrtime($true[$value < $zero])'],
    ['hrtime', 'hrtime()', 'monotonic', 1e9, '\hrtime($false[$value[0] < $zero])'],
    ['microtime', 'microtime(true)', 'wall', 1.0, '\microtime($true[$value < $zero])'],
    ['time', 'time()', 'wall', 1.0, '$time[$value < $zero]()'],
];

// The loops of one clock, compiled from text, so that each has only its own call. A call with a
// leading backslash is not looked up in the namespace first.
function loops(string $read, string $ordered, string $first = '0'): array
{
    $throughput = eval("return static function (int \$reads) {
        \$value = null;
        for (\$at = 0; \$at < \$reads; \$at++) {
            \$value = $read;
        }
        return \$value;
    };");
    $latency = eval("return static function (int \$reads) {
        \$true = [true, true];
        \$false = [false, false];
        \$ones = [1, 1];
        \$time = ['time', 'time'];
        \$zero = 0;
        \$value = $first;
        for (\$at = 0; \$at < \$reads; \$at++) {
            \$value = $ordered;
        }
        return \$value;
    };");
    return ['throughput' => $throughput, 'latency' => $latency];
}

// The values are integers, as those of reads: comparing a boolean costs more.
$loops = ['empty' => loops('1', '$ones[$value < $zero]')];
$readers = [];
foreach (CLOCKS as [$id, $call, , , $ordered]) {
    $loops[$id] = loops('\\' . $call, $ordered, $id === 'hrtime' ? '[0, 0]' : '0');
    $readers[$id] = $id === 'hrtime'
        ? static function () {
            [$seconds, $nanoseconds] = hrtime();
            return $seconds * 1000000000 + $nanoseconds;
        }
        : eval("return static function () { return \\$call; };");
}

function known(array $all, string $id)
{
    if (!isset($all[$id])) {
        throw new InvalidArgumentException("no such clock or mode");
    }
    return $all[$id];
}

function number(string $word): int
{
    if (!preg_match('/^[0-9]{1,18}$/D', $word)) {
        throw new InvalidArgumentException("not a number");
    }
    return (int) $word;
}

const WAITS = ['usleep', 'time-nanosleep', 'time-sleep-until', 'stream-select'];

function hello(): array
{
    $clocks = [];
    foreach (CLOCKS as [$id, $call, $kind, $hz]) {
        // What the units claim; there is no interface for it.
        $claimed = ['hrtime-ns' => 1, 'hrtime' => 1, 'microtime' => 1000, 'time' => 1e9][$id];
        $clocks[] = ['id' => $id, 'call' => $call, 'kind' => $kind, 'hz' => $hz,
            'claimed_ns' => $claimed, 'modes' => ['throughput', 'latency']];
    }
    $status = function_exists('opcache_get_status') ? @opcache_get_status(false) : false;
    $jit = $status['jit']['on'] ?? false;
    return [
        'protocol' => 2, 'runtime' => 'PHP', 'version' => PHP_VERSION,
        'build' => 'Zend ' . zend_version() . (PHP_ZTS ? ' ZTS' : ' NTS') . ($jit ? ' JIT' : ''),
        'stopwatch' => ['call' => 'hrtime(true)', 'hz' => 1000000000],
        'clocks' => $clocks,
        'waits' => WAITS,
        'monotonic' => PHP_OS_FAMILY === 'Linux',
        'sleeps' => [
            ['id' => 'usleep', 'call' => 'usleep(us)', 'unit_ns' => 1000],
            ['id' => 'time-nanosleep', 'call' => 'time_nanosleep(s, ns)', 'unit_ns' => 1],
        ],
        'allocations' => false,
    ];
}

function batch(string $id, string $mode, string $reads, string $warm): array
{
    $loop = known(known($GLOBALS['loops'], $id), $mode);
    $loop(number($warm));
    $reads = number($reads);
    $start = hrtime(true);
    $loop($reads);
    $stop = hrtime(true);
    return ['start' => $start, 'ticks' => $stop - $start];
}

function around(string $id, string $turns, string $count): array
{
    $read = $id === 'empty' ? null : known($GLOBALS['readers'], $id);
    $values = range(0, max(1, min(number($count), 1000000)) - 1);
    $turns = number($turns);
    $all = 0;
    $start = hrtime(true);
    if ($read) {
        for ($at = 0; $at < $turns; $at++) {
            $begin = $read();
            $all += array_sum($values);
            $elapsed = $read() - $begin;
        }
    } else {
        for ($at = 0; $at < $turns; $at++) {
            $all += array_sum($values);
        }
    }
    $stop = hrtime(true);
    return ['start' => $start, 'ticks' => $stop - $start];
}

function deltas(string $id, string $count): array
{
    $read = known($GLOBALS['readers'], $id);
    $count = min(number($count), 1000000);
    $values = array_fill(0, $count, 0);
    for ($at = 0; $at < $count; $at++) {
        $values[$at] = $read();
    }
    $GLOBALS['kept'] = $values;
    return more('0');
}

// The reads of the last deltas.
$kept = [];

function more(string $from): array
{
    $first = $GLOBALS['kept'][0] ?? 0;
    $some = array_slice($GLOBALS['kept'], number($from), 20000);
    return ['values' => array_map(static function ($value) use ($first) {
        return $value - $first;
    }, $some)];
}

function spins(string $id, string $count): array
{
    $read = known($GLOBALS['readers'], $id);
    $most = min(number($count), 2000);
    $steps = [];
    $reads = [];
    $limit = hrtime(true) + 500000000;
    $last = $read();
    $tries = 0;
    $first = true;
    while (count($steps) < $most) {
        $now = $read();
        $tries++;
        if ($now !== $last) {
            if (!$first) {
                $steps[] = $now - $last;
                $reads[] = $tries;
            }
            $first = false;
            $last = $now;
            $tries = 0;
        }
        if ($tries % 100 === 0 && hrtime(true) > $limit) {
            break;
        }
    }
    return ['steps' => $steps, 'reads' => $reads];
}

function watch(string $id, string $count): array
{
    $read = known($GLOBALS['readers'], $id);
    $count = number($count);
    $limit = hrtime(true) + 2000000000;
    $same = $smallest = $longest = $backwards = $worst = $done = 0;
    $last = $read();
    while ($done < $count) {
        $now = $read();
        $step = $now - $last;
        $last = $now;
        $done++;
        if ($step > 0) {
            $longest = max($longest, $step);
            $smallest = $smallest == 0 ? $step : min($smallest, $step);
        } elseif ($step == 0) {
            $same++;
        } else {
            $backwards++;
            $worst = max($worst, -$step);
        }
        if ($done % 1000 === 0 && hrtime(true) > $limit) {
            break;
        }
    }
    return compact('same', 'smallest', 'longest', 'backwards', 'worst') + ['reads' => $done];
}

function slept(string $id, string $ns, string $count): array
{
    if ($id !== 'usleep' && $id !== 'time-nanosleep') {
        throw new InvalidArgumentException('no such sleep');
    }
    $ns = number($ns);
    $slept = [];
    for ($left = min(number($count), 1000); $left > 0; $left--) {
        $start = hrtime(true);
        if ($id === 'usleep') {
            usleep(intdiv($ns + 999, 1000));
        } else {
            time_nanosleep(intdiv($ns, 1000000000), $ns % 1000000000);
        }
        $slept[] = hrtime(true) - $start;
    }
    return ['slept' => $slept];
}

// What makes a wait of some nanoseconds, made before the first one.
function waiting(string $id): callable
{
    switch ($id) {
        case 'usleep':
            return static function (int $ns): void {
                usleep(intdiv($ns + 999, 1000));
            };
        case 'time-nanosleep':
            return static function (int $ns): void {
                time_nanosleep(intdiv($ns, 1000000000), $ns % 1000000000);
            };
        case 'time-sleep-until':
            return static function (int $ns): void {
                time_sleep_until(microtime(true) + $ns / 1e9);
            };
        case 'stream-select':
            $pair = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
            return static function (int $ns) use ($pair): void {
                $read = [$pair[0]];
                $none = null;
                $us = intdiv($ns + 999, 1000);
                stream_select($read, $none, $none, intdiv($us, 1000000), $us % 1000000);
            };
    }
    throw new InvalidArgumentException('no such wait');
}

function cpu_time(): int
{
    $usage = getrusage();
    return 1000 * (1000000 * ($usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec'])
        + $usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec']);
}

function waits(string $id, string $length, string $count, string $first, string $work): array
{
    $wait = waiting($id);
    [$ns, $first, $work] = array_map('number', [$length, $first, $work]);
    $times = [];
    $deadline = $first > hrtime(true) ? $first : hrtime(true) + $ns;
    $cpu = cpu_time();
    for ($left = min(number($count), 1000); $left > 0; $left--) {
        $begin = hrtime(true);
        if ($first === 0) {
            $deadline = $begin + $ns;
        }
        if ($deadline > $begin) {
            $wait($deadline - $begin);
        }
        $end = hrtime(true);
        array_push($times, $begin, $deadline, $end);
        while ($work > 0 && hrtime(true) < $end + $work) {
            continue;
        }
        $deadline += $ns * (1 + max(0, intdiv($end - $deadline, $ns)));
    }
    $cpu = cpu_time() - $cpu;
    $start = $times[0] ?? hrtime(true);
    return [
        'start' => $start,
        'times' => array_map(static function ($time) use ($start) {
            return $time - $start;
        }, $times),
        'cpu_ns' => $cpu,
        'thread' => getmypid(),
    ];
}

const REQUESTS = [
    'hello' => 1, 'batch' => 5, 'deltas' => 3, 'more' => 2, 'spins' => 3, 'watch' => 3,
    'sleep' => 4, 'waits' => 6, 'around' => 4,
];

gc_disable();
while (($line = fgets(STDIN)) !== false) {
    $words = explode(' ', trim($line));
    if ($words === ['quit']) {
        break;
    }
    try {
        $name = $words[0];
        if ((REQUESTS[$name] ?? 0) !== count($words)) {
            throw new InvalidArgumentException('no such request');
        }
        $answer = ($name === 'sleep' ? 'slept' : $name)(...array_slice($words, 1));
    } catch (Throwable $error) {
        $answer = ['error' => substr($error->getMessage(), 0, 200)];
    }
    fwrite(STDOUT, json_encode($answer, JSON_INVALID_UTF8_SUBSTITUTE) . "\n");
    fflush(STDOUT);
}
