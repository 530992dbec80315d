
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
            [CompletionResult]::new('--export', '--export', [CompletionResultType]::ParameterName, 'Also write it in this format to this file; ''-'' is standard output. Repeatable')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Wall time for measuring, such as 500ms or 10s')
            [CompletionResult]::new('--cpu', '--cpu', [CompletionResultType]::ParameterName, 'Measure on this CPU; the quietest one allowed if absent')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed of the random order of measurement; drawn anew if absent')
            [CompletionResult]::new('--allow', '--allow', [CompletionResultType]::ParameterName, 'Silence a finding; see chronoscope list faults. Repeatable')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with 1 when there is a finding at this level or above')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write what was found as JSON to standard output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No progress and no notes on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No progress and no notes on standard error')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Show everything that is known')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Show everything that is known')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('clocks', 'clocks', [CompletionResultType]::ParameterValue, 'What does each clock cost, and how fine is it?')
            [CompletionResult]::new('deltas', 'deltas', [CompletionResultType]::ParameterValue, 'What lies between two reads in a row?')
            [CompletionResult]::new('calls', 'calls', [CompletionResultType]::ParameterValue, 'The mean of a million calls, of ten, and one alone, in three passes')
            [CompletionResult]::new('overhead', 'overhead', [CompletionResultType]::ParameterValue, 'What does timing add to my loop?')
            [CompletionResult]::new('waits', 'waits', [CompletionResultType]::ParameterValue, 'How exactly can I wait here?')
            [CompletionResult]::new('hardware', 'hardware', [CompletionResultType]::ParameterValue, 'Which timer hardware, which kernel clock source, which hypervisor, and why?')
            [CompletionResult]::new('advise', 'advise', [CompletionResultType]::ParameterValue, 'Which clock should I use, and the line of code')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'What is there, and why what is not there is not')
            [CompletionResult]::new('explain', 'explain', [CompletionResultType]::ParameterValue, 'One page on a clock, a wait, a finding, a purpose or a column')
            [CompletionResult]::new('generate', 'generate', [CompletionResultType]::ParameterValue, 'Shell completions, man pages, or the JSON Schema')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'chronoscope;clocks' {
            [CompletionResult]::new('--calls', '--calls', [CompletionResultType]::ParameterName, 'Really make so many calls of each clock, and say how long they took')
            [CompletionResult]::new('--export', '--export', [CompletionResultType]::ParameterName, 'Also write it in this format to this file; ''-'' is standard output. Repeatable')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Wall time for measuring, such as 500ms or 10s')
            [CompletionResult]::new('--cpu', '--cpu', [CompletionResultType]::ParameterName, 'Measure on this CPU; the quietest one allowed if absent')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed of the random order of measurement; drawn anew if absent')
            [CompletionResult]::new('--allow', '--allow', [CompletionResultType]::ParameterName, 'Silence a finding; see chronoscope list faults. Repeatable')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with 1 when there is a finding at this level or above')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour')
            [CompletionResult]::new('--peers', '--peers', [CompletionResultType]::ParameterName, 'The clocks of other libraries too; they are in builds with --features peers')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write what was found as JSON to standard output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No progress and no notes on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No progress and no notes on standard error')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Show everything that is known')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Show everything that is known')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'chronoscope;deltas' {
            [CompletionResult]::new('--reads', '--reads', [CompletionResultType]::ParameterName, 'Reads to make, or as many of them as fit --budget')
            [CompletionResult]::new('--export', '--export', [CompletionResultType]::ParameterName, 'Also write it in this format to this file; ''-'' is standard output. Repeatable')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Wall time for measuring, such as 500ms or 10s')
            [CompletionResult]::new('--cpu', '--cpu', [CompletionResultType]::ParameterName, 'Measure on this CPU; the quietest one allowed if absent')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed of the random order of measurement; drawn anew if absent')
            [CompletionResult]::new('--allow', '--allow', [CompletionResultType]::ParameterName, 'Silence a finding; see chronoscope list faults. Repeatable')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with 1 when there is a finding at this level or above')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write what was found as JSON to standard output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No progress and no notes on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No progress and no notes on standard error')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Show everything that is known')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Show everything that is known')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'chronoscope;calls' {
            [CompletionResult]::new('--export', '--export', [CompletionResultType]::ParameterName, 'Also write it in this format to this file; ''-'' is standard output. Repeatable')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Wall time for measuring, such as 500ms or 10s')
            [CompletionResult]::new('--cpu', '--cpu', [CompletionResultType]::ParameterName, 'Measure on this CPU; the quietest one allowed if absent')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed of the random order of measurement; drawn anew if absent')
            [CompletionResult]::new('--allow', '--allow', [CompletionResultType]::ParameterName, 'Silence a finding; see chronoscope list faults. Repeatable')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with 1 when there is a finding at this level or above')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write what was found as JSON to standard output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No progress and no notes on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No progress and no notes on standard error')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Show everything that is known')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Show everything that is known')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'chronoscope;overhead' {
            [CompletionResult]::new('--export', '--export', [CompletionResultType]::ParameterName, 'Also write it in this format to this file; ''-'' is standard output. Repeatable')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Wall time for measuring, such as 500ms or 10s')
            [CompletionResult]::new('--cpu', '--cpu', [CompletionResultType]::ParameterName, 'Measure on this CPU; the quietest one allowed if absent')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed of the random order of measurement; drawn anew if absent')
            [CompletionResult]::new('--allow', '--allow', [CompletionResultType]::ParameterName, 'Silence a finding; see chronoscope list faults. Repeatable')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with 1 when there is a finding at this level or above')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write what was found as JSON to standard output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No progress and no notes on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No progress and no notes on standard error')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Show everything that is known')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Show everything that is known')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'chronoscope;waits' {
            [CompletionResult]::new('--wait', '--wait', [CompletionResultType]::ParameterName, 'Durations to wait for, such as 100us,10ms')
            [CompletionResult]::new('--count', '--count', [CompletionResultType]::ParameterName, 'Waits of each method and duration')
            [CompletionResult]::new('--period', '--period', [CompletionResultType]::ParameterName, 'Wait for the deadlines of a fixed grid of this period instead')
            [CompletionResult]::new('--duration', '--duration', [CompletionResultType]::ParameterName, 'Time for each load, such as 10m or 2h')
            [CompletionResult]::new('--load', '--load', [CompletionResultType]::ParameterName, 'What runs beside: none, low, normal, high, io, memory, timers')
            [CompletionResult]::new('--load-processes', '--load-processes', [CompletionResultType]::ParameterName, 'Processes of a load; one for each CPU if absent')
            [CompletionResult]::new('--load-priority', '--load-priority', [CompletionResultType]::ParameterName, 'Let the high load run by SCHED_FIFO at this priority (1 to 49), and not by its nice value')
            [CompletionResult]::new('--slack', '--slack', [CompletionResultType]::ParameterName, 'Timer slacks of the waiting thread (Linux): ''default'' or a duration')
            [CompletionResult]::new('--priority', '--priority', [CompletionResultType]::ParameterName, 'Let the waiting threads run by SCHED_FIFO at this priority (1 to 49)')
            [CompletionResult]::new('--stop-above', '--stop-above', [CompletionResultType]::ParameterName, 'End at the first overshoot above this, and tell what is known of that moment')
            [CompletionResult]::new('--checkpoint', '--checkpoint', [CompletionResultType]::ParameterName, 'Write the report into this file once a second, so that it outlives whatever ends the run')
            [CompletionResult]::new('--resume', '--resume', [CompletionResultType]::ParameterName, 'Go on with the run whose checkpoint this is, as it was asked for then')
            [CompletionResult]::new('--style', '--style', [CompletionResultType]::ParameterName, 'How the table is drawn')
            [CompletionResult]::new('--export', '--export', [CompletionResultType]::ParameterName, 'Also write it in this format to this file; ''-'' is standard output. Repeatable')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Wall time for measuring, such as 500ms or 10s')
            [CompletionResult]::new('--cpu', '--cpu', [CompletionResultType]::ParameterName, 'Measure on this CPU; the quietest one allowed if absent')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed of the random order of measurement; drawn anew if absent')
            [CompletionResult]::new('--allow', '--allow', [CompletionResultType]::ParameterName, 'Silence a finding; see chronoscope list faults. Repeatable')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with 1 when there is a finding at this level or above')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour')
            [CompletionResult]::new('--all-cpus', '--all-cpus', [CompletionResultType]::ParameterName, 'One waiting thread on each CPU')
            [CompletionResult]::new('--keep-awake', '--keep-awake', [CompletionResultType]::ParameterName, 'Keep the CPUs from deep idle states by /dev/cpu_dma_latency')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write what was found as JSON to standard output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No progress and no notes on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No progress and no notes on standard error')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Show everything that is known')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Show everything that is known')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'chronoscope;hardware' {
            [CompletionResult]::new('--export', '--export', [CompletionResultType]::ParameterName, 'Also write it in this format to this file; ''-'' is standard output. Repeatable')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Wall time for measuring, such as 500ms or 10s')
            [CompletionResult]::new('--cpu', '--cpu', [CompletionResultType]::ParameterName, 'Measure on this CPU; the quietest one allowed if absent')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed of the random order of measurement; drawn anew if absent')
            [CompletionResult]::new('--allow', '--allow', [CompletionResultType]::ParameterName, 'Silence a finding; see chronoscope list faults. Repeatable')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with 1 when there is a finding at this level or above')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write what was found as JSON to standard output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No progress and no notes on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No progress and no notes on standard error')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Show everything that is known')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Show everything that is known')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'chronoscope;advise' {
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'The purpose; all that clocks are for if absent. Waits are measured for ''wait'' alone. See chronoscope list purposes')
            [CompletionResult]::new('--language', '--language', [CompletionResultType]::ParameterName, 'The language of the line of code; all if absent')
            [CompletionResult]::new('--from', '--from', [CompletionResultType]::ParameterName, 'Advise from a report that was made before, instead of measuring')
            [CompletionResult]::new('--export', '--export', [CompletionResultType]::ParameterName, 'Also write it in this format to this file; ''-'' is standard output. Repeatable')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Wall time for measuring, such as 500ms or 10s')
            [CompletionResult]::new('--cpu', '--cpu', [CompletionResultType]::ParameterName, 'Measure on this CPU; the quietest one allowed if absent')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed of the random order of measurement; drawn anew if absent')
            [CompletionResult]::new('--allow', '--allow', [CompletionResultType]::ParameterName, 'Silence a finding; see chronoscope list faults. Repeatable')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with 1 when there is a finding at this level or above')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write what was found as JSON to standard output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No progress and no notes on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No progress and no notes on standard error')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Show everything that is known')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Show everything that is known')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'chronoscope;list' {
            [CompletionResult]::new('--export', '--export', [CompletionResultType]::ParameterName, 'Also write it in this format to this file; ''-'' is standard output. Repeatable')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Wall time for measuring, such as 500ms or 10s')
            [CompletionResult]::new('--cpu', '--cpu', [CompletionResultType]::ParameterName, 'Measure on this CPU; the quietest one allowed if absent')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed of the random order of measurement; drawn anew if absent')
            [CompletionResult]::new('--allow', '--allow', [CompletionResultType]::ParameterName, 'Silence a finding; see chronoscope list faults. Repeatable')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with 1 when there is a finding at this level or above')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write what was found as JSON to standard output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No progress and no notes on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No progress and no notes on standard error')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Show everything that is known')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Show everything that is known')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'chronoscope;explain' {
            [CompletionResult]::new('--export', '--export', [CompletionResultType]::ParameterName, 'Also write it in this format to this file; ''-'' is standard output. Repeatable')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Wall time for measuring, such as 500ms or 10s')
            [CompletionResult]::new('--cpu', '--cpu', [CompletionResultType]::ParameterName, 'Measure on this CPU; the quietest one allowed if absent')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed of the random order of measurement; drawn anew if absent')
            [CompletionResult]::new('--allow', '--allow', [CompletionResultType]::ParameterName, 'Silence a finding; see chronoscope list faults. Repeatable')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with 1 when there is a finding at this level or above')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write what was found as JSON to standard output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No progress and no notes on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No progress and no notes on standard error')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Show everything that is known')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Show everything that is known')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'chronoscope;generate' {
            [CompletionResult]::new('--export', '--export', [CompletionResultType]::ParameterName, 'Also write it in this format to this file; ''-'' is standard output. Repeatable')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Wall time for measuring, such as 500ms or 10s')
            [CompletionResult]::new('--cpu', '--cpu', [CompletionResultType]::ParameterName, 'Measure on this CPU; the quietest one allowed if absent')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed of the random order of measurement; drawn anew if absent')
            [CompletionResult]::new('--allow', '--allow', [CompletionResultType]::ParameterName, 'Silence a finding; see chronoscope list faults. Repeatable')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with 1 when there is a finding at this level or above')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write what was found as JSON to standard output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No progress and no notes on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No progress and no notes on standard error')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Show everything that is known')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Show everything that is known')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Completions for a shell, to standard output')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Man pages of all commands, into a folder that exists')
            [CompletionResult]::new('schema', 'schema', [CompletionResultType]::ParameterValue, 'The JSON Schema of the report, to standard output')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'chronoscope;generate;completions' {
            [CompletionResult]::new('--export', '--export', [CompletionResultType]::ParameterName, 'Also write it in this format to this file; ''-'' is standard output. Repeatable')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Wall time for measuring, such as 500ms or 10s')
            [CompletionResult]::new('--cpu', '--cpu', [CompletionResultType]::ParameterName, 'Measure on this CPU; the quietest one allowed if absent')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed of the random order of measurement; drawn anew if absent')
            [CompletionResult]::new('--allow', '--allow', [CompletionResultType]::ParameterName, 'Silence a finding; see chronoscope list faults. Repeatable')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with 1 when there is a finding at this level or above')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write what was found as JSON to standard output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No progress and no notes on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No progress and no notes on standard error')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Show everything that is known')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Show everything that is known')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'chronoscope;generate;man' {
            [CompletionResult]::new('--export', '--export', [CompletionResultType]::ParameterName, 'Also write it in this format to this file; ''-'' is standard output. Repeatable')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Wall time for measuring, such as 500ms or 10s')
            [CompletionResult]::new('--cpu', '--cpu', [CompletionResultType]::ParameterName, 'Measure on this CPU; the quietest one allowed if absent')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed of the random order of measurement; drawn anew if absent')
            [CompletionResult]::new('--allow', '--allow', [CompletionResultType]::ParameterName, 'Silence a finding; see chronoscope list faults. Repeatable')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with 1 when there is a finding at this level or above')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write what was found as JSON to standard output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No progress and no notes on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No progress and no notes on standard error')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Show everything that is known')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Show everything that is known')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'chronoscope;generate;schema' {
            [CompletionResult]::new('--export', '--export', [CompletionResultType]::ParameterName, 'Also write it in this format to this file; ''-'' is standard output. Repeatable')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Wall time for measuring, such as 500ms or 10s')
            [CompletionResult]::new('--cpu', '--cpu', [CompletionResultType]::ParameterName, 'Measure on this CPU; the quietest one allowed if absent')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed of the random order of measurement; drawn anew if absent')
            [CompletionResult]::new('--allow', '--allow', [CompletionResultType]::ParameterName, 'Silence a finding; see chronoscope list faults. Repeatable')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with 1 when there is a finding at this level or above')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write what was found as JSON to standard output')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'No progress and no notes on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'No progress and no notes on standard error')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Show everything that is known')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Show everything that is known')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'chronoscope;generate;help' {
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Completions for a shell, to standard output')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Man pages of all commands, into a folder that exists')
            [CompletionResult]::new('schema', 'schema', [CompletionResultType]::ParameterValue, 'The JSON Schema of the report, to standard output')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
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
            [CompletionResult]::new('clocks', 'clocks', [CompletionResultType]::ParameterValue, 'What does each clock cost, and how fine is it?')
            [CompletionResult]::new('deltas', 'deltas', [CompletionResultType]::ParameterValue, 'What lies between two reads in a row?')
            [CompletionResult]::new('calls', 'calls', [CompletionResultType]::ParameterValue, 'The mean of a million calls, of ten, and one alone, in three passes')
            [CompletionResult]::new('overhead', 'overhead', [CompletionResultType]::ParameterValue, 'What does timing add to my loop?')
            [CompletionResult]::new('waits', 'waits', [CompletionResultType]::ParameterValue, 'How exactly can I wait here?')
            [CompletionResult]::new('hardware', 'hardware', [CompletionResultType]::ParameterValue, 'Which timer hardware, which kernel clock source, which hypervisor, and why?')
            [CompletionResult]::new('advise', 'advise', [CompletionResultType]::ParameterValue, 'Which clock should I use, and the line of code')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'What is there, and why what is not there is not')
            [CompletionResult]::new('explain', 'explain', [CompletionResultType]::ParameterValue, 'One page on a clock, a wait, a finding, a purpose or a column')
            [CompletionResult]::new('generate', 'generate', [CompletionResultType]::ParameterValue, 'Shell completions, man pages, or the JSON Schema')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'chronoscope;help;clocks' {
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
        'chronoscope;help;waits' {
            break
        }
        'chronoscope;help;hardware' {
            break
        }
        'chronoscope;help;advise' {
            break
        }
        'chronoscope;help;list' {
            break
        }
        'chronoscope;help;explain' {
            break
        }
        'chronoscope;help;generate' {
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Completions for a shell, to standard output')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Man pages of all commands, into a folder that exists')
            [CompletionResult]::new('schema', 'schema', [CompletionResultType]::ParameterValue, 'The JSON Schema of the report, to standard output')
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
