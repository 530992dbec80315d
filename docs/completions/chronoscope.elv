
use builtin;
use str;

set edit:completion:arg-completer[chronoscope] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'chronoscope'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'chronoscope'= {
            cand --only 'Measure only these clocks: ids, prefixes or globs, separated by commas'
            cand -o 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable'
            cand --export 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable'
            cand --color 'When to use colour; auto: on a terminal, unless NO_COLOR is set'
            cand --budget 'Time for measuring, such as 500ms or 10s'
            cand --cpu 'Measure on this CPU instead of the quietest'
            cand --seed 'Seed for the random order of measurement. Default: a random one'
            cand --allow 'Ignore these findings: ids (see chronoscope list faults) or levels (info, warning, error), separated by commas. Repeatable'
            cand --fail-on 'Exit with 1 if there is one of these findings: ids, or a level, which includes those above it, separated by commas. Findings about the run count only if named by id. Repeatable'
            cand --baseline 'Compare with the report that was saved under this name'
            cand --save-baseline 'Save the report under this name, in the user''s data directory'
            cand --preset 'Repeat a known experiment; other arguments and options change parts of it. chronoscope list presets has the command lines'
            cand --all 'Measure all clocks, in 12 s, instead of those that programs commonly read and that advice needs'
            cand --no-waits 'Measure no waits'
            cand --brief 'Show two lines to paste into a bug report, after 2 s'
            cand --json 'Write the result as JSON to standard output'
            cand --ascii 'Draw with ASCII only, for terminals that cannot show UTF-8'
            cand -q 'Show no progress and no warnings'
            cand --quiet 'Show no progress and no warnings'
            cand -v 'Show everything known, also the machine, the ruler and the noise of a run'
            cand --verbose 'Show everything known, also the machine, the ruler and the noise of a run'
            cand --force 'Replace the report that was saved under that name'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand clocks 'What does each clock cost, and what is its resolution?'
            cand waits 'How precisely can I wait here?'
            cand runtimes 'What do my language''s clocks cost on this machine, compared with C?'
            cand trust 'Does a clock go backwards, agree between CPUs, and keep its rate?'
            cand noise 'Is this machine fit to measure on, and what makes samples vary?'
            cand browser 'Write a page that measures the browser that opens it'
            cand watch 'Watch how late waits end, and why: a live view in the terminal'
            cand advise 'Which clock or wait should I use, and what is the code?'
            cand doctor 'What is wrong with time here, on what evidence, and what is the fix?'
            cand explain 'Explain a clock, wait, runtime, finding, function, term or column'
            cand list 'List what is supported here, and why the rest is not'
            cand report 'Show a stored report on any screen and in any format'
            cand compare 'Show what changed between reports, and by how much'
            cand deltas 'How far apart are two successive reads of a clock?'
            cand calls 'The mean of a million calls, the mean of ten, and a single call, in three passes'
            cand overhead 'What does timing add to my loop?'
            cand sweep 'What do clocks cost under every clock source of the kernel?'
            cand hardware 'Which timers, which clock source of the kernel, which hypervisor?'
            cand demo 'Show what goes wrong when time is measured carelessly'
            cand serve 'Serve metrics to Prometheus, measured within a budget of CPU time'
            cand generate 'Write files for a fleet, completions, man pages or the JSON Schema'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'chronoscope;clocks'= {
            cand --calls 'Actually make N calls of each clock, such as 10M, and show how long they took'
            cand --load 'Measure again under each of these loads: low, low-nice, normal, high, io, memory, timers, print'
            cand --load-processes 'Processes of a load. Default: one per CPU'
            cand --priority 'Read with SCHED_FIFO at this priority (1 to 49, or 99 with --allow-high-priority)'
            cand -o 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable'
            cand --export 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable'
            cand --color 'When to use colour; auto: on a terminal, unless NO_COLOR is set'
            cand --budget 'Time for measuring, such as 500ms or 10s'
            cand --cpu 'Measure on this CPU instead of the quietest'
            cand --seed 'Seed for the random order of measurement. Default: a random one'
            cand --allow 'Ignore these findings: ids (see chronoscope list faults) or levels (info, warning, error), separated by commas. Repeatable'
            cand --fail-on 'Exit with 1 if there is one of these findings: ids, or a level, which includes those above it, separated by commas. Findings about the run count only if named by id. Repeatable'
            cand --baseline 'Compare with the report that was saved under this name'
            cand --save-baseline 'Save the report under this name, in the user''s data directory'
            cand --preset 'Repeat a known experiment; other arguments and options change parts of it. chronoscope list presets has the command lines'
            cand --peers 'Include the clocks of other libraries (in builds with --features peers)'
            cand --allow-high-priority 'Allow a --priority of 50 to 99, which the kernel''s interrupt threads cannot interrupt'
            cand --json 'Write the result as JSON to standard output'
            cand --ascii 'Draw with ASCII only, for terminals that cannot show UTF-8'
            cand -q 'Show no progress and no warnings'
            cand --quiet 'Show no progress and no warnings'
            cand -v 'Show everything known, also the machine, the ruler and the noise of a run'
            cand --verbose 'Show everything known, also the machine, the ruler and the noise of a run'
            cand --force 'Replace the report that was saved under that name'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'chronoscope;waits'= {
            cand --preset 'A known set of waits (windows-waits), drawn as its own table. Other options change parts of it'
            cand --wait 'Durations to wait for, such as 100us,10ms'
            cand --count 'Waits of each method and duration, such as 500 or 1e6'
            cand --period 'Wait for the deadlines of a fixed grid with this period instead, such as 10ms or 144Hz'
            cand --work 'With --period, compute for this long in each period, as a game or a control loop does'
            cand --duration 'Time for each load, such as 10m or 2h'
            cand --load 'What runs alongside: none, low, low-nice, normal, high, io, memory, timers, print. Default: none; in an overview, none and normal'
            cand --load-processes 'Processes of a load. Default: one per CPU'
            cand --load-priority 'Run the high load with SCHED_FIFO at this priority (1 to 49) instead of its nice value'
            cand --slack 'Timer slacks of the waiting thread (Linux): ''default'' or a duration'
            cand --slice 'Slices that the waiting thread asks the scheduler for (Linux 6.12): ''default'' or a duration from 100us to 100ms'
            cand --priority 'Run the waiting threads with SCHED_FIFO at this priority (Linux, 1 to 49, or 99 with --allow-high-priority), or at this class (Windows: normal, above, high, realtime)'
            cand --policy 'Scheduling policies of the waiting threads, each with rows of its own (Linux): other, batch, idle, rr, fifo, deadline, ext. Those of real time take --priority, or 1'
            cand --stop-above 'Stop at the first overshoot above this, and show what is known of that moment'
            cand --checkpoint 'Write the report to this file once per second, so that it survives whatever ends the run. It must not exist yet'
            cand --resume 'Resume from this checkpoint with its original options, and keep it up to date'
            cand --style 'How the table is drawn'
            cand -o 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable'
            cand --export 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable'
            cand --color 'When to use colour; auto: on a terminal, unless NO_COLOR is set'
            cand --budget 'Time for measuring, such as 500ms or 10s'
            cand --cpu 'Measure on this CPU instead of the quietest'
            cand --seed 'Seed for the random order of measurement. Default: a random one'
            cand --allow 'Ignore these findings: ids (see chronoscope list faults) or levels (info, warning, error), separated by commas. Repeatable'
            cand --fail-on 'Exit with 1 if there is one of these findings: ids, or a level, which includes those above it, separated by commas. Findings about the run count only if named by id. Repeatable'
            cand --baseline 'Compare with the report that was saved under this name'
            cand --save-baseline 'Save the report under this name, in the user''s data directory'
            cand --all 'Measure every method of C, C++ and Rust, from 1 us to 100 ms, for a minute, and show the whole table'
            cand --load-all-cpus 'Let the high load take every CPU without a pause, so that nothing of a lower priority runs next to it (Windows)'
            cand --all-cpus 'Run a waiting thread on each CPU'
            cand --allow-high-priority 'Allow a --priority or --load-priority of 50 to 99, which the kernel''s interrupt threads cannot interrupt'
            cand --keep-awake 'Keep the CPUs out of deep idle states (/dev/cpu_dma_latency)'
            cand --trace-marker 'With --stop-above, write a mark into the kernel''s trace at that moment, and stop tracing (tracefs, as root)'
            cand --why 'Split each late wake-up into its causes, say who ran instead, and show the twenty worst'
            cand --no-names 'With --why, record no names of the tasks that ran instead'
            cand --json 'Write the result as JSON to standard output'
            cand --ascii 'Draw with ASCII only, for terminals that cannot show UTF-8'
            cand -q 'Show no progress and no warnings'
            cand --quiet 'Show no progress and no warnings'
            cand --names 'Keep the names of other users'' processes in JSON and all other files'
            cand -v 'Show everything known, also the machine, the ruler and the noise of a run'
            cand --verbose 'Show everything known, also the machine, the ruler and the noise of a run'
            cand --force 'Replace the report that was saved under that name'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'chronoscope;runtimes'= {
            cand --runtime 'Where a runtime is: its program, or the directory that holds it'
            cand --with 'Add the runtimes of another report'
            cand -o 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable'
            cand --export 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable'
            cand --color 'When to use colour; auto: on a terminal, unless NO_COLOR is set'
            cand --budget 'Time for measuring, such as 500ms or 10s'
            cand --cpu 'Measure on this CPU instead of the quietest'
            cand --seed 'Seed for the random order of measurement. Default: a random one'
            cand --allow 'Ignore these findings: ids (see chronoscope list faults) or levels (info, warning, error), separated by commas. Repeatable'
            cand --fail-on 'Exit with 1 if there is one of these findings: ids, or a level, which includes those above it, separated by commas. Findings about the run count only if named by id. Repeatable'
            cand --baseline 'Compare with the report that was saved under this name'
            cand --save-baseline 'Save the report under this name, in the user''s data directory'
            cand --preset 'Repeat a known experiment; other arguments and options change parts of it. chronoscope list presets has the command lines'
            cand --json 'Write the result as JSON to standard output'
            cand --ascii 'Draw with ASCII only, for terminals that cannot show UTF-8'
            cand -q 'Show no progress and no warnings'
            cand --quiet 'Show no progress and no warnings'
            cand -v 'Show everything known, also the machine, the ruler and the noise of a run'
            cand --verbose 'Show everything known, also the machine, the ruler and the noise of a run'
            cand --force 'Replace the report that was saved under that name'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'chronoscope;trust'= {
            cand --duration 'How long to watch, such as 60s or 8h. Default: 10s'
            cand --against 'How far is the wall clock from these? ntp:HOST, http:HOST, rtc:/dev/rtc0, ptp:/dev/ptp0, vmclock, clockbound, chrony. Nothing is set, and only a HOST is asked over a network. Default: the first of this machine that answers'
            cand --checkpoint 'Write the report to this file once per second, so that it survives whatever ends the run. The file must not exist yet'
            cand --resume 'Continue the run whose report or checkpoint this is, on the same boot of the machine, and keep it up to date. Default: for the time that was left, or as long again'
            cand -o 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable'
            cand --export 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable'
            cand --color 'When to use colour; auto: on a terminal, unless NO_COLOR is set'
            cand --budget 'Time for measuring, such as 500ms or 10s'
            cand --cpu 'Measure on this CPU instead of the quietest'
            cand --seed 'Seed for the random order of measurement. Default: a random one'
            cand --allow 'Ignore these findings: ids (see chronoscope list faults) or levels (info, warning, error), separated by commas. Repeatable'
            cand --fail-on 'Exit with 1 if there is one of these findings: ids, or a level, which includes those above it, separated by commas. Findings about the run count only if named by id. Repeatable'
            cand --baseline 'Compare with the report that was saved under this name'
            cand --save-baseline 'Save the report under this name, in the user''s data directory'
            cand --json 'Write the result as JSON to standard output'
            cand --ascii 'Draw with ASCII only, for terminals that cannot show UTF-8'
            cand -q 'Show no progress and no warnings'
            cand --quiet 'Show no progress and no warnings'
            cand -v 'Show everything known, also the machine, the ruler and the noise of a run'
            cand --verbose 'Show everything known, also the machine, the ruler and the noise of a run'
            cand --force 'Replace the report that was saved under that name'
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'chronoscope;noise'= {
            cand -o 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable'
            cand --export 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable'
            cand --color 'When to use colour; auto: on a terminal, unless NO_COLOR is set'
            cand --budget 'Time for measuring, such as 500ms or 10s'
            cand --cpu 'Measure on this CPU instead of the quietest'
            cand --seed 'Seed for the random order of measurement. Default: a random one'
            cand --allow 'Ignore these findings: ids (see chronoscope list faults) or levels (info, warning, error), separated by commas. Repeatable'
            cand --fail-on 'Exit with 1 if there is one of these findings: ids, or a level, which includes those above it, separated by commas. Findings about the run count only if named by id. Repeatable'
            cand --baseline 'Compare with the report that was saved under this name'
            cand --save-baseline 'Save the report under this name, in the user''s data directory'
            cand --json 'Write the result as JSON to standard output'
            cand --ascii 'Draw with ASCII only, for terminals that cannot show UTF-8'
            cand -q 'Show no progress and no warnings'
            cand --quiet 'Show no progress and no warnings'
            cand -v 'Show everything known, also the machine, the ruler and the noise of a run'
            cand --verbose 'Show everything known, also the machine, the ruler and the noise of a run'
            cand --force 'Replace the report that was saved under that name'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'chronoscope;browser'= {
            cand -o 'The page; ''-'' is standard output'
            cand --output 'The page; ''-'' is standard output'
            cand --port 'The port of 127.0.0.1 to serve on. Default: a free one'
            cand --serve 'Serve the page on this machine instead, with the headers that isolate it: an isolated page has finer clocks and shared memory'
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'chronoscope;watch'= {
            cand --period 'The period of the deadlines that are waited for'
            cand --load 'What runs alongside at first: none, low, low-nice, normal, high, io, memory, timers, print'
            cand --clock 'Also show how far apart successive reads of this clock are'
            cand --cpu 'Wait on this CPU instead of the last one'
            cand --hindsight 'Keep this much of the past in memory, for --stop-above and the key s. Default: 60s'
            cand --stop-above 'Stop at the first overshoot above this, and write the past to a file, in the current folder unless --record names another or the file'
            cand --record 'Record everything to this new file, which report, compare and --replay read'
            cand --resume 'Go on with this recording after a gap, with its waits, period, CPU, clock and latest load'
            cand --record-limit 'The largest size of a recording, such as 100MB or 1GiB'
            cand --replay 'Show a recording instead'
            cand --speed 'Replay this many times as fast as it happened, from 0.125 to 1024'
            cand --go-on 'Go on after that, and write a file at each further one'
            cand --names 'Also record the names of processes of other users that made waits late'
            cand --no-names 'Neither show nor record names of processes'
            cand --ascii 'Draw with ASCII only, for terminals that cannot show UTF-8'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'chronoscope;advise'= {
            cand --for 'The purpose; see chronoscope list purposes. Default: every purpose of clocks'
            cand --wait 'A duration to wait for, such as 1ms. Implies --for wait'
            cand --every 'The period of a loop, such as 144Hz or 10ms: code that keeps it. Implies --for wait'
            cand --work 'With --every, how long the loop computes in each period'
            cand --goal 'What a wait should have least of: overshoot, CPU time, or overshoot under load. Default: each of them, and code for a wait that wastes no CPU time. Implies --for wait'
            cand --language 'The language of the code, or all. Default: that of CHRONOSCOPE_LANGUAGE, or C'
            cand --from 'Advise from an existing report instead of measuring'
            cand --on 'Advise for another system, from a report that the tool holds: not measured on your machine'
            cand -o 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable'
            cand --export 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable'
            cand --color 'When to use colour; auto: on a terminal, unless NO_COLOR is set'
            cand --budget 'Time for measuring, such as 500ms or 10s'
            cand --cpu 'Measure on this CPU instead of the quietest'
            cand --seed 'Seed for the random order of measurement. Default: a random one'
            cand --allow 'Ignore these findings: ids (see chronoscope list faults) or levels (info, warning, error), separated by commas. Repeatable'
            cand --fail-on 'Exit with 1 if there is one of these findings: ids, or a level, which includes those above it, separated by commas. Findings about the run count only if named by id. Repeatable'
            cand --baseline 'Compare with the report that was saved under this name'
            cand --save-baseline 'Save the report under this name, in the user''s data directory'
            cand --runtimes 'Measure every runtime of that language that is here. Default: the most usual one'
            cand --json 'Write the result as JSON to standard output'
            cand --ascii 'Draw with ASCII only, for terminals that cannot show UTF-8'
            cand -q 'Show no progress and no warnings'
            cand --quiet 'Show no progress and no warnings'
            cand -v 'Show everything known, also the machine, the ruler and the noise of a run'
            cand --verbose 'Show everything known, also the machine, the ruler and the noise of a run'
            cand --force 'Replace the report that was saved under that name'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'chronoscope;doctor'= {
            cand --record 'Also write the facts and figures to this new folder, without anything private'
            cand --facts 'Diagnose the machine that such a folder, a stored report or a text describes'
            cand --pid 'What affects another process: its timer slack, libraries that replace clocks, its quota and its time namespace. Nothing is measured'
            cand -o 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable'
            cand --export 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable'
            cand --color 'When to use colour; auto: on a terminal, unless NO_COLOR is set'
            cand --budget 'Time for measuring, such as 500ms or 10s'
            cand --cpu 'Measure on this CPU instead of the quietest'
            cand --seed 'Seed for the random order of measurement. Default: a random one'
            cand --allow 'Ignore these findings: ids (see chronoscope list faults) or levels (info, warning, error), separated by commas. Repeatable'
            cand --fail-on 'Exit with 1 if there is one of these findings: ids, or a level, which includes those above it, separated by commas. Findings about the run count only if named by id. Repeatable'
            cand --baseline 'Compare with the report that was saved under this name'
            cand --save-baseline 'Save the report under this name, in the user''s data directory'
            cand --quick 'Only facts and the cost of the system''s clock, in less than 0.2 s and 20 ms of CPU time'
            cand --json 'Write the result as JSON to standard output'
            cand --ascii 'Draw with ASCII only, for terminals that cannot show UTF-8'
            cand -q 'Show no progress and no warnings'
            cand --quiet 'Show no progress and no warnings'
            cand -v 'Show everything known, also the machine, the ruler and the noise of a run'
            cand --verbose 'Show everything known, also the machine, the ruler and the noise of a run'
            cand --force 'Replace the report that was saved under that name'
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'chronoscope;explain'= {
            cand -o 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable'
            cand --export 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable'
            cand --color 'When to use colour; auto: on a terminal, unless NO_COLOR is set'
            cand --json 'Write the result as JSON to standard output'
            cand --ascii 'Draw with ASCII only, for terminals that cannot show UTF-8'
            cand -q 'Show no progress and no warnings'
            cand --quiet 'Show no progress and no warnings'
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'chronoscope;list'= {
            cand -o 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable'
            cand --export 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable'
            cand --color 'When to use colour; auto: on a terminal, unless NO_COLOR is set'
            cand --json 'Write the result as JSON to standard output'
            cand --ascii 'Draw with ASCII only, for terminals that cannot show UTF-8'
            cand -q 'Show no progress and no warnings'
            cand --quiet 'Show no progress and no warnings'
            cand -v 'Show everything known, also the machine, the ruler and the noise of a run'
            cand --verbose 'Show everything known, also the machine, the ruler and the noise of a run'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'chronoscope;report'= {
            cand --as 'A screen or a format to show it in. Default: the screen that the run showed'
            cand --with 'Add the runtimes of other reports, for example of other machines'
            cand -o 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable'
            cand --export 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable'
            cand --color 'When to use colour; auto: on a terminal, unless NO_COLOR is set'
            cand --allow 'Ignore these findings: ids (see chronoscope list faults) or levels (info, warning, error), separated by commas. Repeatable'
            cand --fail-on 'Exit with 1 if there is one of these findings: ids, or a level, which includes those above it, separated by commas. Findings about the run count only if named by id. Repeatable'
            cand --json 'Write the result as JSON to standard output'
            cand --ascii 'Draw with ASCII only, for terminals that cannot show UTF-8'
            cand -q 'Show no progress and no warnings'
            cand --quiet 'Show no progress and no warnings'
            cand --names 'Keep the names of other users'' processes in JSON and all other files'
            cand -v 'Show everything known, also the machine, the ruler and the noise of a run'
            cand --verbose 'Show everything known, also the machine, the ruler and the noise of a run'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'chronoscope;compare'= {
            cand --run 'A command: this tool''s such as ''waits rust'', settings of it such as ''--slack 1ns'', or any other. Give two: they take turns, and their reports are compared, or else the time that they take. Words before the command may set variables: ''LD_PRELOAD=./x.so chronoscope''. There is no shell'
            cand --pairs 'How many pairs of runs are made, 6 to 100. Default: 8; for commands that print no report, as many as take 10 s, at least 8'
            cand --metric 'Compare figures that the commands print: those of criterion, go, google-benchmark, hyperfine, jmh or pytest-benchmark; a path of JSON such as ''$.results[0].median''; or what the first group of a regular expression matches, such as ''took (.*)''. A group ''name'' names the figure'
            cand --metric-file 'Read the figures of --metric from this file, which both commands write'
            cand --timeout 'End a run that takes longer than this'
            cand --seed 'Seed for the random order of the runs, or for the test of sets. Default: a random one'
            cand --history 'Compare with the earlier reports of this folder, of the same machine and configuration; without a report, show when each figure changed there'
            cand --threshold 'Exit with 1 if a row is worse by more than this, such as 5%'
            cand -o 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable'
            cand --export 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable'
            cand --color 'When to use colour; auto: on a terminal, unless NO_COLOR is set'
            cand --baseline 'Compare with the report that was saved under this name'
            cand --save-baseline 'Save the report under this name, in the user''s data directory'
            cand --json 'Write the result as JSON to standard output'
            cand --ascii 'Draw with ASCII only, for terminals that cannot show UTF-8'
            cand -q 'Show no progress and no warnings'
            cand --quiet 'Show no progress and no warnings'
            cand -v 'Show everything known, also the machine, the ruler and the noise of a run'
            cand --verbose 'Show everything known, also the machine, the ruler and the noise of a run'
            cand --force 'Replace the report that was saved under that name'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'chronoscope;deltas'= {
            cand --reads 'How many reads to make, such as 10M; with --budget, as many of them as fit'
            cand --load 'Measure again under each of these loads: low, low-nice, normal, high, io, memory, timers, print'
            cand --load-processes 'Processes of a load. Default: one per CPU'
            cand --priority 'Read with SCHED_FIFO at this priority (1 to 49, or 99 with --allow-high-priority)'
            cand -o 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable'
            cand --export 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable'
            cand --color 'When to use colour; auto: on a terminal, unless NO_COLOR is set'
            cand --budget 'Time for measuring, such as 500ms or 10s'
            cand --cpu 'Measure on this CPU instead of the quietest'
            cand --seed 'Seed for the random order of measurement. Default: a random one'
            cand --allow 'Ignore these findings: ids (see chronoscope list faults) or levels (info, warning, error), separated by commas. Repeatable'
            cand --fail-on 'Exit with 1 if there is one of these findings: ids, or a level, which includes those above it, separated by commas. Findings about the run count only if named by id. Repeatable'
            cand --baseline 'Compare with the report that was saved under this name'
            cand --save-baseline 'Save the report under this name, in the user''s data directory'
            cand --allow-high-priority 'Allow a --priority of 50 to 99, which the kernel''s interrupt threads cannot interrupt'
            cand --json 'Write the result as JSON to standard output'
            cand --ascii 'Draw with ASCII only, for terminals that cannot show UTF-8'
            cand -q 'Show no progress and no warnings'
            cand --quiet 'Show no progress and no warnings'
            cand -v 'Show everything known, also the machine, the ruler and the noise of a run'
            cand --verbose 'Show everything known, also the machine, the ruler and the noise of a run'
            cand --force 'Replace the report that was saved under that name'
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'chronoscope;calls'= {
            cand --load 'Measure again under each of these loads: low, low-nice, normal, high, io, memory, timers, print'
            cand --load-processes 'Processes of a load. Default: one per CPU'
            cand --priority 'Read with SCHED_FIFO at this priority (1 to 49, or 99 with --allow-high-priority)'
            cand -o 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable'
            cand --export 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable'
            cand --color 'When to use colour; auto: on a terminal, unless NO_COLOR is set'
            cand --budget 'Time for measuring, such as 500ms or 10s'
            cand --cpu 'Measure on this CPU instead of the quietest'
            cand --seed 'Seed for the random order of measurement. Default: a random one'
            cand --allow 'Ignore these findings: ids (see chronoscope list faults) or levels (info, warning, error), separated by commas. Repeatable'
            cand --fail-on 'Exit with 1 if there is one of these findings: ids, or a level, which includes those above it, separated by commas. Findings about the run count only if named by id. Repeatable'
            cand --baseline 'Compare with the report that was saved under this name'
            cand --save-baseline 'Save the report under this name, in the user''s data directory'
            cand --preset 'Repeat a known experiment; other arguments and options change parts of it. chronoscope list presets has the command lines'
            cand --allow-high-priority 'Allow a --priority of 50 to 99, which the kernel''s interrupt threads cannot interrupt'
            cand --json 'Write the result as JSON to standard output'
            cand --ascii 'Draw with ASCII only, for terminals that cannot show UTF-8'
            cand -q 'Show no progress and no warnings'
            cand --quiet 'Show no progress and no warnings'
            cand -v 'Show everything known, also the machine, the ruler and the noise of a run'
            cand --verbose 'Show everything known, also the machine, the ruler and the noise of a run'
            cand --force 'Replace the report that was saved under that name'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'chronoscope;overhead'= {
            cand --load 'Measure again under each of these loads: low, low-nice, normal, high, io, memory, timers, print'
            cand --load-processes 'Processes of a load. Default: one per CPU'
            cand --priority 'Read with SCHED_FIFO at this priority (1 to 49, or 99 with --allow-high-priority)'
            cand -o 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable'
            cand --export 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable'
            cand --color 'When to use colour; auto: on a terminal, unless NO_COLOR is set'
            cand --budget 'Time for measuring, such as 500ms or 10s'
            cand --cpu 'Measure on this CPU instead of the quietest'
            cand --seed 'Seed for the random order of measurement. Default: a random one'
            cand --allow 'Ignore these findings: ids (see chronoscope list faults) or levels (info, warning, error), separated by commas. Repeatable'
            cand --fail-on 'Exit with 1 if there is one of these findings: ids, or a level, which includes those above it, separated by commas. Findings about the run count only if named by id. Repeatable'
            cand --baseline 'Compare with the report that was saved under this name'
            cand --save-baseline 'Save the report under this name, in the user''s data directory'
            cand --preset 'Repeat a known experiment; other arguments and options change parts of it. chronoscope list presets has the command lines'
            cand --allow-high-priority 'Allow a --priority of 50 to 99, which the kernel''s interrupt threads cannot interrupt'
            cand --json 'Write the result as JSON to standard output'
            cand --ascii 'Draw with ASCII only, for terminals that cannot show UTF-8'
            cand -q 'Show no progress and no warnings'
            cand --quiet 'Show no progress and no warnings'
            cand -v 'Show everything known, also the machine, the ruler and the noise of a run'
            cand --verbose 'Show everything known, also the machine, the ruler and the noise of a run'
            cand --force 'Replace the report that was saved under that name'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'chronoscope;sweep'= {
            cand --runtimes 'Also measure language runtimes under every clock source: these, or all. That takes about 30 s per source'
            cand -o 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable'
            cand --export 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable'
            cand --color 'When to use colour; auto: on a terminal, unless NO_COLOR is set'
            cand --budget 'Time for measuring, such as 500ms or 10s'
            cand --cpu 'Measure on this CPU instead of the quietest'
            cand --seed 'Seed for the random order of measurement. Default: a random one'
            cand --allow 'Ignore these findings: ids (see chronoscope list faults) or levels (info, warning, error), separated by commas. Repeatable'
            cand --fail-on 'Exit with 1 if there is one of these findings: ids, or a level, which includes those above it, separated by commas. Findings about the run count only if named by id. Repeatable'
            cand --baseline 'Compare with the report that was saved under this name'
            cand --save-baseline 'Save the report under this name, in the user''s data directory'
            cand --json 'Write the result as JSON to standard output'
            cand --ascii 'Draw with ASCII only, for terminals that cannot show UTF-8'
            cand -q 'Show no progress and no warnings'
            cand --quiet 'Show no progress and no warnings'
            cand -v 'Show everything known, also the machine, the ruler and the noise of a run'
            cand --verbose 'Show everything known, also the machine, the ruler and the noise of a run'
            cand --force 'Replace the report that was saved under that name'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'chronoscope;hardware'= {
            cand -o 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable'
            cand --export 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable'
            cand --color 'When to use colour; auto: on a terminal, unless NO_COLOR is set'
            cand --budget 'Time for measuring, such as 500ms or 10s'
            cand --cpu 'Measure on this CPU instead of the quietest'
            cand --seed 'Seed for the random order of measurement. Default: a random one'
            cand --allow 'Ignore these findings: ids (see chronoscope list faults) or levels (info, warning, error), separated by commas. Repeatable'
            cand --fail-on 'Exit with 1 if there is one of these findings: ids, or a level, which includes those above it, separated by commas. Findings about the run count only if named by id. Repeatable'
            cand --baseline 'Compare with the report that was saved under this name'
            cand --save-baseline 'Save the report under this name, in the user''s data directory'
            cand --json 'Write the result as JSON to standard output'
            cand --ascii 'Draw with ASCII only, for terminals that cannot show UTF-8'
            cand -q 'Show no progress and no warnings'
            cand --quiet 'Show no progress and no warnings'
            cand -v 'Show everything known, also the machine, the ruler and the noise of a run'
            cand --verbose 'Show everything known, also the machine, the ruler and the noise of a run'
            cand --force 'Replace the report that was saved under that name'
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'chronoscope;demo'= {
            cand --budget 'For how long. Default: 1s'
            cand -o 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable'
            cand --export 'Also write the result to this file, in the format of its extension, or in the one given as FORMAT=FILE; FORMAT=- is standard output. svg=DIR writes each chart to a folder. Repeatable'
            cand --color 'When to use colour; auto: on a terminal, unless NO_COLOR is set'
            cand --json 'Write the result as JSON to standard output'
            cand --ascii 'Draw with ASCII only, for terminals that cannot show UTF-8'
            cand -q 'Show no progress and no warnings'
            cand --quiet 'Show no progress and no warnings'
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'chronoscope;serve'= {
            cand --listen 'The IP address and the port to listen on. Port 0 is a free one; standard error says which'
            cand --cpu-budget 'The share of one CPU that measuring may take: 0.5% or 0.005'
            cand --against 'Ask these clocks all the time how far the wall clock is off, as trust --against does: ntp:HOST, http:HOST, vmclock, ptp:/dev/ptp0, chrony, rtc. An NTP server gets one request in 16 s, after a few at the start'
            cand --time 'Also answer other chronoscopes that ask for the time (trust --against ntp:HOST:PORT), on 127.0.0.1:10123 without an address'
            cand --report 'Also answer /report with the last report, as JSON'
            cand --start-now 'Begin to measure at once. By default it begins within five minutes, at a time that differs from machine to machine, so that the guests of a host do not all measure together'
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'chronoscope;generate'= {
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
            cand fleet 'Units, manifest, alerts, dashboard and SQL for a fleet, into a folder, which is made if it does not exist'
            cand completions 'Completions for a shell, to standard output'
            cand man 'Man pages of all commands, into an existing folder'
            cand schema 'The JSON Schema of a document, to standard output'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'chronoscope;generate;fleet'= {
            cand --force 'Overwrite files that differ'
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'chronoscope;generate;completions'= {
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'chronoscope;generate;man'= {
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'chronoscope;generate;schema'= {
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'chronoscope;generate;help'= {
            cand fleet 'Units, manifest, alerts, dashboard and SQL for a fleet, into a folder, which is made if it does not exist'
            cand completions 'Completions for a shell, to standard output'
            cand man 'Man pages of all commands, into an existing folder'
            cand schema 'The JSON Schema of a document, to standard output'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'chronoscope;generate;help;fleet'= {
        }
        &'chronoscope;generate;help;completions'= {
        }
        &'chronoscope;generate;help;man'= {
        }
        &'chronoscope;generate;help;schema'= {
        }
        &'chronoscope;generate;help;help'= {
        }
        &'chronoscope;help'= {
            cand clocks 'What does each clock cost, and what is its resolution?'
            cand waits 'How precisely can I wait here?'
            cand runtimes 'What do my language''s clocks cost on this machine, compared with C?'
            cand trust 'Does a clock go backwards, agree between CPUs, and keep its rate?'
            cand noise 'Is this machine fit to measure on, and what makes samples vary?'
            cand browser 'Write a page that measures the browser that opens it'
            cand watch 'Watch how late waits end, and why: a live view in the terminal'
            cand advise 'Which clock or wait should I use, and what is the code?'
            cand doctor 'What is wrong with time here, on what evidence, and what is the fix?'
            cand explain 'Explain a clock, wait, runtime, finding, function, term or column'
            cand list 'List what is supported here, and why the rest is not'
            cand report 'Show a stored report on any screen and in any format'
            cand compare 'Show what changed between reports, and by how much'
            cand deltas 'How far apart are two successive reads of a clock?'
            cand calls 'The mean of a million calls, the mean of ten, and a single call, in three passes'
            cand overhead 'What does timing add to my loop?'
            cand sweep 'What do clocks cost under every clock source of the kernel?'
            cand hardware 'Which timers, which clock source of the kernel, which hypervisor?'
            cand demo 'Show what goes wrong when time is measured carelessly'
            cand serve 'Serve metrics to Prometheus, measured within a budget of CPU time'
            cand generate 'Write files for a fleet, completions, man pages or the JSON Schema'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'chronoscope;help;clocks'= {
        }
        &'chronoscope;help;waits'= {
        }
        &'chronoscope;help;runtimes'= {
        }
        &'chronoscope;help;trust'= {
        }
        &'chronoscope;help;noise'= {
        }
        &'chronoscope;help;browser'= {
        }
        &'chronoscope;help;watch'= {
        }
        &'chronoscope;help;advise'= {
        }
        &'chronoscope;help;doctor'= {
        }
        &'chronoscope;help;explain'= {
        }
        &'chronoscope;help;list'= {
        }
        &'chronoscope;help;report'= {
        }
        &'chronoscope;help;compare'= {
        }
        &'chronoscope;help;deltas'= {
        }
        &'chronoscope;help;calls'= {
        }
        &'chronoscope;help;overhead'= {
        }
        &'chronoscope;help;sweep'= {
        }
        &'chronoscope;help;hardware'= {
        }
        &'chronoscope;help;demo'= {
        }
        &'chronoscope;help;serve'= {
        }
        &'chronoscope;help;generate'= {
            cand fleet 'Units, manifest, alerts, dashboard and SQL for a fleet, into a folder, which is made if it does not exist'
            cand completions 'Completions for a shell, to standard output'
            cand man 'Man pages of all commands, into an existing folder'
            cand schema 'The JSON Schema of a document, to standard output'
        }
        &'chronoscope;help;generate;fleet'= {
        }
        &'chronoscope;help;generate;completions'= {
        }
        &'chronoscope;help;generate;man'= {
        }
        &'chronoscope;help;generate;schema'= {
        }
        &'chronoscope;help;help'= {
        }
    ]
    $completions[$command]
}
