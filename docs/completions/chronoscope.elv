
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
            cand --export 'Also write it in this format to this file; ''-'' is standard output. Repeatable'
            cand --budget 'Wall time for measuring, such as 500ms or 10s'
            cand --cpu 'Measure on this CPU; the quietest one allowed if absent'
            cand --seed 'Seed of the random order of measurement; drawn anew if absent'
            cand --allow 'Silence a finding; see chronoscope list faults. Repeatable'
            cand --fail-on 'Exit with 1 when there is a finding at this level or above'
            cand --color 'When to colour'
            cand --json 'Write what was found as JSON to standard output'
            cand -q 'No progress and no notes on standard error'
            cand --quiet 'No progress and no notes on standard error'
            cand -v 'Show everything that is known'
            cand --verbose 'Show everything that is known'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand clocks 'What does each clock cost, and how fine is it?'
            cand deltas 'What lies between two reads in a row?'
            cand calls 'The mean of a million calls, of ten, and one alone, in three passes'
            cand overhead 'What does timing add to my loop?'
            cand waits 'How exactly can I wait here?'
            cand hardware 'Which timer hardware, which kernel clock source, which hypervisor, and why?'
            cand advise 'Which clock should I use, and the line of code'
            cand list 'What is there, and why what is not there is not'
            cand explain 'One page on a clock, a wait, a finding, a purpose or a column'
            cand generate 'Shell completions, man pages, or the JSON Schema'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'chronoscope;clocks'= {
            cand --calls 'Really make so many calls of each clock, and say how long they took'
            cand --export 'Also write it in this format to this file; ''-'' is standard output. Repeatable'
            cand --budget 'Wall time for measuring, such as 500ms or 10s'
            cand --cpu 'Measure on this CPU; the quietest one allowed if absent'
            cand --seed 'Seed of the random order of measurement; drawn anew if absent'
            cand --allow 'Silence a finding; see chronoscope list faults. Repeatable'
            cand --fail-on 'Exit with 1 when there is a finding at this level or above'
            cand --color 'When to colour'
            cand --peers 'The clocks of other libraries too; they are in builds with --features peers'
            cand --json 'Write what was found as JSON to standard output'
            cand -q 'No progress and no notes on standard error'
            cand --quiet 'No progress and no notes on standard error'
            cand -v 'Show everything that is known'
            cand --verbose 'Show everything that is known'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'chronoscope;deltas'= {
            cand --reads 'Reads to make, or as many of them as fit --budget'
            cand --export 'Also write it in this format to this file; ''-'' is standard output. Repeatable'
            cand --budget 'Wall time for measuring, such as 500ms or 10s'
            cand --cpu 'Measure on this CPU; the quietest one allowed if absent'
            cand --seed 'Seed of the random order of measurement; drawn anew if absent'
            cand --allow 'Silence a finding; see chronoscope list faults. Repeatable'
            cand --fail-on 'Exit with 1 when there is a finding at this level or above'
            cand --color 'When to colour'
            cand --json 'Write what was found as JSON to standard output'
            cand -q 'No progress and no notes on standard error'
            cand --quiet 'No progress and no notes on standard error'
            cand -v 'Show everything that is known'
            cand --verbose 'Show everything that is known'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'chronoscope;calls'= {
            cand --export 'Also write it in this format to this file; ''-'' is standard output. Repeatable'
            cand --budget 'Wall time for measuring, such as 500ms or 10s'
            cand --cpu 'Measure on this CPU; the quietest one allowed if absent'
            cand --seed 'Seed of the random order of measurement; drawn anew if absent'
            cand --allow 'Silence a finding; see chronoscope list faults. Repeatable'
            cand --fail-on 'Exit with 1 when there is a finding at this level or above'
            cand --color 'When to colour'
            cand --json 'Write what was found as JSON to standard output'
            cand -q 'No progress and no notes on standard error'
            cand --quiet 'No progress and no notes on standard error'
            cand -v 'Show everything that is known'
            cand --verbose 'Show everything that is known'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'chronoscope;overhead'= {
            cand --export 'Also write it in this format to this file; ''-'' is standard output. Repeatable'
            cand --budget 'Wall time for measuring, such as 500ms or 10s'
            cand --cpu 'Measure on this CPU; the quietest one allowed if absent'
            cand --seed 'Seed of the random order of measurement; drawn anew if absent'
            cand --allow 'Silence a finding; see chronoscope list faults. Repeatable'
            cand --fail-on 'Exit with 1 when there is a finding at this level or above'
            cand --color 'When to colour'
            cand --json 'Write what was found as JSON to standard output'
            cand -q 'No progress and no notes on standard error'
            cand --quiet 'No progress and no notes on standard error'
            cand -v 'Show everything that is known'
            cand --verbose 'Show everything that is known'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'chronoscope;waits'= {
            cand --wait 'Durations to wait for, such as 100us,10ms'
            cand --count 'Waits of each method and duration'
            cand --period 'Wait for the deadlines of a fixed grid of this period instead'
            cand --duration 'Time for each load, such as 10m or 2h'
            cand --load 'What runs beside: none, low, normal, high, io, memory, timers'
            cand --load-processes 'Processes of a load; one for each CPU if absent'
            cand --load-priority 'Let the high load run by SCHED_FIFO at this priority (1 to 49), and not by its nice value'
            cand --slack 'Timer slacks of the waiting thread (Linux): ''default'' or a duration'
            cand --priority 'Let the waiting threads run by SCHED_FIFO at this priority (1 to 49)'
            cand --stop-above 'End at the first overshoot above this, and tell what is known of that moment'
            cand --checkpoint 'Write the report into this file once a second, so that it outlives whatever ends the run'
            cand --resume 'Go on with the run whose checkpoint this is, as it was asked for then'
            cand --style 'How the table is drawn'
            cand --export 'Also write it in this format to this file; ''-'' is standard output. Repeatable'
            cand --budget 'Wall time for measuring, such as 500ms or 10s'
            cand --cpu 'Measure on this CPU; the quietest one allowed if absent'
            cand --seed 'Seed of the random order of measurement; drawn anew if absent'
            cand --allow 'Silence a finding; see chronoscope list faults. Repeatable'
            cand --fail-on 'Exit with 1 when there is a finding at this level or above'
            cand --color 'When to colour'
            cand --all-cpus 'One waiting thread on each CPU'
            cand --keep-awake 'Keep the CPUs from deep idle states by /dev/cpu_dma_latency'
            cand --json 'Write what was found as JSON to standard output'
            cand -q 'No progress and no notes on standard error'
            cand --quiet 'No progress and no notes on standard error'
            cand -v 'Show everything that is known'
            cand --verbose 'Show everything that is known'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'chronoscope;hardware'= {
            cand --export 'Also write it in this format to this file; ''-'' is standard output. Repeatable'
            cand --budget 'Wall time for measuring, such as 500ms or 10s'
            cand --cpu 'Measure on this CPU; the quietest one allowed if absent'
            cand --seed 'Seed of the random order of measurement; drawn anew if absent'
            cand --allow 'Silence a finding; see chronoscope list faults. Repeatable'
            cand --fail-on 'Exit with 1 when there is a finding at this level or above'
            cand --color 'When to colour'
            cand --json 'Write what was found as JSON to standard output'
            cand -q 'No progress and no notes on standard error'
            cand --quiet 'No progress and no notes on standard error'
            cand -v 'Show everything that is known'
            cand --verbose 'Show everything that is known'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'chronoscope;advise'= {
            cand --for 'The purpose; all that clocks are for if absent. Waits are measured for ''wait'' alone. See chronoscope list purposes'
            cand --language 'The language of the line of code; all if absent'
            cand --from 'Advise from a report that was made before, instead of measuring'
            cand --export 'Also write it in this format to this file; ''-'' is standard output. Repeatable'
            cand --budget 'Wall time for measuring, such as 500ms or 10s'
            cand --cpu 'Measure on this CPU; the quietest one allowed if absent'
            cand --seed 'Seed of the random order of measurement; drawn anew if absent'
            cand --allow 'Silence a finding; see chronoscope list faults. Repeatable'
            cand --fail-on 'Exit with 1 when there is a finding at this level or above'
            cand --color 'When to colour'
            cand --json 'Write what was found as JSON to standard output'
            cand -q 'No progress and no notes on standard error'
            cand --quiet 'No progress and no notes on standard error'
            cand -v 'Show everything that is known'
            cand --verbose 'Show everything that is known'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'chronoscope;list'= {
            cand --export 'Also write it in this format to this file; ''-'' is standard output. Repeatable'
            cand --budget 'Wall time for measuring, such as 500ms or 10s'
            cand --cpu 'Measure on this CPU; the quietest one allowed if absent'
            cand --seed 'Seed of the random order of measurement; drawn anew if absent'
            cand --allow 'Silence a finding; see chronoscope list faults. Repeatable'
            cand --fail-on 'Exit with 1 when there is a finding at this level or above'
            cand --color 'When to colour'
            cand --json 'Write what was found as JSON to standard output'
            cand -q 'No progress and no notes on standard error'
            cand --quiet 'No progress and no notes on standard error'
            cand -v 'Show everything that is known'
            cand --verbose 'Show everything that is known'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'chronoscope;explain'= {
            cand --export 'Also write it in this format to this file; ''-'' is standard output. Repeatable'
            cand --budget 'Wall time for measuring, such as 500ms or 10s'
            cand --cpu 'Measure on this CPU; the quietest one allowed if absent'
            cand --seed 'Seed of the random order of measurement; drawn anew if absent'
            cand --allow 'Silence a finding; see chronoscope list faults. Repeatable'
            cand --fail-on 'Exit with 1 when there is a finding at this level or above'
            cand --color 'When to colour'
            cand --json 'Write what was found as JSON to standard output'
            cand -q 'No progress and no notes on standard error'
            cand --quiet 'No progress and no notes on standard error'
            cand -v 'Show everything that is known'
            cand --verbose 'Show everything that is known'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'chronoscope;generate'= {
            cand --export 'Also write it in this format to this file; ''-'' is standard output. Repeatable'
            cand --budget 'Wall time for measuring, such as 500ms or 10s'
            cand --cpu 'Measure on this CPU; the quietest one allowed if absent'
            cand --seed 'Seed of the random order of measurement; drawn anew if absent'
            cand --allow 'Silence a finding; see chronoscope list faults. Repeatable'
            cand --fail-on 'Exit with 1 when there is a finding at this level or above'
            cand --color 'When to colour'
            cand --json 'Write what was found as JSON to standard output'
            cand -q 'No progress and no notes on standard error'
            cand --quiet 'No progress and no notes on standard error'
            cand -v 'Show everything that is known'
            cand --verbose 'Show everything that is known'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand completions 'Completions for a shell, to standard output'
            cand man 'Man pages of all commands, into a folder that exists'
            cand schema 'The JSON Schema of the report, to standard output'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'chronoscope;generate;completions'= {
            cand --export 'Also write it in this format to this file; ''-'' is standard output. Repeatable'
            cand --budget 'Wall time for measuring, such as 500ms or 10s'
            cand --cpu 'Measure on this CPU; the quietest one allowed if absent'
            cand --seed 'Seed of the random order of measurement; drawn anew if absent'
            cand --allow 'Silence a finding; see chronoscope list faults. Repeatable'
            cand --fail-on 'Exit with 1 when there is a finding at this level or above'
            cand --color 'When to colour'
            cand --json 'Write what was found as JSON to standard output'
            cand -q 'No progress and no notes on standard error'
            cand --quiet 'No progress and no notes on standard error'
            cand -v 'Show everything that is known'
            cand --verbose 'Show everything that is known'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'chronoscope;generate;man'= {
            cand --export 'Also write it in this format to this file; ''-'' is standard output. Repeatable'
            cand --budget 'Wall time for measuring, such as 500ms or 10s'
            cand --cpu 'Measure on this CPU; the quietest one allowed if absent'
            cand --seed 'Seed of the random order of measurement; drawn anew if absent'
            cand --allow 'Silence a finding; see chronoscope list faults. Repeatable'
            cand --fail-on 'Exit with 1 when there is a finding at this level or above'
            cand --color 'When to colour'
            cand --json 'Write what was found as JSON to standard output'
            cand -q 'No progress and no notes on standard error'
            cand --quiet 'No progress and no notes on standard error'
            cand -v 'Show everything that is known'
            cand --verbose 'Show everything that is known'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'chronoscope;generate;schema'= {
            cand --export 'Also write it in this format to this file; ''-'' is standard output. Repeatable'
            cand --budget 'Wall time for measuring, such as 500ms or 10s'
            cand --cpu 'Measure on this CPU; the quietest one allowed if absent'
            cand --seed 'Seed of the random order of measurement; drawn anew if absent'
            cand --allow 'Silence a finding; see chronoscope list faults. Repeatable'
            cand --fail-on 'Exit with 1 when there is a finding at this level or above'
            cand --color 'When to colour'
            cand --json 'Write what was found as JSON to standard output'
            cand -q 'No progress and no notes on standard error'
            cand --quiet 'No progress and no notes on standard error'
            cand -v 'Show everything that is known'
            cand --verbose 'Show everything that is known'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'chronoscope;generate;help'= {
            cand completions 'Completions for a shell, to standard output'
            cand man 'Man pages of all commands, into a folder that exists'
            cand schema 'The JSON Schema of the report, to standard output'
            cand help 'Print this message or the help of the given subcommand(s)'
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
            cand clocks 'What does each clock cost, and how fine is it?'
            cand deltas 'What lies between two reads in a row?'
            cand calls 'The mean of a million calls, of ten, and one alone, in three passes'
            cand overhead 'What does timing add to my loop?'
            cand waits 'How exactly can I wait here?'
            cand hardware 'Which timer hardware, which kernel clock source, which hypervisor, and why?'
            cand advise 'Which clock should I use, and the line of code'
            cand list 'What is there, and why what is not there is not'
            cand explain 'One page on a clock, a wait, a finding, a purpose or a column'
            cand generate 'Shell completions, man pages, or the JSON Schema'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'chronoscope;help;clocks'= {
        }
        &'chronoscope;help;deltas'= {
        }
        &'chronoscope;help;calls'= {
        }
        &'chronoscope;help;overhead'= {
        }
        &'chronoscope;help;waits'= {
        }
        &'chronoscope;help;hardware'= {
        }
        &'chronoscope;help;advise'= {
        }
        &'chronoscope;help;list'= {
        }
        &'chronoscope;help;explain'= {
        }
        &'chronoscope;help;generate'= {
            cand completions 'Completions for a shell, to standard output'
            cand man 'Man pages of all commands, into a folder that exists'
            cand schema 'The JSON Schema of the report, to standard output'
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
