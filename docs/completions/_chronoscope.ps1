
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'chronoscope' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'chronoscope'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'chronoscope' {
            [CompletionResult]::new('--only', '--only', [CompletionResultType]::ParameterName, 'Measure only these clocks: ids, prefixes or globs, separated by commas')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable')
            [CompletionResult]::new('--export', '--export', [CompletionResultType]::ParameterName, 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour; auto: on a terminal, unless NO_COLOR is set')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Time for measuring, such as 500ms or 10s')
            [CompletionResult]::new('--cpu', '--cpu', [CompletionResultType]::ParameterName, 'Measure on this CPU instead of the quietest')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed for the random order of measurement. Default: a random one')
            [CompletionResult]::new('--allow', '--allow', [CompletionResultType]::ParameterName, 'Ignore these findings: ids (see chronoscope list faults) or levels (info, warning, error), separated by commas. Repeatable')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with 1 if there is one of these findings: ids, or a level, which includes those above it, separated by commas. Findings about the run count only if named by id. Repeatable')
            [CompletionResult]::new('--baseline', '--baseline', [CompletionResultType]::ParameterName, 'Compare with the report that was saved under this name')
            [CompletionResult]::new('--save-baseline', '--save-baseline', [CompletionResultType]::ParameterName, 'Save the report under this name, in the user''s data directory')
            [CompletionResult]::new('--preset', '--preset', [CompletionResultType]::ParameterName, 'Repeat a known experiment; other arguments and options change parts of it. chronoscope list presets has the command lines')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Measure all clocks, in 12 s, instead of those that programs commonly read and that advice needs')
            [CompletionResult]::new('--no-waits', '--no-waits', [CompletionResultType]::ParameterName, 'Measure no waits')
            [CompletionResult]::new('--brief', '--brief', [CompletionResultType]::ParameterName, 'Show two lines to paste into a bug report, after 2 s')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write the result as JSON to standard output')
            [CompletionResult]::new('--ascii', '--ascii', [CompletionResultType]::ParameterName, 'Draw with ASCII only, for terminals that cannot show UTF-8')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Show no progress and no warnings')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Show no progress and no warnings')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Show everything known, also the machine, the ruler and the noise of a run')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Show everything known, also the machine, the ruler and the noise of a run')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Replace the report that was saved under that name')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('clocks', 'clocks', [CompletionResultType]::ParameterValue, 'What does each clock cost, and what is its resolution?')
            [CompletionResult]::new('waits', 'waits', [CompletionResultType]::ParameterValue, 'How precisely can I wait here?')
            [CompletionResult]::new('runtimes', 'runtimes', [CompletionResultType]::ParameterValue, 'What do my language''s clocks cost on this machine, compared with C?')
            [CompletionResult]::new('trust', 'trust', [CompletionResultType]::ParameterValue, 'Does a clock go backwards, agree between CPUs, and keep its rate?')
            [CompletionResult]::new('noise', 'noise', [CompletionResultType]::ParameterValue, 'Is this machine fit to measure on, and what makes samples vary?')
            [CompletionResult]::new('browser', 'browser', [CompletionResultType]::ParameterValue, 'Write a page that measures the browser that opens it')
            [CompletionResult]::new('watch', 'watch', [CompletionResultType]::ParameterValue, 'Watch how late waits end, and why: a live view in the terminal')
            [CompletionResult]::new('advise', 'advise', [CompletionResultType]::ParameterValue, 'Which clock or wait should I use, and what is the code?')
            [CompletionResult]::new('doctor', 'doctor', [CompletionResultType]::ParameterValue, 'What is wrong with time here, on what evidence, and what is the fix?')
            [CompletionResult]::new('explain', 'explain', [CompletionResultType]::ParameterValue, 'Explain a clock, wait, runtime, finding, function, term or column')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List what is supported here, and why the rest is not')
            [CompletionResult]::new('report', 'report', [CompletionResultType]::ParameterValue, 'Show a stored report on any screen and in any format')
            [CompletionResult]::new('compare', 'compare', [CompletionResultType]::ParameterValue, 'Show what changed between reports, and by how much')
            [CompletionResult]::new('deltas', 'deltas', [CompletionResultType]::ParameterValue, 'How far apart are two successive reads of a clock?')
            [CompletionResult]::new('calls', 'calls', [CompletionResultType]::ParameterValue, 'The mean of a million calls, the mean of ten, and a single call, in three passes')
            [CompletionResult]::new('overhead', 'overhead', [CompletionResultType]::ParameterValue, 'What does timing add to my loop?')
            [CompletionResult]::new('sweep', 'sweep', [CompletionResultType]::ParameterValue, 'What do clocks cost under every clock source of the kernel?')
            [CompletionResult]::new('hardware', 'hardware', [CompletionResultType]::ParameterValue, 'Which timers, which clock source of the kernel, which hypervisor?')
            [CompletionResult]::new('demo', 'demo', [CompletionResultType]::ParameterValue, 'Show what goes wrong when time is measured carelessly')
            [CompletionResult]::new('serve', 'serve', [CompletionResultType]::ParameterValue, 'Serve metrics to Prometheus, measured within a budget of CPU time')
            [CompletionResult]::new('generate', 'generate', [CompletionResultType]::ParameterValue, 'Write files for a fleet, completions, man pages or the JSON Schema')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'chronoscope;clocks' {
            [CompletionResult]::new('--calls', '--calls', [CompletionResultType]::ParameterName, 'Actually make N calls of each clock, such as 10M, and show how long they took')
            [CompletionResult]::new('--load', '--load', [CompletionResultType]::ParameterName, 'Measure again under each of these loads: low, low-nice, normal, high, io, memory, timers, print')
            [CompletionResult]::new('--load-processes', '--load-processes', [CompletionResultType]::ParameterName, 'Processes of a load. Default: one per CPU')
            [CompletionResult]::new('--priority', '--priority', [CompletionResultType]::ParameterName, 'Read with SCHED_FIFO at this priority (1 to 49, or 99 with --allow-high-priority)')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable')
            [CompletionResult]::new('--export', '--export', [CompletionResultType]::ParameterName, 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour; auto: on a terminal, unless NO_COLOR is set')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Time for measuring, such as 500ms or 10s')
            [CompletionResult]::new('--cpu', '--cpu', [CompletionResultType]::ParameterName, 'Measure on this CPU instead of the quietest')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed for the random order of measurement. Default: a random one')
            [CompletionResult]::new('--allow', '--allow', [CompletionResultType]::ParameterName, 'Ignore these findings: ids (see chronoscope list faults) or levels (info, warning, error), separated by commas. Repeatable')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with 1 if there is one of these findings: ids, or a level, which includes those above it, separated by commas. Findings about the run count only if named by id. Repeatable')
            [CompletionResult]::new('--baseline', '--baseline', [CompletionResultType]::ParameterName, 'Compare with the report that was saved under this name')
            [CompletionResult]::new('--save-baseline', '--save-baseline', [CompletionResultType]::ParameterName, 'Save the report under this name, in the user''s data directory')
            [CompletionResult]::new('--preset', '--preset', [CompletionResultType]::ParameterName, 'Repeat a known experiment; other arguments and options change parts of it. chronoscope list presets has the command lines')
            [CompletionResult]::new('--peers', '--peers', [CompletionResultType]::ParameterName, 'Include the clocks of other libraries (in builds with --features peers)')
            [CompletionResult]::new('--allow-high-priority', '--allow-high-priority', [CompletionResultType]::ParameterName, 'Allow a --priority of 50 to 99, which the kernel''s interrupt threads cannot interrupt')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write the result as JSON to standard output')
            [CompletionResult]::new('--ascii', '--ascii', [CompletionResultType]::ParameterName, 'Draw with ASCII only, for terminals that cannot show UTF-8')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Show no progress and no warnings')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Show no progress and no warnings')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Show everything known, also the machine, the ruler and the noise of a run')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Show everything known, also the machine, the ruler and the noise of a run')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Replace the report that was saved under that name')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'chronoscope;waits' {
            [CompletionResult]::new('--preset', '--preset', [CompletionResultType]::ParameterName, 'A known set of waits (windows-waits), drawn as its own table. Other options change parts of it')
            [CompletionResult]::new('--wait', '--wait', [CompletionResultType]::ParameterName, 'Durations to wait for, such as 100us,10ms')
            [CompletionResult]::new('--count', '--count', [CompletionResultType]::ParameterName, 'Waits of each method and duration, such as 500 or 1e6')
            [CompletionResult]::new('--period', '--period', [CompletionResultType]::ParameterName, 'Wait for the deadlines of a fixed grid with this period instead, such as 10ms or 144Hz')
            [CompletionResult]::new('--work', '--work', [CompletionResultType]::ParameterName, 'With --period, compute for this long in each period, as a game or a control loop does')
            [CompletionResult]::new('--duration', '--duration', [CompletionResultType]::ParameterName, 'Time for each load, such as 10m or 2h')
            [CompletionResult]::new('--load', '--load', [CompletionResultType]::ParameterName, 'What runs alongside: none, low, low-nice, normal, high, io, memory, timers, print. Default: none; in an overview, none and normal')
            [CompletionResult]::new('--load-processes', '--load-processes', [CompletionResultType]::ParameterName, 'Processes of a load. Default: one per CPU')
            [CompletionResult]::new('--load-priority', '--load-priority', [CompletionResultType]::ParameterName, 'Run the high load with SCHED_FIFO at this priority (1 to 49) instead of its nice value')
            [CompletionResult]::new('--slack', '--slack', [CompletionResultType]::ParameterName, 'Timer slacks of the waiting thread (Linux): ''default'' or a duration')
            [CompletionResult]::new('--slice', '--slice', [CompletionResultType]::ParameterName, 'Slices that the waiting thread asks the scheduler for (Linux 6.12): ''default'' or a duration from 100us to 100ms')
            [CompletionResult]::new('--priority', '--priority', [CompletionResultType]::ParameterName, 'Run the waiting threads with SCHED_FIFO at this priority (Linux, 1 to 49, or 99 with --allow-high-priority), or at this class (Windows: normal, above, high, realtime)')
            [CompletionResult]::new('--policy', '--policy', [CompletionResultType]::ParameterName, 'Scheduling policies of the waiting threads, each with rows of its own (Linux): other, batch, idle, rr, fifo, deadline, ext. Those of real time take --priority, or 1')
            [CompletionResult]::new('--stop-above', '--stop-above', [CompletionResultType]::ParameterName, 'Stop at the first overshoot above this, and show what is known of that moment')
            [CompletionResult]::new('--checkpoint', '--checkpoint', [CompletionResultType]::ParameterName, 'Write the report to this file once per second, so that it survives whatever ends the run. It must not exist yet')
            [CompletionResult]::new('--resume', '--resume', [CompletionResultType]::ParameterName, 'Resume from this checkpoint with its original options, and keep it up to date')
            [CompletionResult]::new('--style', '--style', [CompletionResultType]::ParameterName, 'How the table is drawn')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable')
            [CompletionResult]::new('--export', '--export', [CompletionResultType]::ParameterName, 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour; auto: on a terminal, unless NO_COLOR is set')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Time for measuring, such as 500ms or 10s')
            [CompletionResult]::new('--cpu', '--cpu', [CompletionResultType]::ParameterName, 'Measure on this CPU instead of the quietest')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed for the random order of measurement. Default: a random one')
            [CompletionResult]::new('--allow', '--allow', [CompletionResultType]::ParameterName, 'Ignore these findings: ids (see chronoscope list faults) or levels (info, warning, error), separated by commas. Repeatable')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with 1 if there is one of these findings: ids, or a level, which includes those above it, separated by commas. Findings about the run count only if named by id. Repeatable')
            [CompletionResult]::new('--baseline', '--baseline', [CompletionResultType]::ParameterName, 'Compare with the report that was saved under this name')
            [CompletionResult]::new('--save-baseline', '--save-baseline', [CompletionResultType]::ParameterName, 'Save the report under this name, in the user''s data directory')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Measure every method of C, C++ and Rust, from 1 us to 100 ms, for a minute, and show the whole table')
            [CompletionResult]::new('--load-all-cpus', '--load-all-cpus', [CompletionResultType]::ParameterName, 'Let the high load take every CPU without a pause, so that nothing of a lower priority runs next to it (Windows)')
            [CompletionResult]::new('--all-cpus', '--all-cpus', [CompletionResultType]::ParameterName, 'Run a waiting thread on each CPU')
            [CompletionResult]::new('--allow-high-priority', '--allow-high-priority', [CompletionResultType]::ParameterName, 'Allow a --priority or --load-priority of 50 to 99, which the kernel''s interrupt threads cannot interrupt')
            [CompletionResult]::new('--keep-awake', '--keep-awake', [CompletionResultType]::ParameterName, 'Keep the CPUs out of deep idle states (/dev/cpu_dma_latency)')
            [CompletionResult]::new('--trace-marker', '--trace-marker', [CompletionResultType]::ParameterName, 'With --stop-above, write a mark into the kernel''s trace at that moment, and stop tracing (tracefs, as root)')
            [CompletionResult]::new('--why', '--why', [CompletionResultType]::ParameterName, 'Split each late wake-up into its causes, say who ran instead, and show the twenty worst')
            [CompletionResult]::new('--no-names', '--no-names', [CompletionResultType]::ParameterName, 'With --why, record no names of the tasks that ran instead')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write the result as JSON to standard output')
            [CompletionResult]::new('--ascii', '--ascii', [CompletionResultType]::ParameterName, 'Draw with ASCII only, for terminals that cannot show UTF-8')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Show no progress and no warnings')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Show no progress and no warnings')
            [CompletionResult]::new('--names', '--names', [CompletionResultType]::ParameterName, 'Keep the names of other users'' processes in JSON and all other files')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Show everything known, also the machine, the ruler and the noise of a run')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Show everything known, also the machine, the ruler and the noise of a run')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Replace the report that was saved under that name')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'chronoscope;runtimes' {
            [CompletionResult]::new('--runtime', '--runtime', [CompletionResultType]::ParameterName, 'Where a runtime is: its program, or the directory that holds it')
            [CompletionResult]::new('--with', '--with', [CompletionResultType]::ParameterName, 'Add the runtimes of another report')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable')
            [CompletionResult]::new('--export', '--export', [CompletionResultType]::ParameterName, 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour; auto: on a terminal, unless NO_COLOR is set')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Time for measuring, such as 500ms or 10s')
            [CompletionResult]::new('--cpu', '--cpu', [CompletionResultType]::ParameterName, 'Measure on this CPU instead of the quietest')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed for the random order of measurement. Default: a random one')
            [CompletionResult]::new('--allow', '--allow', [CompletionResultType]::ParameterName, 'Ignore these findings: ids (see chronoscope list faults) or levels (info, warning, error), separated by commas. Repeatable')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with 1 if there is one of these findings: ids, or a level, which includes those above it, separated by commas. Findings about the run count only if named by id. Repeatable')
            [CompletionResult]::new('--baseline', '--baseline', [CompletionResultType]::ParameterName, 'Compare with the report that was saved under this name')
            [CompletionResult]::new('--save-baseline', '--save-baseline', [CompletionResultType]::ParameterName, 'Save the report under this name, in the user''s data directory')
            [CompletionResult]::new('--preset', '--preset', [CompletionResultType]::ParameterName, 'Repeat a known experiment; other arguments and options change parts of it. chronoscope list presets has the command lines')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write the result as JSON to standard output')
            [CompletionResult]::new('--ascii', '--ascii', [CompletionResultType]::ParameterName, 'Draw with ASCII only, for terminals that cannot show UTF-8')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Show no progress and no warnings')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Show no progress and no warnings')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Show everything known, also the machine, the ruler and the noise of a run')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Show everything known, also the machine, the ruler and the noise of a run')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Replace the report that was saved under that name')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'chronoscope;trust' {
            [CompletionResult]::new('--duration', '--duration', [CompletionResultType]::ParameterName, 'How long to watch, such as 60s or 8h. Default: 10s')
            [CompletionResult]::new('--against', '--against', [CompletionResultType]::ParameterName, 'How far is the wall clock from these? ntp:HOST, http:HOST, rtc:/dev/rtc0, ptp:/dev/ptp0, vmclock, clockbound, chrony. Nothing is set, and only a HOST is asked over a network. Default: the first of this machine that answers')
            [CompletionResult]::new('--checkpoint', '--checkpoint', [CompletionResultType]::ParameterName, 'Write the report to this file once per second, so that it survives whatever ends the run. The file must not exist yet')
            [CompletionResult]::new('--resume', '--resume', [CompletionResultType]::ParameterName, 'Continue the run whose report or checkpoint this is, on the same boot of the machine, and keep it up to date. Default: for the time that was left, or as long again')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable')
            [CompletionResult]::new('--export', '--export', [CompletionResultType]::ParameterName, 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour; auto: on a terminal, unless NO_COLOR is set')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Time for measuring, such as 500ms or 10s')
            [CompletionResult]::new('--cpu', '--cpu', [CompletionResultType]::ParameterName, 'Measure on this CPU instead of the quietest')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed for the random order of measurement. Default: a random one')
            [CompletionResult]::new('--allow', '--allow', [CompletionResultType]::ParameterName, 'Ignore these findings: ids (see chronoscope list faults) or levels (info, warning, error), separated by commas. Repeatable')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with 1 if there is one of these findings: ids, or a level, which includes those above it, separated by commas. Findings about the run count only if named by id. Repeatable')
            [CompletionResult]::new('--baseline', '--baseline', [CompletionResultType]::ParameterName, 'Compare with the report that was saved under this name')
            [CompletionResult]::new('--save-baseline', '--save-baseline', [CompletionResultType]::ParameterName, 'Save the report under this name, in the user''s data directory')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write the result as JSON to standard output')
            [CompletionResult]::new('--ascii', '--ascii', [CompletionResultType]::ParameterName, 'Draw with ASCII only, for terminals that cannot show UTF-8')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Show no progress and no warnings')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Show no progress and no warnings')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Show everything known, also the machine, the ruler and the noise of a run')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Show everything known, also the machine, the ruler and the noise of a run')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Replace the report that was saved under that name')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'chronoscope;noise' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable')
            [CompletionResult]::new('--export', '--export', [CompletionResultType]::ParameterName, 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour; auto: on a terminal, unless NO_COLOR is set')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Time for measuring, such as 500ms or 10s')
            [CompletionResult]::new('--cpu', '--cpu', [CompletionResultType]::ParameterName, 'Measure on this CPU instead of the quietest')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed for the random order of measurement. Default: a random one')
            [CompletionResult]::new('--allow', '--allow', [CompletionResultType]::ParameterName, 'Ignore these findings: ids (see chronoscope list faults) or levels (info, warning, error), separated by commas. Repeatable')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with 1 if there is one of these findings: ids, or a level, which includes those above it, separated by commas. Findings about the run count only if named by id. Repeatable')
            [CompletionResult]::new('--baseline', '--baseline', [CompletionResultType]::ParameterName, 'Compare with the report that was saved under this name')
            [CompletionResult]::new('--save-baseline', '--save-baseline', [CompletionResultType]::ParameterName, 'Save the report under this name, in the user''s data directory')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write the result as JSON to standard output')
            [CompletionResult]::new('--ascii', '--ascii', [CompletionResultType]::ParameterName, 'Draw with ASCII only, for terminals that cannot show UTF-8')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Show no progress and no warnings')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Show no progress and no warnings')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Show everything known, also the machine, the ruler and the noise of a run')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Show everything known, also the machine, the ruler and the noise of a run')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Replace the report that was saved under that name')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'chronoscope;browser' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'The page; ''-'' is standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'The page; ''-'' is standard output')
            [CompletionResult]::new('--port', '--port', [CompletionResultType]::ParameterName, 'The port of 127.0.0.1 to serve on. Default: a free one')
            [CompletionResult]::new('--serve', '--serve', [CompletionResultType]::ParameterName, 'Serve the page on this machine instead, with the headers that isolate it: an isolated page has finer clocks and shared memory')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'chronoscope;watch' {
            [CompletionResult]::new('--period', '--period', [CompletionResultType]::ParameterName, 'The period of the deadlines that are waited for')
            [CompletionResult]::new('--load', '--load', [CompletionResultType]::ParameterName, 'What runs alongside at first: none, low, low-nice, normal, high, io, memory, timers, print')
            [CompletionResult]::new('--clock', '--clock', [CompletionResultType]::ParameterName, 'Also show how far apart successive reads of this clock are')
            [CompletionResult]::new('--cpu', '--cpu', [CompletionResultType]::ParameterName, 'Wait on this CPU instead of the last one')
            [CompletionResult]::new('--hindsight', '--hindsight', [CompletionResultType]::ParameterName, 'Keep this much of the past in memory, for --stop-above and the key s. Default: 60s')
            [CompletionResult]::new('--stop-above', '--stop-above', [CompletionResultType]::ParameterName, 'Stop at the first overshoot above this, and write the past to a file, in the current folder unless --record names another or the file')
            [CompletionResult]::new('--record', '--record', [CompletionResultType]::ParameterName, 'Record everything to this new file, which report, compare and --replay read')
            [CompletionResult]::new('--resume', '--resume', [CompletionResultType]::ParameterName, 'Go on with this recording after a gap, with its waits, period, CPU, clock and latest load')
            [CompletionResult]::new('--record-limit', '--record-limit', [CompletionResultType]::ParameterName, 'The largest size of a recording, such as 100MB or 1GiB')
            [CompletionResult]::new('--replay', '--replay', [CompletionResultType]::ParameterName, 'Show a recording instead')
            [CompletionResult]::new('--speed', '--speed', [CompletionResultType]::ParameterName, 'Replay this many times as fast as it happened, from 0.125 to 1024')
            [CompletionResult]::new('--go-on', '--go-on', [CompletionResultType]::ParameterName, 'Go on after that, and write a file at each further one')
            [CompletionResult]::new('--names', '--names', [CompletionResultType]::ParameterName, 'Also record the names of processes of other users that made waits late')
            [CompletionResult]::new('--no-names', '--no-names', [CompletionResultType]::ParameterName, 'Neither show nor record names of processes')
            [CompletionResult]::new('--ascii', '--ascii', [CompletionResultType]::ParameterName, 'Draw with ASCII only, for terminals that cannot show UTF-8')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'chronoscope;advise' {
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'The purpose; see chronoscope list purposes. Default: every purpose of clocks')
            [CompletionResult]::new('--wait', '--wait', [CompletionResultType]::ParameterName, 'A duration to wait for, such as 1ms. Implies --for wait')
            [CompletionResult]::new('--every', '--every', [CompletionResultType]::ParameterName, 'The period of a loop, such as 144Hz or 10ms: code that keeps it. Implies --for wait')
            [CompletionResult]::new('--work', '--work', [CompletionResultType]::ParameterName, 'With --every, how long the loop computes in each period')
            [CompletionResult]::new('--goal', '--goal', [CompletionResultType]::ParameterName, 'What a wait should have least of: overshoot, CPU time, or overshoot under load. Default: each of them, and code for a wait that wastes no CPU time. Implies --for wait')
            [CompletionResult]::new('--language', '--language', [CompletionResultType]::ParameterName, 'The language of the code, or all. Default: that of CHRONOSCOPE_LANGUAGE, or C')
            [CompletionResult]::new('--from', '--from', [CompletionResultType]::ParameterName, 'Advise from an existing report instead of measuring')
            [CompletionResult]::new('--on', '--on', [CompletionResultType]::ParameterName, 'Advise for another system, from a report that the tool holds: not measured on your machine')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable')
            [CompletionResult]::new('--export', '--export', [CompletionResultType]::ParameterName, 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour; auto: on a terminal, unless NO_COLOR is set')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Time for measuring, such as 500ms or 10s')
            [CompletionResult]::new('--cpu', '--cpu', [CompletionResultType]::ParameterName, 'Measure on this CPU instead of the quietest')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed for the random order of measurement. Default: a random one')
            [CompletionResult]::new('--allow', '--allow', [CompletionResultType]::ParameterName, 'Ignore these findings: ids (see chronoscope list faults) or levels (info, warning, error), separated by commas. Repeatable')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with 1 if there is one of these findings: ids, or a level, which includes those above it, separated by commas. Findings about the run count only if named by id. Repeatable')
            [CompletionResult]::new('--baseline', '--baseline', [CompletionResultType]::ParameterName, 'Compare with the report that was saved under this name')
            [CompletionResult]::new('--save-baseline', '--save-baseline', [CompletionResultType]::ParameterName, 'Save the report under this name, in the user''s data directory')
            [CompletionResult]::new('--runtimes', '--runtimes', [CompletionResultType]::ParameterName, 'Measure every runtime of that language that is here. Default: the most usual one')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write the result as JSON to standard output')
            [CompletionResult]::new('--ascii', '--ascii', [CompletionResultType]::ParameterName, 'Draw with ASCII only, for terminals that cannot show UTF-8')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Show no progress and no warnings')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Show no progress and no warnings')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Show everything known, also the machine, the ruler and the noise of a run')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Show everything known, also the machine, the ruler and the noise of a run')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Replace the report that was saved under that name')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'chronoscope;doctor' {
            [CompletionResult]::new('--record', '--record', [CompletionResultType]::ParameterName, 'Also write the facts and figures to this new folder, without anything private')
            [CompletionResult]::new('--facts', '--facts', [CompletionResultType]::ParameterName, 'Diagnose the machine that such a folder, a stored report or a text describes')
            [CompletionResult]::new('--pid', '--pid', [CompletionResultType]::ParameterName, 'What affects another process: its timer slack, libraries that replace clocks, its quota and its time namespace. Nothing is measured')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable')
            [CompletionResult]::new('--export', '--export', [CompletionResultType]::ParameterName, 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour; auto: on a terminal, unless NO_COLOR is set')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Time for measuring, such as 500ms or 10s')
            [CompletionResult]::new('--cpu', '--cpu', [CompletionResultType]::ParameterName, 'Measure on this CPU instead of the quietest')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed for the random order of measurement. Default: a random one')
            [CompletionResult]::new('--allow', '--allow', [CompletionResultType]::ParameterName, 'Ignore these findings: ids (see chronoscope list faults) or levels (info, warning, error), separated by commas. Repeatable')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with 1 if there is one of these findings: ids, or a level, which includes those above it, separated by commas. Findings about the run count only if named by id. Repeatable')
            [CompletionResult]::new('--baseline', '--baseline', [CompletionResultType]::ParameterName, 'Compare with the report that was saved under this name')
            [CompletionResult]::new('--save-baseline', '--save-baseline', [CompletionResultType]::ParameterName, 'Save the report under this name, in the user''s data directory')
            [CompletionResult]::new('--quick', '--quick', [CompletionResultType]::ParameterName, 'Only facts and the cost of the system''s clock, in less than 0.2 s and 20 ms of CPU time')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write the result as JSON to standard output')
            [CompletionResult]::new('--ascii', '--ascii', [CompletionResultType]::ParameterName, 'Draw with ASCII only, for terminals that cannot show UTF-8')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Show no progress and no warnings')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Show no progress and no warnings')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Show everything known, also the machine, the ruler and the noise of a run')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Show everything known, also the machine, the ruler and the noise of a run')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Replace the report that was saved under that name')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'chronoscope;explain' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable')
            [CompletionResult]::new('--export', '--export', [CompletionResultType]::ParameterName, 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour; auto: on a terminal, unless NO_COLOR is set')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write the result as JSON to standard output')
            [CompletionResult]::new('--ascii', '--ascii', [CompletionResultType]::ParameterName, 'Draw with ASCII only, for terminals that cannot show UTF-8')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Show no progress and no warnings')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Show no progress and no warnings')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'chronoscope;list' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable')
            [CompletionResult]::new('--export', '--export', [CompletionResultType]::ParameterName, 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour; auto: on a terminal, unless NO_COLOR is set')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write the result as JSON to standard output')
            [CompletionResult]::new('--ascii', '--ascii', [CompletionResultType]::ParameterName, 'Draw with ASCII only, for terminals that cannot show UTF-8')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Show no progress and no warnings')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Show no progress and no warnings')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Show everything known, also the machine, the ruler and the noise of a run')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Show everything known, also the machine, the ruler and the noise of a run')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'chronoscope;report' {
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'A screen or a format to show it in. Default: the screen that the run showed')
            [CompletionResult]::new('--with', '--with', [CompletionResultType]::ParameterName, 'Add the runtimes of other reports, for example of other machines')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable')
            [CompletionResult]::new('--export', '--export', [CompletionResultType]::ParameterName, 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour; auto: on a terminal, unless NO_COLOR is set')
            [CompletionResult]::new('--allow', '--allow', [CompletionResultType]::ParameterName, 'Ignore these findings: ids (see chronoscope list faults) or levels (info, warning, error), separated by commas. Repeatable')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with 1 if there is one of these findings: ids, or a level, which includes those above it, separated by commas. Findings about the run count only if named by id. Repeatable')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write the result as JSON to standard output')
            [CompletionResult]::new('--ascii', '--ascii', [CompletionResultType]::ParameterName, 'Draw with ASCII only, for terminals that cannot show UTF-8')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Show no progress and no warnings')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Show no progress and no warnings')
            [CompletionResult]::new('--names', '--names', [CompletionResultType]::ParameterName, 'Keep the names of other users'' processes in JSON and all other files')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Show everything known, also the machine, the ruler and the noise of a run')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Show everything known, also the machine, the ruler and the noise of a run')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'chronoscope;compare' {
            [CompletionResult]::new('--run', '--run', [CompletionResultType]::ParameterName, 'A command: this tool''s such as ''waits rust'', settings of it such as ''--slack 1ns'', or any other. Give two: they take turns, and their reports are compared, or else the time that they take. Words before the command may set variables: ''LD_PRELOAD=./x.so chronoscope''. There is no shell')
            [CompletionResult]::new('--pairs', '--pairs', [CompletionResultType]::ParameterName, 'How many pairs of runs are made, 6 to 100. Default: 8; for commands that print no report, as many as take 10 s, at least 8')
            [CompletionResult]::new('--metric', '--metric', [CompletionResultType]::ParameterName, 'Compare figures that the commands print: those of criterion, go, google-benchmark, hyperfine, jmh or pytest-benchmark; a path of JSON such as ''$.results[0].median''; or what the first group of a regular expression matches, such as ''took (.*)''. A group ''name'' names the figure')
            [CompletionResult]::new('--metric-file', '--metric-file', [CompletionResultType]::ParameterName, 'Read the figures of --metric from this file, which both commands write')
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'End a run that takes longer than this')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed for the random order of the runs, or for the test of sets. Default: a random one')
            [CompletionResult]::new('--history', '--history', [CompletionResultType]::ParameterName, 'Compare with the earlier reports of this folder, of the same machine and configuration; without a report, show when each figure changed there')
            [CompletionResult]::new('--threshold', '--threshold', [CompletionResultType]::ParameterName, 'Exit with 1 if a row is worse by more than this, such as 5%')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable')
            [CompletionResult]::new('--export', '--export', [CompletionResultType]::ParameterName, 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour; auto: on a terminal, unless NO_COLOR is set')
            [CompletionResult]::new('--baseline', '--baseline', [CompletionResultType]::ParameterName, 'Compare with the report that was saved under this name')
            [CompletionResult]::new('--save-baseline', '--save-baseline', [CompletionResultType]::ParameterName, 'Save the report under this name, in the user''s data directory')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write the result as JSON to standard output')
            [CompletionResult]::new('--ascii', '--ascii', [CompletionResultType]::ParameterName, 'Draw with ASCII only, for terminals that cannot show UTF-8')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Show no progress and no warnings')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Show no progress and no warnings')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Show everything known, also the machine, the ruler and the noise of a run')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Show everything known, also the machine, the ruler and the noise of a run')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Replace the report that was saved under that name')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'chronoscope;deltas' {
            [CompletionResult]::new('--reads', '--reads', [CompletionResultType]::ParameterName, 'How many reads to make, such as 10M; with --budget, as many of them as fit')
            [CompletionResult]::new('--load', '--load', [CompletionResultType]::ParameterName, 'Measure again under each of these loads: low, low-nice, normal, high, io, memory, timers, print')
            [CompletionResult]::new('--load-processes', '--load-processes', [CompletionResultType]::ParameterName, 'Processes of a load. Default: one per CPU')
            [CompletionResult]::new('--priority', '--priority', [CompletionResultType]::ParameterName, 'Read with SCHED_FIFO at this priority (1 to 49, or 99 with --allow-high-priority)')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable')
            [CompletionResult]::new('--export', '--export', [CompletionResultType]::ParameterName, 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour; auto: on a terminal, unless NO_COLOR is set')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Time for measuring, such as 500ms or 10s')
            [CompletionResult]::new('--cpu', '--cpu', [CompletionResultType]::ParameterName, 'Measure on this CPU instead of the quietest')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed for the random order of measurement. Default: a random one')
            [CompletionResult]::new('--allow', '--allow', [CompletionResultType]::ParameterName, 'Ignore these findings: ids (see chronoscope list faults) or levels (info, warning, error), separated by commas. Repeatable')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with 1 if there is one of these findings: ids, or a level, which includes those above it, separated by commas. Findings about the run count only if named by id. Repeatable')
            [CompletionResult]::new('--baseline', '--baseline', [CompletionResultType]::ParameterName, 'Compare with the report that was saved under this name')
            [CompletionResult]::new('--save-baseline', '--save-baseline', [CompletionResultType]::ParameterName, 'Save the report under this name, in the user''s data directory')
            [CompletionResult]::new('--allow-high-priority', '--allow-high-priority', [CompletionResultType]::ParameterName, 'Allow a --priority of 50 to 99, which the kernel''s interrupt threads cannot interrupt')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write the result as JSON to standard output')
            [CompletionResult]::new('--ascii', '--ascii', [CompletionResultType]::ParameterName, 'Draw with ASCII only, for terminals that cannot show UTF-8')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Show no progress and no warnings')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Show no progress and no warnings')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Show everything known, also the machine, the ruler and the noise of a run')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Show everything known, also the machine, the ruler and the noise of a run')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Replace the report that was saved under that name')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'chronoscope;calls' {
            [CompletionResult]::new('--load', '--load', [CompletionResultType]::ParameterName, 'Measure again under each of these loads: low, low-nice, normal, high, io, memory, timers, print')
            [CompletionResult]::new('--load-processes', '--load-processes', [CompletionResultType]::ParameterName, 'Processes of a load. Default: one per CPU')
            [CompletionResult]::new('--priority', '--priority', [CompletionResultType]::ParameterName, 'Read with SCHED_FIFO at this priority (1 to 49, or 99 with --allow-high-priority)')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable')
            [CompletionResult]::new('--export', '--export', [CompletionResultType]::ParameterName, 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour; auto: on a terminal, unless NO_COLOR is set')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Time for measuring, such as 500ms or 10s')
            [CompletionResult]::new('--cpu', '--cpu', [CompletionResultType]::ParameterName, 'Measure on this CPU instead of the quietest')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed for the random order of measurement. Default: a random one')
            [CompletionResult]::new('--allow', '--allow', [CompletionResultType]::ParameterName, 'Ignore these findings: ids (see chronoscope list faults) or levels (info, warning, error), separated by commas. Repeatable')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with 1 if there is one of these findings: ids, or a level, which includes those above it, separated by commas. Findings about the run count only if named by id. Repeatable')
            [CompletionResult]::new('--baseline', '--baseline', [CompletionResultType]::ParameterName, 'Compare with the report that was saved under this name')
            [CompletionResult]::new('--save-baseline', '--save-baseline', [CompletionResultType]::ParameterName, 'Save the report under this name, in the user''s data directory')
            [CompletionResult]::new('--preset', '--preset', [CompletionResultType]::ParameterName, 'Repeat a known experiment; other arguments and options change parts of it. chronoscope list presets has the command lines')
            [CompletionResult]::new('--allow-high-priority', '--allow-high-priority', [CompletionResultType]::ParameterName, 'Allow a --priority of 50 to 99, which the kernel''s interrupt threads cannot interrupt')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write the result as JSON to standard output')
            [CompletionResult]::new('--ascii', '--ascii', [CompletionResultType]::ParameterName, 'Draw with ASCII only, for terminals that cannot show UTF-8')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Show no progress and no warnings')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Show no progress and no warnings')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Show everything known, also the machine, the ruler and the noise of a run')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Show everything known, also the machine, the ruler and the noise of a run')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Replace the report that was saved under that name')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'chronoscope;overhead' {
            [CompletionResult]::new('--load', '--load', [CompletionResultType]::ParameterName, 'Measure again under each of these loads: low, low-nice, normal, high, io, memory, timers, print')
            [CompletionResult]::new('--load-processes', '--load-processes', [CompletionResultType]::ParameterName, 'Processes of a load. Default: one per CPU')
            [CompletionResult]::new('--priority', '--priority', [CompletionResultType]::ParameterName, 'Read with SCHED_FIFO at this priority (1 to 49, or 99 with --allow-high-priority)')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable')
            [CompletionResult]::new('--export', '--export', [CompletionResultType]::ParameterName, 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour; auto: on a terminal, unless NO_COLOR is set')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Time for measuring, such as 500ms or 10s')
            [CompletionResult]::new('--cpu', '--cpu', [CompletionResultType]::ParameterName, 'Measure on this CPU instead of the quietest')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed for the random order of measurement. Default: a random one')
            [CompletionResult]::new('--allow', '--allow', [CompletionResultType]::ParameterName, 'Ignore these findings: ids (see chronoscope list faults) or levels (info, warning, error), separated by commas. Repeatable')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with 1 if there is one of these findings: ids, or a level, which includes those above it, separated by commas. Findings about the run count only if named by id. Repeatable')
            [CompletionResult]::new('--baseline', '--baseline', [CompletionResultType]::ParameterName, 'Compare with the report that was saved under this name')
            [CompletionResult]::new('--save-baseline', '--save-baseline', [CompletionResultType]::ParameterName, 'Save the report under this name, in the user''s data directory')
            [CompletionResult]::new('--preset', '--preset', [CompletionResultType]::ParameterName, 'Repeat a known experiment; other arguments and options change parts of it. chronoscope list presets has the command lines')
            [CompletionResult]::new('--allow-high-priority', '--allow-high-priority', [CompletionResultType]::ParameterName, 'Allow a --priority of 50 to 99, which the kernel''s interrupt threads cannot interrupt')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write the result as JSON to standard output')
            [CompletionResult]::new('--ascii', '--ascii', [CompletionResultType]::ParameterName, 'Draw with ASCII only, for terminals that cannot show UTF-8')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Show no progress and no warnings')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Show no progress and no warnings')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Show everything known, also the machine, the ruler and the noise of a run')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Show everything known, also the machine, the ruler and the noise of a run')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Replace the report that was saved under that name')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'chronoscope;sweep' {
            [CompletionResult]::new('--runtimes', '--runtimes', [CompletionResultType]::ParameterName, 'Also measure language runtimes under every clock source: these, or all. That takes about 30 s per source')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable')
            [CompletionResult]::new('--export', '--export', [CompletionResultType]::ParameterName, 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour; auto: on a terminal, unless NO_COLOR is set')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Time for measuring, such as 500ms or 10s')
            [CompletionResult]::new('--cpu', '--cpu', [CompletionResultType]::ParameterName, 'Measure on this CPU instead of the quietest')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed for the random order of measurement. Default: a random one')
            [CompletionResult]::new('--allow', '--allow', [CompletionResultType]::ParameterName, 'Ignore these findings: ids (see chronoscope list faults) or levels (info, warning, error), separated by commas. Repeatable')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with 1 if there is one of these findings: ids, or a level, which includes those above it, separated by commas. Findings about the run count only if named by id. Repeatable')
            [CompletionResult]::new('--baseline', '--baseline', [CompletionResultType]::ParameterName, 'Compare with the report that was saved under this name')
            [CompletionResult]::new('--save-baseline', '--save-baseline', [CompletionResultType]::ParameterName, 'Save the report under this name, in the user''s data directory')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write the result as JSON to standard output')
            [CompletionResult]::new('--ascii', '--ascii', [CompletionResultType]::ParameterName, 'Draw with ASCII only, for terminals that cannot show UTF-8')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Show no progress and no warnings')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Show no progress and no warnings')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Show everything known, also the machine, the ruler and the noise of a run')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Show everything known, also the machine, the ruler and the noise of a run')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Replace the report that was saved under that name')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'chronoscope;hardware' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable')
            [CompletionResult]::new('--export', '--export', [CompletionResultType]::ParameterName, 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour; auto: on a terminal, unless NO_COLOR is set')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Time for measuring, such as 500ms or 10s')
            [CompletionResult]::new('--cpu', '--cpu', [CompletionResultType]::ParameterName, 'Measure on this CPU instead of the quietest')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed for the random order of measurement. Default: a random one')
            [CompletionResult]::new('--allow', '--allow', [CompletionResultType]::ParameterName, 'Ignore these findings: ids (see chronoscope list faults) or levels (info, warning, error), separated by commas. Repeatable')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with 1 if there is one of these findings: ids, or a level, which includes those above it, separated by commas. Findings about the run count only if named by id. Repeatable')
            [CompletionResult]::new('--baseline', '--baseline', [CompletionResultType]::ParameterName, 'Compare with the report that was saved under this name')
            [CompletionResult]::new('--save-baseline', '--save-baseline', [CompletionResultType]::ParameterName, 'Save the report under this name, in the user''s data directory')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write the result as JSON to standard output')
            [CompletionResult]::new('--ascii', '--ascii', [CompletionResultType]::ParameterName, 'Draw with ASCII only, for terminals that cannot show UTF-8')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Show no progress and no warnings')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Show no progress and no warnings')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Show everything known, also the machine, the ruler and the noise of a run')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Show everything known, also the machine, the ruler and the noise of a run')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Replace the report that was saved under that name')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'chronoscope;demo' {
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'For how long. Default: 1s')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable')
            [CompletionResult]::new('--export', '--export', [CompletionResultType]::ParameterName, 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour; auto: on a terminal, unless NO_COLOR is set')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write the result as JSON to standard output')
            [CompletionResult]::new('--ascii', '--ascii', [CompletionResultType]::ParameterName, 'Draw with ASCII only, for terminals that cannot show UTF-8')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Show no progress and no warnings')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Show no progress and no warnings')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'chronoscope;serve' {
            [CompletionResult]::new('--listen', '--listen', [CompletionResultType]::ParameterName, 'The IP address and the port to listen on. Port 0 is a free one; standard error says which')
            [CompletionResult]::new('--cpu-budget', '--cpu-budget', [CompletionResultType]::ParameterName, 'The share of one CPU that measuring may take: 0.5% or 0.005')
            [CompletionResult]::new('--against', '--against', [CompletionResultType]::ParameterName, 'Ask these clocks all the time how far the wall clock is off, as trust --against does: ntp:HOST, http:HOST, vmclock, ptp:/dev/ptp0, chrony, rtc. An NTP server gets one request in 16 s, after a few at the start')
            [CompletionResult]::new('--time', '--time', [CompletionResultType]::ParameterName, 'Also answer other chronoscopes that ask for the time (trust --against ntp:HOST:PORT), on 127.0.0.1:10123 without an address')
            [CompletionResult]::new('--report', '--report', [CompletionResultType]::ParameterName, 'Also answer /report with the last report, as JSON')
            [CompletionResult]::new('--start-now', '--start-now', [CompletionResultType]::ParameterName, 'Begin to measure at once. By default it begins within five minutes, at a time that differs from machine to machine, so that the guests of a host do not all measure together')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'chronoscope;generate' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('fleet', 'fleet', [CompletionResultType]::ParameterValue, 'Units, manifest, alerts, dashboard and SQL for a fleet, into a folder, which is made if it does not exist')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Completions for a shell, to standard output')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Man pages of all commands, into an existing folder')
            [CompletionResult]::new('schema', 'schema', [CompletionResultType]::ParameterValue, 'The JSON Schema of a document, to standard output')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'chronoscope;generate;fleet' {
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Overwrite files that differ')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'chronoscope;generate;completions' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'chronoscope;generate;man' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'chronoscope;generate;schema' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'chronoscope;generate;help' {
            [CompletionResult]::new('fleet', 'fleet', [CompletionResultType]::ParameterValue, 'Units, manifest, alerts, dashboard and SQL for a fleet, into a folder, which is made if it does not exist')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Completions for a shell, to standard output')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Man pages of all commands, into an existing folder')
            [CompletionResult]::new('schema', 'schema', [CompletionResultType]::ParameterValue, 'The JSON Schema of a document, to standard output')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'chronoscope;generate;help;fleet' {
            break
        }
        'chronoscope;generate;help;completions' {
            break
        }
        'chronoscope;generate;help;man' {
            break
        }
        'chronoscope;generate;help;schema' {
            break
        }
        'chronoscope;generate;help;help' {
            break
        }
        'chronoscope;help' {
            [CompletionResult]::new('clocks', 'clocks', [CompletionResultType]::ParameterValue, 'What does each clock cost, and what is its resolution?')
            [CompletionResult]::new('waits', 'waits', [CompletionResultType]::ParameterValue, 'How precisely can I wait here?')
            [CompletionResult]::new('runtimes', 'runtimes', [CompletionResultType]::ParameterValue, 'What do my language''s clocks cost on this machine, compared with C?')
            [CompletionResult]::new('trust', 'trust', [CompletionResultType]::ParameterValue, 'Does a clock go backwards, agree between CPUs, and keep its rate?')
            [CompletionResult]::new('noise', 'noise', [CompletionResultType]::ParameterValue, 'Is this machine fit to measure on, and what makes samples vary?')
            [CompletionResult]::new('browser', 'browser', [CompletionResultType]::ParameterValue, 'Write a page that measures the browser that opens it')
            [CompletionResult]::new('watch', 'watch', [CompletionResultType]::ParameterValue, 'Watch how late waits end, and why: a live view in the terminal')
            [CompletionResult]::new('advise', 'advise', [CompletionResultType]::ParameterValue, 'Which clock or wait should I use, and what is the code?')
            [CompletionResult]::new('doctor', 'doctor', [CompletionResultType]::ParameterValue, 'What is wrong with time here, on what evidence, and what is the fix?')
            [CompletionResult]::new('explain', 'explain', [CompletionResultType]::ParameterValue, 'Explain a clock, wait, runtime, finding, function, term or column')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List what is supported here, and why the rest is not')
            [CompletionResult]::new('report', 'report', [CompletionResultType]::ParameterValue, 'Show a stored report on any screen and in any format')
            [CompletionResult]::new('compare', 'compare', [CompletionResultType]::ParameterValue, 'Show what changed between reports, and by how much')
            [CompletionResult]::new('deltas', 'deltas', [CompletionResultType]::ParameterValue, 'How far apart are two successive reads of a clock?')
            [CompletionResult]::new('calls', 'calls', [CompletionResultType]::ParameterValue, 'The mean of a million calls, the mean of ten, and a single call, in three passes')
            [CompletionResult]::new('overhead', 'overhead', [CompletionResultType]::ParameterValue, 'What does timing add to my loop?')
            [CompletionResult]::new('sweep', 'sweep', [CompletionResultType]::ParameterValue, 'What do clocks cost under every clock source of the kernel?')
            [CompletionResult]::new('hardware', 'hardware', [CompletionResultType]::ParameterValue, 'Which timers, which clock source of the kernel, which hypervisor?')
            [CompletionResult]::new('demo', 'demo', [CompletionResultType]::ParameterValue, 'Show what goes wrong when time is measured carelessly')
            [CompletionResult]::new('serve', 'serve', [CompletionResultType]::ParameterValue, 'Serve metrics to Prometheus, measured within a budget of CPU time')
            [CompletionResult]::new('generate', 'generate', [CompletionResultType]::ParameterValue, 'Write files for a fleet, completions, man pages or the JSON Schema')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'chronoscope;help;clocks' {
            break
        }
        'chronoscope;help;waits' {
            break
        }
        'chronoscope;help;runtimes' {
            break
        }
        'chronoscope;help;trust' {
            break
        }
        'chronoscope;help;noise' {
            break
        }
        'chronoscope;help;browser' {
            break
        }
        'chronoscope;help;watch' {
            break
        }
        'chronoscope;help;advise' {
            break
        }
        'chronoscope;help;doctor' {
            break
        }
        'chronoscope;help;explain' {
            break
        }
        'chronoscope;help;list' {
            break
        }
        'chronoscope;help;report' {
            break
        }
        'chronoscope;help;compare' {
            break
        }
        'chronoscope;help;deltas' {
            break
        }
        'chronoscope;help;calls' {
            break
        }
        'chronoscope;help;overhead' {
            break
        }
        'chronoscope;help;sweep' {
            break
        }
        'chronoscope;help;hardware' {
            break
        }
        'chronoscope;help;demo' {
            break
        }
        'chronoscope;help;serve' {
            break
        }
        'chronoscope;help;generate' {
            [CompletionResult]::new('fleet', 'fleet', [CompletionResultType]::ParameterValue, 'Units, manifest, alerts, dashboard and SQL for a fleet, into a folder, which is made if it does not exist')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Completions for a shell, to standard output')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Man pages of all commands, into an existing folder')
            [CompletionResult]::new('schema', 'schema', [CompletionResultType]::ParameterValue, 'The JSON Schema of a document, to standard output')
            break
        }
        'chronoscope;help;generate;fleet' {
            break
        }
        'chronoscope;help;generate;completions' {
            break
        }
        'chronoscope;help;generate;man' {
            break
        }
        'chronoscope;help;generate;schema' {
            break
        }
        'chronoscope;help;help' {
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
