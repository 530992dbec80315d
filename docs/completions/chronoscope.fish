# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_chronoscope_global_optspecs
    string join \n only= no-waits brief json export= color= q/quiet v/verbose budget= cpu= seed= allow= fail-on= preset= h/help V/version
end

function __fish_chronoscope_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_chronoscope_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_chronoscope_using_subcommand
    set -l cmd (__fish_chronoscope_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c chronoscope -n "__fish_chronoscope_needs_command" -l only -d 'Measure only these clocks: ids, prefixes or globs, separated by commas' -r
complete -c chronoscope -n "__fish_chronoscope_needs_command" -l export -d 'Also write the result in this format to this file; \'-\' is standard output. Repeatable' -r
complete -c chronoscope -n "__fish_chronoscope_needs_command" -l color -d 'When to use colour; auto: on a terminal, unless NO_COLOR is set' -r -f -a "auto\t''
always\t''
never\t''"
complete -c chronoscope -n "__fish_chronoscope_needs_command" -l budget -d 'Time for measuring, such as 500ms or 10s' -r
complete -c chronoscope -n "__fish_chronoscope_needs_command" -l cpu -d 'Measure on this CPU instead of the quietest' -r
complete -c chronoscope -n "__fish_chronoscope_needs_command" -l seed -d 'Seed for the random order of measurement. Default: a random one' -r
complete -c chronoscope -n "__fish_chronoscope_needs_command" -l allow -d 'Ignore this finding; see chronoscope list faults. Repeatable' -r
complete -c chronoscope -n "__fish_chronoscope_needs_command" -l fail-on -d 'Exit with 1 if there is a finding at this level or above' -r
complete -c chronoscope -n "__fish_chronoscope_needs_command" -l preset -d 'Repeat a known experiment; other arguments and options change parts of it. chronoscope list presets has the command lines' -r -f -a "time-functions\t'The table of time functions: which of clock, std::chrono, rdtsc, clock_gettime and GetSystemTimeAsFileTime is the fastest, and does it return 100 ms after 100 ms?'
timetest\t'timetest: what a call of the high-resolution clock takes, as the mean of a million, as the mean of ten, and alone, in three passes.'
instant-overhead\t'The overhead of Instant::now() in Rust: what two reads add to a loop that sums 999 integers, in 9999 samples of 999 iterations.'
windows-waits\t'The Windows wait routines: how late Sleep, waitable timers, MinGW\'s calls, a busy wait and a timer with a busy wait end, without load and with it. On other systems, the calls that they have instead.'
stopwatch\t'Stopwatch under the hood: the latency and resolution of .NET\'s Stopwatch and DateTime, and the hardware timer behind them.'"
complete -c chronoscope -n "__fish_chronoscope_needs_command" -l no-waits -d 'Measure no waits'
complete -c chronoscope -n "__fish_chronoscope_needs_command" -l brief -d 'Show two lines to paste into a bug report, after 2 s'
complete -c chronoscope -n "__fish_chronoscope_needs_command" -l json -d 'Write the result as JSON to standard output'
complete -c chronoscope -n "__fish_chronoscope_needs_command" -s q -l quiet -d 'Show no progress and no warnings'
complete -c chronoscope -n "__fish_chronoscope_needs_command" -s v -l verbose -d 'Show everything that is known; of a run, also the machine, the ruler and the noise'
complete -c chronoscope -n "__fish_chronoscope_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c chronoscope -n "__fish_chronoscope_needs_command" -s V -l version -d 'Print version'
complete -c chronoscope -n "__fish_chronoscope_needs_command" -f -a "clocks" -d 'What does each clock cost, and what is its resolution?'
complete -c chronoscope -n "__fish_chronoscope_needs_command" -f -a "deltas" -d 'How far apart are two successive reads of a clock?'
complete -c chronoscope -n "__fish_chronoscope_needs_command" -f -a "calls" -d 'The mean of a million calls, the mean of ten, and a single call, in three passes'
complete -c chronoscope -n "__fish_chronoscope_needs_command" -f -a "overhead" -d 'What does timing add to my loop?'
complete -c chronoscope -n "__fish_chronoscope_needs_command" -f -a "waits" -d 'How precisely can I wait here?'
complete -c chronoscope -n "__fish_chronoscope_needs_command" -f -a "runtimes" -d 'What do my language\'s clocks cost on this machine, compared with C?'
complete -c chronoscope -n "__fish_chronoscope_needs_command" -f -a "trust" -d 'Does a clock go backwards, agree between CPUs, and keep its rate?'
complete -c chronoscope -n "__fish_chronoscope_needs_command" -f -a "hardware" -d 'Which timer hardware, which kernel clock source, which hypervisor, and why?'
complete -c chronoscope -n "__fish_chronoscope_needs_command" -f -a "sweep" -d 'What do clocks cost under every clock source of the kernel?'
complete -c chronoscope -n "__fish_chronoscope_needs_command" -f -a "doctor" -d 'What is wrong with time on this machine, what is the evidence, and what is the fix?'
complete -c chronoscope -n "__fish_chronoscope_needs_command" -f -a "advise" -d 'Which clock or wait should I use, and what is the code?'
complete -c chronoscope -n "__fish_chronoscope_needs_command" -f -a "report" -d 'Show a stored report on any screen and in any format'
complete -c chronoscope -n "__fish_chronoscope_needs_command" -f -a "compare" -d 'Compare the clocks of several machines, or what timing adds to a loop there'
complete -c chronoscope -n "__fish_chronoscope_needs_command" -f -a "list" -d 'List what is supported here, and why the rest is not'
complete -c chronoscope -n "__fish_chronoscope_needs_command" -f -a "explain" -d 'Explain a clock, a wait, a runtime, a finding, a function, a timer, a term or a column'
complete -c chronoscope -n "__fish_chronoscope_needs_command" -f -a "demo" -d 'Show what goes wrong when time is measured carelessly'
complete -c chronoscope -n "__fish_chronoscope_needs_command" -f -a "generate" -d 'Shell completions, man pages, or the JSON Schema'
complete -c chronoscope -n "__fish_chronoscope_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand clocks" -l calls -d 'Actually make N calls of each clock, such as 10M, and show how long they took' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand clocks" -l load -d 'Measure again under each of these loads: low, low-nice, normal, high, io, memory, timers, print' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand clocks" -l load-processes -d 'Processes of a load. Default: one per CPU' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand clocks" -l priority -d 'Read with SCHED_FIFO at this priority (1 to 49)' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand clocks" -l export -d 'Also write the result in this format to this file; \'-\' is standard output. Repeatable' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand clocks" -l color -d 'When to use colour; auto: on a terminal, unless NO_COLOR is set' -r -f -a "auto\t''
always\t''
never\t''"
complete -c chronoscope -n "__fish_chronoscope_using_subcommand clocks" -l budget -d 'Time for measuring, such as 500ms or 10s' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand clocks" -l cpu -d 'Measure on this CPU instead of the quietest' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand clocks" -l seed -d 'Seed for the random order of measurement. Default: a random one' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand clocks" -l allow -d 'Ignore this finding; see chronoscope list faults. Repeatable' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand clocks" -l fail-on -d 'Exit with 1 if there is a finding at this level or above' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand clocks" -l preset -d 'Repeat a known experiment; other arguments and options change parts of it. chronoscope list presets has the command lines' -r -f -a "time-functions\t'The table of time functions: which of clock, std::chrono, rdtsc, clock_gettime and GetSystemTimeAsFileTime is the fastest, and does it return 100 ms after 100 ms?'"
complete -c chronoscope -n "__fish_chronoscope_using_subcommand clocks" -l peers -d 'Include the clocks of other libraries (in builds with --features peers)'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand clocks" -l json -d 'Write the result as JSON to standard output'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand clocks" -s q -l quiet -d 'Show no progress and no warnings'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand clocks" -s v -l verbose -d 'Show everything that is known; of a run, also the machine, the ruler and the noise'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand clocks" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand clocks" -s V -l version -d 'Print version'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand deltas" -l reads -d 'How many reads to make, such as 10M; with --budget, as many of them as fit' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand deltas" -l load -d 'Measure again under each of these loads: low, low-nice, normal, high, io, memory, timers, print' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand deltas" -l load-processes -d 'Processes of a load. Default: one per CPU' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand deltas" -l priority -d 'Read with SCHED_FIFO at this priority (1 to 49)' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand deltas" -l export -d 'Also write the result in this format to this file; \'-\' is standard output. Repeatable' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand deltas" -l color -d 'When to use colour; auto: on a terminal, unless NO_COLOR is set' -r -f -a "auto\t''
always\t''
never\t''"
complete -c chronoscope -n "__fish_chronoscope_using_subcommand deltas" -l budget -d 'Time for measuring, such as 500ms or 10s' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand deltas" -l cpu -d 'Measure on this CPU instead of the quietest' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand deltas" -l seed -d 'Seed for the random order of measurement. Default: a random one' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand deltas" -l allow -d 'Ignore this finding; see chronoscope list faults. Repeatable' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand deltas" -l fail-on -d 'Exit with 1 if there is a finding at this level or above' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand deltas" -l json -d 'Write the result as JSON to standard output'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand deltas" -s q -l quiet -d 'Show no progress and no warnings'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand deltas" -s v -l verbose -d 'Show everything that is known; of a run, also the machine, the ruler and the noise'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand deltas" -s h -l help -d 'Print help'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand deltas" -s V -l version -d 'Print version'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand calls" -l load -d 'Measure again under each of these loads: low, low-nice, normal, high, io, memory, timers, print' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand calls" -l load-processes -d 'Processes of a load. Default: one per CPU' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand calls" -l priority -d 'Read with SCHED_FIFO at this priority (1 to 49)' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand calls" -l export -d 'Also write the result in this format to this file; \'-\' is standard output. Repeatable' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand calls" -l color -d 'When to use colour; auto: on a terminal, unless NO_COLOR is set' -r -f -a "auto\t''
always\t''
never\t''"
complete -c chronoscope -n "__fish_chronoscope_using_subcommand calls" -l budget -d 'Time for measuring, such as 500ms or 10s' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand calls" -l cpu -d 'Measure on this CPU instead of the quietest' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand calls" -l seed -d 'Seed for the random order of measurement. Default: a random one' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand calls" -l allow -d 'Ignore this finding; see chronoscope list faults. Repeatable' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand calls" -l fail-on -d 'Exit with 1 if there is a finding at this level or above' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand calls" -l preset -d 'Repeat a known experiment; other arguments and options change parts of it. chronoscope list presets has the command lines' -r -f -a "timetest\t'timetest: what a call of the high-resolution clock takes, as the mean of a million, as the mean of ten, and alone, in three passes.'"
complete -c chronoscope -n "__fish_chronoscope_using_subcommand calls" -l json -d 'Write the result as JSON to standard output'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand calls" -s q -l quiet -d 'Show no progress and no warnings'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand calls" -s v -l verbose -d 'Show everything that is known; of a run, also the machine, the ruler and the noise'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand calls" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand calls" -s V -l version -d 'Print version'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand overhead" -l export -d 'Also write the result in this format to this file; \'-\' is standard output. Repeatable' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand overhead" -l color -d 'When to use colour; auto: on a terminal, unless NO_COLOR is set' -r -f -a "auto\t''
always\t''
never\t''"
complete -c chronoscope -n "__fish_chronoscope_using_subcommand overhead" -l budget -d 'Time for measuring, such as 500ms or 10s' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand overhead" -l cpu -d 'Measure on this CPU instead of the quietest' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand overhead" -l seed -d 'Seed for the random order of measurement. Default: a random one' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand overhead" -l allow -d 'Ignore this finding; see chronoscope list faults. Repeatable' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand overhead" -l fail-on -d 'Exit with 1 if there is a finding at this level or above' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand overhead" -l preset -d 'Repeat a known experiment; other arguments and options change parts of it. chronoscope list presets has the command lines' -r -f -a "instant-overhead\t'The overhead of Instant::now() in Rust: what two reads add to a loop that sums 999 integers, in 9999 samples of 999 iterations.'"
complete -c chronoscope -n "__fish_chronoscope_using_subcommand overhead" -l json -d 'Write the result as JSON to standard output'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand overhead" -s q -l quiet -d 'Show no progress and no warnings'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand overhead" -s v -l verbose -d 'Show everything that is known; of a run, also the machine, the ruler and the noise'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand overhead" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand overhead" -s V -l version -d 'Print version'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand waits" -l preset -d 'A known set of waits (windows-waits), drawn as its own table. Other options change parts of it' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand waits" -l wait -d 'Durations to wait for, such as 100us,10ms; without a unit, milliseconds' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand waits" -l count -d 'Waits of each method and duration, such as 500 or 1e6' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand waits" -l period -d 'Wait for the deadlines of a fixed grid with this period instead' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand waits" -l duration -d 'Time for each load, such as 10m or 2h' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand waits" -l load -d 'What runs alongside: none, low, low-nice, normal, high, io, memory, timers, print. Default: none; in an overview, none and normal' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand waits" -l load-processes -d 'Processes of a load. Default: one per CPU' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand waits" -l load-priority -d 'Run the high load with SCHED_FIFO at this priority (1 to 49) instead of its nice value' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand waits" -l slack -d 'Timer slacks of the waiting thread (Linux): \'default\' or a duration' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand waits" -l slice -d 'Slices that the waiting thread asks the scheduler for (Linux 6.12): \'default\' or a duration from 100us to 100ms' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand waits" -l priority -d 'Run the waiting threads with SCHED_FIFO at this priority (Linux, 1 to 49), or at this class (Windows: normal, above, high, realtime)' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand waits" -l stop-above -d 'Stop at the first overshoot above this, and show what is known of that moment' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand waits" -l checkpoint -d 'Write the report to this file once per second, so that it survives whatever ends the run. It must not exist yet' -r -F
complete -c chronoscope -n "__fish_chronoscope_using_subcommand waits" -l resume -d 'Resume from this checkpoint with its original options, and keep it up to date' -r -F
complete -c chronoscope -n "__fish_chronoscope_using_subcommand waits" -l style -d 'How the table is drawn' -r -f -a "table\t'Overshoot with its percentiles'
ticks\t'MIN, AVG, MAX and MAX OVER in ticks of the reference'"
complete -c chronoscope -n "__fish_chronoscope_using_subcommand waits" -l export -d 'Also write the result in this format to this file; \'-\' is standard output. Repeatable' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand waits" -l color -d 'When to use colour; auto: on a terminal, unless NO_COLOR is set' -r -f -a "auto\t''
always\t''
never\t''"
complete -c chronoscope -n "__fish_chronoscope_using_subcommand waits" -l budget -d 'Time for measuring, such as 500ms or 10s' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand waits" -l cpu -d 'Measure on this CPU instead of the quietest' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand waits" -l seed -d 'Seed for the random order of measurement. Default: a random one' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand waits" -l allow -d 'Ignore this finding; see chronoscope list faults. Repeatable' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand waits" -l fail-on -d 'Exit with 1 if there is a finding at this level or above' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand waits" -l all -d 'Measure every method, from 1 us to 100 ms, for a minute, and show the whole table'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand waits" -l load-all-cpus -d 'Let the high load take every CPU without a pause, so that nothing of a lower priority runs next to it (Windows)'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand waits" -l all-cpus -d 'Run a waiting thread on each CPU'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand waits" -l keep-awake -d 'Keep the CPUs out of deep idle states (/dev/cpu_dma_latency)'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand waits" -l why -d 'Split each late wake-up into its causes, and show the twenty worst'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand waits" -l json -d 'Write the result as JSON to standard output'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand waits" -s q -l quiet -d 'Show no progress and no warnings'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand waits" -s v -l verbose -d 'Show everything that is known; of a run, also the machine, the ruler and the noise'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand waits" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand waits" -s V -l version -d 'Print version'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand runtimes" -l runtime -d 'Where a runtime is: its program, or the directory that holds it' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand runtimes" -l with -d 'Add the runtimes of another report' -r -F
complete -c chronoscope -n "__fish_chronoscope_using_subcommand runtimes" -l export -d 'Also write the result in this format to this file; \'-\' is standard output. Repeatable' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand runtimes" -l color -d 'When to use colour; auto: on a terminal, unless NO_COLOR is set' -r -f -a "auto\t''
always\t''
never\t''"
complete -c chronoscope -n "__fish_chronoscope_using_subcommand runtimes" -l budget -d 'Time for measuring, such as 500ms or 10s' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand runtimes" -l cpu -d 'Measure on this CPU instead of the quietest' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand runtimes" -l seed -d 'Seed for the random order of measurement. Default: a random one' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand runtimes" -l allow -d 'Ignore this finding; see chronoscope list faults. Repeatable' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand runtimes" -l fail-on -d 'Exit with 1 if there is a finding at this level or above' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand runtimes" -l preset -d 'Repeat a known experiment; other arguments and options change parts of it. chronoscope list presets has the command lines' -r -f -a "stopwatch\t'Stopwatch under the hood: the latency and resolution of .NET\'s Stopwatch and DateTime, and the hardware timer behind them.'"
complete -c chronoscope -n "__fish_chronoscope_using_subcommand runtimes" -l json -d 'Write the result as JSON to standard output'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand runtimes" -s q -l quiet -d 'Show no progress and no warnings'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand runtimes" -s v -l verbose -d 'Show everything that is known; of a run, also the machine, the ruler and the noise'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand runtimes" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand runtimes" -s V -l version -d 'Print version'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand trust" -l duration -d 'How long to watch, such as 60s or 8h. Default: 10s' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand trust" -l checkpoint -d 'Write the report to this file once per second, so that it survives whatever ends the run. The file must not exist yet' -r -F
complete -c chronoscope -n "__fish_chronoscope_using_subcommand trust" -l export -d 'Also write the result in this format to this file; \'-\' is standard output. Repeatable' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand trust" -l color -d 'When to use colour; auto: on a terminal, unless NO_COLOR is set' -r -f -a "auto\t''
always\t''
never\t''"
complete -c chronoscope -n "__fish_chronoscope_using_subcommand trust" -l budget -d 'Time for measuring, such as 500ms or 10s' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand trust" -l cpu -d 'Measure on this CPU instead of the quietest' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand trust" -l seed -d 'Seed for the random order of measurement. Default: a random one' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand trust" -l allow -d 'Ignore this finding; see chronoscope list faults. Repeatable' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand trust" -l fail-on -d 'Exit with 1 if there is a finding at this level or above' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand trust" -l json -d 'Write the result as JSON to standard output'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand trust" -s q -l quiet -d 'Show no progress and no warnings'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand trust" -s v -l verbose -d 'Show everything that is known; of a run, also the machine, the ruler and the noise'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand trust" -s h -l help -d 'Print help'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand trust" -s V -l version -d 'Print version'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand hardware" -l export -d 'Also write the result in this format to this file; \'-\' is standard output. Repeatable' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand hardware" -l color -d 'When to use colour; auto: on a terminal, unless NO_COLOR is set' -r -f -a "auto\t''
always\t''
never\t''"
complete -c chronoscope -n "__fish_chronoscope_using_subcommand hardware" -l budget -d 'Time for measuring, such as 500ms or 10s' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand hardware" -l cpu -d 'Measure on this CPU instead of the quietest' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand hardware" -l seed -d 'Seed for the random order of measurement. Default: a random one' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand hardware" -l allow -d 'Ignore this finding; see chronoscope list faults. Repeatable' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand hardware" -l fail-on -d 'Exit with 1 if there is a finding at this level or above' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand hardware" -l json -d 'Write the result as JSON to standard output'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand hardware" -s q -l quiet -d 'Show no progress and no warnings'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand hardware" -s v -l verbose -d 'Show everything that is known; of a run, also the machine, the ruler and the noise'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand hardware" -s h -l help -d 'Print help'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand hardware" -s V -l version -d 'Print version'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand sweep" -l runtimes -d 'Also measure language runtimes under every clock source: these, or all. That takes about 30 s per source' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand sweep" -l export -d 'Also write the result in this format to this file; \'-\' is standard output. Repeatable' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand sweep" -l color -d 'When to use colour; auto: on a terminal, unless NO_COLOR is set' -r -f -a "auto\t''
always\t''
never\t''"
complete -c chronoscope -n "__fish_chronoscope_using_subcommand sweep" -l budget -d 'Time for measuring, such as 500ms or 10s' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand sweep" -l cpu -d 'Measure on this CPU instead of the quietest' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand sweep" -l seed -d 'Seed for the random order of measurement. Default: a random one' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand sweep" -l allow -d 'Ignore this finding; see chronoscope list faults. Repeatable' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand sweep" -l fail-on -d 'Exit with 1 if there is a finding at this level or above' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand sweep" -l json -d 'Write the result as JSON to standard output'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand sweep" -s q -l quiet -d 'Show no progress and no warnings'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand sweep" -s v -l verbose -d 'Show everything that is known; of a run, also the machine, the ruler and the noise'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand sweep" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand sweep" -s V -l version -d 'Print version'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand doctor" -l record -d 'Also write the facts and figures to this new folder, without anything private' -r -F
complete -c chronoscope -n "__fish_chronoscope_using_subcommand doctor" -l facts -d 'Diagnose the machine that such a folder describes, instead of this one' -r -F
complete -c chronoscope -n "__fish_chronoscope_using_subcommand doctor" -l export -d 'Also write the result in this format to this file; \'-\' is standard output. Repeatable' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand doctor" -l color -d 'When to use colour; auto: on a terminal, unless NO_COLOR is set' -r -f -a "auto\t''
always\t''
never\t''"
complete -c chronoscope -n "__fish_chronoscope_using_subcommand doctor" -l budget -d 'Time for measuring, such as 500ms or 10s' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand doctor" -l cpu -d 'Measure on this CPU instead of the quietest' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand doctor" -l seed -d 'Seed for the random order of measurement. Default: a random one' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand doctor" -l allow -d 'Ignore this finding; see chronoscope list faults. Repeatable' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand doctor" -l fail-on -d 'Exit with 1 if there is a finding at this level or above' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand doctor" -l json -d 'Write the result as JSON to standard output'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand doctor" -s q -l quiet -d 'Show no progress and no warnings'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand doctor" -s v -l verbose -d 'Show everything that is known; of a run, also the machine, the ruler and the noise'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand doctor" -s h -l help -d 'Print help'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand doctor" -s V -l version -d 'Print version'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand advise" -l for -d 'The purpose; see chronoscope list purposes. Default: every purpose of clocks' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand advise" -l language -d 'The language of the code, or all. Default: that of CHRONOSCOPE_LANGUAGE, or C' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand advise" -l from -d 'Advise from an existing report instead of measuring' -r -F
complete -c chronoscope -n "__fish_chronoscope_using_subcommand advise" -l export -d 'Also write the result in this format to this file; \'-\' is standard output. Repeatable' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand advise" -l color -d 'When to use colour; auto: on a terminal, unless NO_COLOR is set' -r -f -a "auto\t''
always\t''
never\t''"
complete -c chronoscope -n "__fish_chronoscope_using_subcommand advise" -l budget -d 'Time for measuring, such as 500ms or 10s' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand advise" -l cpu -d 'Measure on this CPU instead of the quietest' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand advise" -l seed -d 'Seed for the random order of measurement. Default: a random one' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand advise" -l allow -d 'Ignore this finding; see chronoscope list faults. Repeatable' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand advise" -l fail-on -d 'Exit with 1 if there is a finding at this level or above' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand advise" -l runtimes -d 'Also measure the runtimes of that language, and name its best calls on this machine'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand advise" -l json -d 'Write the result as JSON to standard output'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand advise" -s q -l quiet -d 'Show no progress and no warnings'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand advise" -s v -l verbose -d 'Show everything that is known; of a run, also the machine, the ruler and the noise'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand advise" -s h -l help -d 'Print help'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand advise" -s V -l version -d 'Print version'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand report" -l as -d 'A screen (summary, brief, clocks, waits, ticks, deltas, calls, overhead, runtimes, trust, hardware, sweep, findings, doctor, advise) or a format (see chronoscope list formats). Default: the screen that the run showed' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand report" -l compare -d 'Compare its waits with those of another report, for example one on battery with one on mains' -r -F
complete -c chronoscope -n "__fish_chronoscope_using_subcommand report" -l with -d 'Add the runtimes of other reports, for example of other machines' -r -F
complete -c chronoscope -n "__fish_chronoscope_using_subcommand report" -l export -d 'Also write the result in this format to this file; \'-\' is standard output. Repeatable' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand report" -l color -d 'When to use colour; auto: on a terminal, unless NO_COLOR is set' -r -f -a "auto\t''
always\t''
never\t''"
complete -c chronoscope -n "__fish_chronoscope_using_subcommand report" -l allow -d 'Ignore this finding; see chronoscope list faults. Repeatable' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand report" -l fail-on -d 'Exit with 1 if there is a finding at this level or above' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand report" -l json -d 'Write the result as JSON to standard output'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand report" -s q -l quiet -d 'Show no progress and no warnings'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand report" -s v -l verbose -d 'Show everything that is known; of a run, also the machine, the ruler and the noise'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand report" -s h -l help -d 'Print help'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand report" -s V -l version -d 'Print version'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand compare" -l export -d 'Also write the result in this format to this file; \'-\' is standard output. Repeatable' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand compare" -l color -d 'When to use colour; auto: on a terminal, unless NO_COLOR is set' -r -f -a "auto\t''
always\t''
never\t''"
complete -c chronoscope -n "__fish_chronoscope_using_subcommand compare" -l json -d 'Write the result as JSON to standard output'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand compare" -s q -l quiet -d 'Show no progress and no warnings'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand compare" -s v -l verbose -d 'Show everything that is known; of a run, also the machine, the ruler and the noise'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand compare" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand compare" -s V -l version -d 'Print version'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand list" -l export -d 'Also write the result in this format to this file; \'-\' is standard output. Repeatable' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand list" -l color -d 'When to use colour; auto: on a terminal, unless NO_COLOR is set' -r -f -a "auto\t''
always\t''
never\t''"
complete -c chronoscope -n "__fish_chronoscope_using_subcommand list" -l json -d 'Write the result as JSON to standard output'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand list" -s q -l quiet -d 'Show no progress and no warnings'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand list" -s v -l verbose -d 'Show everything that is known; of a run, also the machine, the ruler and the noise'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand list" -s V -l version -d 'Print version'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand explain" -l export -d 'Also write the result in this format to this file; \'-\' is standard output. Repeatable' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand explain" -l color -d 'When to use colour; auto: on a terminal, unless NO_COLOR is set' -r -f -a "auto\t''
always\t''
never\t''"
complete -c chronoscope -n "__fish_chronoscope_using_subcommand explain" -l json -d 'Write the result as JSON to standard output'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand explain" -s q -l quiet -d 'Show no progress and no warnings'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand explain" -s h -l help -d 'Print help'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand explain" -s V -l version -d 'Print version'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand demo" -l budget -d 'For how long. Default: 1s' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand demo" -l export -d 'Also write the result in this format to this file; \'-\' is standard output. Repeatable' -r
complete -c chronoscope -n "__fish_chronoscope_using_subcommand demo" -l color -d 'When to use colour; auto: on a terminal, unless NO_COLOR is set' -r -f -a "auto\t''
always\t''
never\t''"
complete -c chronoscope -n "__fish_chronoscope_using_subcommand demo" -l json -d 'Write the result as JSON to standard output'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand demo" -s q -l quiet -d 'Show no progress and no warnings'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand demo" -s h -l help -d 'Print help'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand demo" -s V -l version -d 'Print version'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand generate; and not __fish_seen_subcommand_from completions man schema help" -s h -l help -d 'Print help'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand generate; and not __fish_seen_subcommand_from completions man schema help" -s V -l version -d 'Print version'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand generate; and not __fish_seen_subcommand_from completions man schema help" -f -a "completions" -d 'Completions for a shell, to standard output'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand generate; and not __fish_seen_subcommand_from completions man schema help" -f -a "man" -d 'Man pages of all commands, into an existing folder'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand generate; and not __fish_seen_subcommand_from completions man schema help" -f -a "schema" -d 'The JSON Schema of the report, to standard output'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand generate; and not __fish_seen_subcommand_from completions man schema help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand generate; and __fish_seen_subcommand_from completions" -s h -l help -d 'Print help'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand generate; and __fish_seen_subcommand_from completions" -s V -l version -d 'Print version'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand generate; and __fish_seen_subcommand_from man" -s h -l help -d 'Print help'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand generate; and __fish_seen_subcommand_from man" -s V -l version -d 'Print version'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand generate; and __fish_seen_subcommand_from schema" -s h -l help -d 'Print help'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand generate; and __fish_seen_subcommand_from schema" -s V -l version -d 'Print version'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand generate; and __fish_seen_subcommand_from help" -f -a "completions" -d 'Completions for a shell, to standard output'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand generate; and __fish_seen_subcommand_from help" -f -a "man" -d 'Man pages of all commands, into an existing folder'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand generate; and __fish_seen_subcommand_from help" -f -a "schema" -d 'The JSON Schema of the report, to standard output'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand generate; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand help; and not __fish_seen_subcommand_from clocks deltas calls overhead waits runtimes trust hardware sweep doctor advise report compare list explain demo generate help" -f -a "clocks" -d 'What does each clock cost, and what is its resolution?'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand help; and not __fish_seen_subcommand_from clocks deltas calls overhead waits runtimes trust hardware sweep doctor advise report compare list explain demo generate help" -f -a "deltas" -d 'How far apart are two successive reads of a clock?'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand help; and not __fish_seen_subcommand_from clocks deltas calls overhead waits runtimes trust hardware sweep doctor advise report compare list explain demo generate help" -f -a "calls" -d 'The mean of a million calls, the mean of ten, and a single call, in three passes'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand help; and not __fish_seen_subcommand_from clocks deltas calls overhead waits runtimes trust hardware sweep doctor advise report compare list explain demo generate help" -f -a "overhead" -d 'What does timing add to my loop?'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand help; and not __fish_seen_subcommand_from clocks deltas calls overhead waits runtimes trust hardware sweep doctor advise report compare list explain demo generate help" -f -a "waits" -d 'How precisely can I wait here?'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand help; and not __fish_seen_subcommand_from clocks deltas calls overhead waits runtimes trust hardware sweep doctor advise report compare list explain demo generate help" -f -a "runtimes" -d 'What do my language\'s clocks cost on this machine, compared with C?'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand help; and not __fish_seen_subcommand_from clocks deltas calls overhead waits runtimes trust hardware sweep doctor advise report compare list explain demo generate help" -f -a "trust" -d 'Does a clock go backwards, agree between CPUs, and keep its rate?'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand help; and not __fish_seen_subcommand_from clocks deltas calls overhead waits runtimes trust hardware sweep doctor advise report compare list explain demo generate help" -f -a "hardware" -d 'Which timer hardware, which kernel clock source, which hypervisor, and why?'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand help; and not __fish_seen_subcommand_from clocks deltas calls overhead waits runtimes trust hardware sweep doctor advise report compare list explain demo generate help" -f -a "sweep" -d 'What do clocks cost under every clock source of the kernel?'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand help; and not __fish_seen_subcommand_from clocks deltas calls overhead waits runtimes trust hardware sweep doctor advise report compare list explain demo generate help" -f -a "doctor" -d 'What is wrong with time on this machine, what is the evidence, and what is the fix?'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand help; and not __fish_seen_subcommand_from clocks deltas calls overhead waits runtimes trust hardware sweep doctor advise report compare list explain demo generate help" -f -a "advise" -d 'Which clock or wait should I use, and what is the code?'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand help; and not __fish_seen_subcommand_from clocks deltas calls overhead waits runtimes trust hardware sweep doctor advise report compare list explain demo generate help" -f -a "report" -d 'Show a stored report on any screen and in any format'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand help; and not __fish_seen_subcommand_from clocks deltas calls overhead waits runtimes trust hardware sweep doctor advise report compare list explain demo generate help" -f -a "compare" -d 'Compare the clocks of several machines, or what timing adds to a loop there'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand help; and not __fish_seen_subcommand_from clocks deltas calls overhead waits runtimes trust hardware sweep doctor advise report compare list explain demo generate help" -f -a "list" -d 'List what is supported here, and why the rest is not'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand help; and not __fish_seen_subcommand_from clocks deltas calls overhead waits runtimes trust hardware sweep doctor advise report compare list explain demo generate help" -f -a "explain" -d 'Explain a clock, a wait, a runtime, a finding, a function, a timer, a term or a column'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand help; and not __fish_seen_subcommand_from clocks deltas calls overhead waits runtimes trust hardware sweep doctor advise report compare list explain demo generate help" -f -a "demo" -d 'Show what goes wrong when time is measured carelessly'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand help; and not __fish_seen_subcommand_from clocks deltas calls overhead waits runtimes trust hardware sweep doctor advise report compare list explain demo generate help" -f -a "generate" -d 'Shell completions, man pages, or the JSON Schema'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand help; and not __fish_seen_subcommand_from clocks deltas calls overhead waits runtimes trust hardware sweep doctor advise report compare list explain demo generate help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand help; and __fish_seen_subcommand_from generate" -f -a "completions" -d 'Completions for a shell, to standard output'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand help; and __fish_seen_subcommand_from generate" -f -a "man" -d 'Man pages of all commands, into an existing folder'
complete -c chronoscope -n "__fish_chronoscope_using_subcommand help; and __fish_seen_subcommand_from generate" -f -a "schema" -d 'The JSON Schema of the report, to standard output'
