_chronoscope() {
    local i cur prev opts cmd
    COMPREPLY=()
    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
        cur="$2"
    else
        cur="${COMP_WORDS[COMP_CWORD]}"
    fi
    prev="$3"
    cmd=""
    opts=""

    for i in "${COMP_WORDS[@]:0:COMP_CWORD}"
    do
        case "${cmd},${i}" in
            ",$1")
                cmd="chronoscope"
                ;;
            chronoscope,advise)
                cmd="chronoscope__subcmd__advise"
                ;;
            chronoscope,browser)
                cmd="chronoscope__subcmd__browser"
                ;;
            chronoscope,calls)
                cmd="chronoscope__subcmd__calls"
                ;;
            chronoscope,clocks)
                cmd="chronoscope__subcmd__clocks"
                ;;
            chronoscope,compare)
                cmd="chronoscope__subcmd__compare"
                ;;
            chronoscope,deltas)
                cmd="chronoscope__subcmd__deltas"
                ;;
            chronoscope,demo)
                cmd="chronoscope__subcmd__demo"
                ;;
            chronoscope,doctor)
                cmd="chronoscope__subcmd__doctor"
                ;;
            chronoscope,explain)
                cmd="chronoscope__subcmd__explain"
                ;;
            chronoscope,generate)
                cmd="chronoscope__subcmd__generate"
                ;;
            chronoscope,hardware)
                cmd="chronoscope__subcmd__hardware"
                ;;
            chronoscope,help)
                cmd="chronoscope__subcmd__help"
                ;;
            chronoscope,list)
                cmd="chronoscope__subcmd__list"
                ;;
            chronoscope,noise)
                cmd="chronoscope__subcmd__noise"
                ;;
            chronoscope,overhead)
                cmd="chronoscope__subcmd__overhead"
                ;;
            chronoscope,report)
                cmd="chronoscope__subcmd__report"
                ;;
            chronoscope,runtimes)
                cmd="chronoscope__subcmd__runtimes"
                ;;
            chronoscope,serve)
                cmd="chronoscope__subcmd__serve"
                ;;
            chronoscope,sweep)
                cmd="chronoscope__subcmd__sweep"
                ;;
            chronoscope,trust)
                cmd="chronoscope__subcmd__trust"
                ;;
            chronoscope,waits)
                cmd="chronoscope__subcmd__waits"
                ;;
            chronoscope,watch)
                cmd="chronoscope__subcmd__watch"
                ;;
            chronoscope__subcmd__generate,completions)
                cmd="chronoscope__subcmd__generate__subcmd__completions"
                ;;
            chronoscope__subcmd__generate,fleet)
                cmd="chronoscope__subcmd__generate__subcmd__fleet"
                ;;
            chronoscope__subcmd__generate,help)
                cmd="chronoscope__subcmd__generate__subcmd__help"
                ;;
            chronoscope__subcmd__generate,man)
                cmd="chronoscope__subcmd__generate__subcmd__man"
                ;;
            chronoscope__subcmd__generate,schema)
                cmd="chronoscope__subcmd__generate__subcmd__schema"
                ;;
            chronoscope__subcmd__generate__subcmd__help,completions)
                cmd="chronoscope__subcmd__generate__subcmd__help__subcmd__completions"
                ;;
            chronoscope__subcmd__generate__subcmd__help,fleet)
                cmd="chronoscope__subcmd__generate__subcmd__help__subcmd__fleet"
                ;;
            chronoscope__subcmd__generate__subcmd__help,help)
                cmd="chronoscope__subcmd__generate__subcmd__help__subcmd__help"
                ;;
            chronoscope__subcmd__generate__subcmd__help,man)
                cmd="chronoscope__subcmd__generate__subcmd__help__subcmd__man"
                ;;
            chronoscope__subcmd__generate__subcmd__help,schema)
                cmd="chronoscope__subcmd__generate__subcmd__help__subcmd__schema"
                ;;
            chronoscope__subcmd__help,advise)
                cmd="chronoscope__subcmd__help__subcmd__advise"
                ;;
            chronoscope__subcmd__help,browser)
                cmd="chronoscope__subcmd__help__subcmd__browser"
                ;;
            chronoscope__subcmd__help,calls)
                cmd="chronoscope__subcmd__help__subcmd__calls"
                ;;
            chronoscope__subcmd__help,clocks)
                cmd="chronoscope__subcmd__help__subcmd__clocks"
                ;;
            chronoscope__subcmd__help,compare)
                cmd="chronoscope__subcmd__help__subcmd__compare"
                ;;
            chronoscope__subcmd__help,deltas)
                cmd="chronoscope__subcmd__help__subcmd__deltas"
                ;;
            chronoscope__subcmd__help,demo)
                cmd="chronoscope__subcmd__help__subcmd__demo"
                ;;
            chronoscope__subcmd__help,doctor)
                cmd="chronoscope__subcmd__help__subcmd__doctor"
                ;;
            chronoscope__subcmd__help,explain)
                cmd="chronoscope__subcmd__help__subcmd__explain"
                ;;
            chronoscope__subcmd__help,generate)
                cmd="chronoscope__subcmd__help__subcmd__generate"
                ;;
            chronoscope__subcmd__help,hardware)
                cmd="chronoscope__subcmd__help__subcmd__hardware"
                ;;
            chronoscope__subcmd__help,help)
                cmd="chronoscope__subcmd__help__subcmd__help"
                ;;
            chronoscope__subcmd__help,list)
                cmd="chronoscope__subcmd__help__subcmd__list"
                ;;
            chronoscope__subcmd__help,noise)
                cmd="chronoscope__subcmd__help__subcmd__noise"
                ;;
            chronoscope__subcmd__help,overhead)
                cmd="chronoscope__subcmd__help__subcmd__overhead"
                ;;
            chronoscope__subcmd__help,report)
                cmd="chronoscope__subcmd__help__subcmd__report"
                ;;
            chronoscope__subcmd__help,runtimes)
                cmd="chronoscope__subcmd__help__subcmd__runtimes"
                ;;
            chronoscope__subcmd__help,serve)
                cmd="chronoscope__subcmd__help__subcmd__serve"
                ;;
            chronoscope__subcmd__help,sweep)
                cmd="chronoscope__subcmd__help__subcmd__sweep"
                ;;
            chronoscope__subcmd__help,trust)
                cmd="chronoscope__subcmd__help__subcmd__trust"
                ;;
            chronoscope__subcmd__help,waits)
                cmd="chronoscope__subcmd__help__subcmd__waits"
                ;;
            chronoscope__subcmd__help,watch)
                cmd="chronoscope__subcmd__help__subcmd__watch"
                ;;
            chronoscope__subcmd__help__subcmd__generate,completions)
                cmd="chronoscope__subcmd__help__subcmd__generate__subcmd__completions"
                ;;
            chronoscope__subcmd__help__subcmd__generate,fleet)
                cmd="chronoscope__subcmd__help__subcmd__generate__subcmd__fleet"
                ;;
            chronoscope__subcmd__help__subcmd__generate,man)
                cmd="chronoscope__subcmd__help__subcmd__generate__subcmd__man"
                ;;
            chronoscope__subcmd__help__subcmd__generate,schema)
                cmd="chronoscope__subcmd__help__subcmd__generate__subcmd__schema"
                ;;
            *)
                ;;
        esac
    done

    case "${cmd}" in
        chronoscope)
            opts="-o -q -v -h -V --only --all --no-waits --brief --json --export --color --ascii --quiet --verbose --budget --cpu --seed --allow --fail-on --baseline --save-baseline --force --preset --help --version clocks waits runtimes trust noise browser watch advise doctor explain list report compare deltas calls overhead sweep hardware demo serve generate help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 1 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --only)
                    COMPREPLY=($(compgen -W "c/clock c/time c/timespec_get c/gettimeofday c/getrusage c/times c/ftime cxx/steady_clock cxx/steady_clock-nocast cxx/system_clock cxx/system_clock-nocast cxx/high_resolution_clock x86/rdtsc-asm x86/rdtsc-intrinsic x86/rdtsc-builtin x86/rdtsc-ms x86/rdtscp x86/lfence-rdtsc x86/lfence-rdtsc-lfence x86/mfence-rdtsc x86/serialize-rdtsc x86/cpuid-rdtsc x86/rdtscp-cpuid x86/rdpmc arm/cntvct arm/isb-cntvct arm/cntvctss arm/pmccntr posix/realtime posix/monotonic posix/process-cputime posix/thread-cputime linux/monotonic-raw linux/boottime linux/tai linux/realtime-coarse linux/monotonic-coarse linux/realtime-syscall linux/monotonic-syscall linux/monotonic-raw-syscall linux/boottime-syscall linux/tai-syscall linux/realtime-coarse-syscall linux/monotonic-coarse-syscall linux/process-cputime-syscall linux/thread-cputime-syscall linux/realtime-bare linux/monotonic-bare linux/monotonic-raw-bare linux/boottime-bare linux/tai-bare linux/realtime-coarse-bare linux/monotonic-coarse-bare linux/process-cputime-bare linux/thread-cputime-bare linux/monotonic-vdso linux/perf-mmap linux/ptp linux/rtc windows/qpc windows/rtl-qpc windows/getsystemtimeasfiletime windows/getsystemtimepreciseasfiletime windows/querythreadcycletime windows/gettickcount64 windows/timegettime windows/queryinterrupttime windows/queryinterrupttimeprecise windows/queryunbiasedinterrupttime mach/clock_get_time-system mach/clock_get_time-calendar mach/absolute_time mach/continuous_time mach/approximate_time darwin/clock_gettime_nsec_np-realtime darwin/clock_gettime_nsec_np-monotonic darwin/clock_gettime_nsec_np-monotonic-raw darwin/clock_gettime_nsec_np-monotonic-raw-approx darwin/clock_gettime_nsec_np-uptime-raw darwin/clock_gettime_nsec_np-uptime-raw-approx darwin/clock_gettime_nsec_np-process-cputime darwin/clock_gettime_nsec_np-thread-cputime rust/instant rust/system_time chronoscope/instant chronoscope/ordered quanta/instant quanta/recent minstant/instant fastant/instant coarsetime/instant coarsetime/recent" -- "${cur}"))
                    return 0
                    ;;
                --export)
                    COMPREPLY=($(compgen -W "json= ndjson= csv= markdown= html= hdr= prometheus= cyclictest= cyclictest-json= svg=" -- "${cur}"))
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "json= ndjson= csv= markdown= html= hdr= prometheus= cyclictest= cyclictest-json= svg=" -- "${cur}"))
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --budget)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --cpu)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --allow)
                    COMPREPLY=($(compgen -W "info warning error adjtimex-denied arm-counter-erratum bad-calibration cgroup-throttled changed-during-run clock-backwards clock-not-in-vdso clock-slewed clock-stepped clocksource-changed clocksource-refused cntfrq-mismatch coarse-counter coarse-tick contended-read counter-out-of-step deep-idle emulated-cpu error-understated frequency-changed governor-powersave guest-ahead guest-behind guest-calibration-failed guest-tsc-unreliable host-gaps hrtimers-off hyperv-tsc-page-off kvm-clock-unstable leap-pending leap-second-inserted library-clock long-slice-late macos-monotonic-us no-vdso noisy-machine noisy-neighbour on-battery preempted-awake qpc-on-hpet qpc-on-variant-tsc qpc-shifted rate-misjudged rate-off-everywhere rdtscp-forbidden readout-stall rt-throttling same-oscillator sleeps-refused slow-clocksource-acpi-pm slow-clocksource-hpet slow-clocksource-jiffies slow-clocksource-xen smi smt-sibling-busy sources-disagree suspended tai-unset time64-blocked time-namespace timer-interrupt-long timer-requests-ignored timer-resolution-15ms timer-slack tsc-adjust-differs tsc-deadline-off tsc-emulated tsc-forbidden tsc-forced-reliable tsc-given-up tsc-jump tsc-not-p0 tsc-rate-mismatch tsc-skew tsc-variant tsc-warp two-disciplines unordered-read unsynchronised vcpu-hotplug vdso-disagrees vm-migrated vm-paused vm-restored watchdog-false-positive watchdog-off" -- "${cur}"))
                    return 0
                    ;;
                --fail-on)
                    COMPREPLY=($(compgen -W "info warning error adjtimex-denied arm-counter-erratum bad-calibration cgroup-throttled changed-during-run clock-backwards clock-not-in-vdso clock-slewed clock-stepped clocksource-changed clocksource-refused cntfrq-mismatch coarse-counter coarse-tick contended-read counter-out-of-step deep-idle emulated-cpu error-understated frequency-changed governor-powersave guest-ahead guest-behind guest-calibration-failed guest-tsc-unreliable host-gaps hrtimers-off hyperv-tsc-page-off kvm-clock-unstable leap-pending leap-second-inserted library-clock long-slice-late macos-monotonic-us no-vdso noisy-machine noisy-neighbour on-battery preempted-awake qpc-on-hpet qpc-on-variant-tsc qpc-shifted rate-misjudged rate-off-everywhere rdtscp-forbidden readout-stall rt-throttling same-oscillator sleeps-refused slow-clocksource-acpi-pm slow-clocksource-hpet slow-clocksource-jiffies slow-clocksource-xen smi smt-sibling-busy sources-disagree suspended tai-unset time64-blocked time-namespace timer-interrupt-long timer-requests-ignored timer-resolution-15ms timer-slack tsc-adjust-differs tsc-deadline-off tsc-emulated tsc-forbidden tsc-forced-reliable tsc-given-up tsc-jump tsc-not-p0 tsc-rate-mismatch tsc-skew tsc-variant tsc-warp two-disciplines unordered-read unsynchronised vcpu-hotplug vdso-disagrees vm-migrated vm-paused vm-restored watchdog-false-positive watchdog-off" -- "${cur}"))
                    return 0
                    ;;
                --baseline)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --save-baseline)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --preset)
                    COMPREPLY=($(compgen -W "time-functions timetest instant-overhead windows-waits stopwatch" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__advise)
            opts="-o -q -v -h -V --for --wait --every --work --goal --language --runtimes --from --on --json --export --color --ascii --quiet --verbose --budget --cpu --seed --allow --fail-on --baseline --save-baseline --force --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --for)
                    COMPREPLY=($(compgen -W "interval micro timestamp coarse cpu cross-process boot trace wait" -- "${cur}"))
                    return 0
                    ;;
                --wait)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --every)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --work)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --goal)
                    COMPREPLY=($(compgen -W "accuracy cpu load" -- "${cur}"))
                    return 0
                    ;;
                --language)
                    COMPREPLY=($(compgen -W "C C++ Rust C# Java Go Python JavaScript all" -- "${cur}"))
                    return 0
                    ;;
                --from)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --on)
                    COMPREPLY=($(compgen -W "windows macos linux pi" -- "${cur}"))
                    return 0
                    ;;
                --export)
                    COMPREPLY=($(compgen -W "json= ndjson= csv= markdown= html= hdr= prometheus= cyclictest= cyclictest-json= svg=" -- "${cur}"))
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "json= ndjson= csv= markdown= html= hdr= prometheus= cyclictest= cyclictest-json= svg=" -- "${cur}"))
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --budget)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --cpu)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --allow)
                    COMPREPLY=($(compgen -W "info warning error adjtimex-denied arm-counter-erratum bad-calibration cgroup-throttled changed-during-run clock-backwards clock-not-in-vdso clock-slewed clock-stepped clocksource-changed clocksource-refused cntfrq-mismatch coarse-counter coarse-tick contended-read counter-out-of-step deep-idle emulated-cpu error-understated frequency-changed governor-powersave guest-ahead guest-behind guest-calibration-failed guest-tsc-unreliable host-gaps hrtimers-off hyperv-tsc-page-off kvm-clock-unstable leap-pending leap-second-inserted library-clock long-slice-late macos-monotonic-us no-vdso noisy-machine noisy-neighbour on-battery preempted-awake qpc-on-hpet qpc-on-variant-tsc qpc-shifted rate-misjudged rate-off-everywhere rdtscp-forbidden readout-stall rt-throttling same-oscillator sleeps-refused slow-clocksource-acpi-pm slow-clocksource-hpet slow-clocksource-jiffies slow-clocksource-xen smi smt-sibling-busy sources-disagree suspended tai-unset time64-blocked time-namespace timer-interrupt-long timer-requests-ignored timer-resolution-15ms timer-slack tsc-adjust-differs tsc-deadline-off tsc-emulated tsc-forbidden tsc-forced-reliable tsc-given-up tsc-jump tsc-not-p0 tsc-rate-mismatch tsc-skew tsc-variant tsc-warp two-disciplines unordered-read unsynchronised vcpu-hotplug vdso-disagrees vm-migrated vm-paused vm-restored watchdog-false-positive watchdog-off" -- "${cur}"))
                    return 0
                    ;;
                --fail-on)
                    COMPREPLY=($(compgen -W "info warning error adjtimex-denied arm-counter-erratum bad-calibration cgroup-throttled changed-during-run clock-backwards clock-not-in-vdso clock-slewed clock-stepped clocksource-changed clocksource-refused cntfrq-mismatch coarse-counter coarse-tick contended-read counter-out-of-step deep-idle emulated-cpu error-understated frequency-changed governor-powersave guest-ahead guest-behind guest-calibration-failed guest-tsc-unreliable host-gaps hrtimers-off hyperv-tsc-page-off kvm-clock-unstable leap-pending leap-second-inserted library-clock long-slice-late macos-monotonic-us no-vdso noisy-machine noisy-neighbour on-battery preempted-awake qpc-on-hpet qpc-on-variant-tsc qpc-shifted rate-misjudged rate-off-everywhere rdtscp-forbidden readout-stall rt-throttling same-oscillator sleeps-refused slow-clocksource-acpi-pm slow-clocksource-hpet slow-clocksource-jiffies slow-clocksource-xen smi smt-sibling-busy sources-disagree suspended tai-unset time64-blocked time-namespace timer-interrupt-long timer-requests-ignored timer-resolution-15ms timer-slack tsc-adjust-differs tsc-deadline-off tsc-emulated tsc-forbidden tsc-forced-reliable tsc-given-up tsc-jump tsc-not-p0 tsc-rate-mismatch tsc-skew tsc-variant tsc-warp two-disciplines unordered-read unsynchronised vcpu-hotplug vdso-disagrees vm-migrated vm-paused vm-restored watchdog-false-positive watchdog-off" -- "${cur}"))
                    return 0
                    ;;
                --baseline)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --save-baseline)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__browser)
            opts="-o -h -V --output --serve --port --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                -o)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --port)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__calls)
            opts="-o -q -v -h -V --load --load-processes --priority --allow-high-priority --json --export --color --ascii --quiet --verbose --budget --cpu --seed --allow --fail-on --baseline --save-baseline --force --preset --help --version c/clock c/time c/timespec_get c/gettimeofday c/getrusage c/times c/ftime cxx/steady_clock cxx/steady_clock-nocast cxx/system_clock cxx/system_clock-nocast cxx/high_resolution_clock x86/rdtsc-asm x86/rdtsc-intrinsic x86/rdtsc-builtin x86/rdtsc-ms x86/rdtscp x86/lfence-rdtsc x86/lfence-rdtsc-lfence x86/mfence-rdtsc x86/serialize-rdtsc x86/cpuid-rdtsc x86/rdtscp-cpuid x86/rdpmc arm/cntvct arm/isb-cntvct arm/cntvctss arm/pmccntr posix/realtime posix/monotonic posix/process-cputime posix/thread-cputime linux/monotonic-raw linux/boottime linux/tai linux/realtime-coarse linux/monotonic-coarse linux/realtime-syscall linux/monotonic-syscall linux/monotonic-raw-syscall linux/boottime-syscall linux/tai-syscall linux/realtime-coarse-syscall linux/monotonic-coarse-syscall linux/process-cputime-syscall linux/thread-cputime-syscall linux/realtime-bare linux/monotonic-bare linux/monotonic-raw-bare linux/boottime-bare linux/tai-bare linux/realtime-coarse-bare linux/monotonic-coarse-bare linux/process-cputime-bare linux/thread-cputime-bare linux/monotonic-vdso linux/perf-mmap linux/ptp linux/rtc windows/qpc windows/rtl-qpc windows/getsystemtimeasfiletime windows/getsystemtimepreciseasfiletime windows/querythreadcycletime windows/gettickcount64 windows/timegettime windows/queryinterrupttime windows/queryinterrupttimeprecise windows/queryunbiasedinterrupttime mach/clock_get_time-system mach/clock_get_time-calendar mach/absolute_time mach/continuous_time mach/approximate_time darwin/clock_gettime_nsec_np-realtime darwin/clock_gettime_nsec_np-monotonic darwin/clock_gettime_nsec_np-monotonic-raw darwin/clock_gettime_nsec_np-monotonic-raw-approx darwin/clock_gettime_nsec_np-uptime-raw darwin/clock_gettime_nsec_np-uptime-raw-approx darwin/clock_gettime_nsec_np-process-cputime darwin/clock_gettime_nsec_np-thread-cputime rust/instant rust/system_time chronoscope/instant chronoscope/ordered quanta/instant quanta/recent minstant/instant fastant/instant coarsetime/instant coarsetime/recent"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --load)
                    COMPREPLY=($(compgen -W "none low low-nice normal high io memory timers print" -- "${cur}"))
                    return 0
                    ;;
                --load-processes)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --priority)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --export)
                    COMPREPLY=($(compgen -W "json= ndjson= csv= markdown= html= hdr= prometheus= cyclictest= cyclictest-json= svg=" -- "${cur}"))
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "json= ndjson= csv= markdown= html= hdr= prometheus= cyclictest= cyclictest-json= svg=" -- "${cur}"))
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --budget)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --cpu)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --allow)
                    COMPREPLY=($(compgen -W "info warning error adjtimex-denied arm-counter-erratum bad-calibration cgroup-throttled changed-during-run clock-backwards clock-not-in-vdso clock-slewed clock-stepped clocksource-changed clocksource-refused cntfrq-mismatch coarse-counter coarse-tick contended-read counter-out-of-step deep-idle emulated-cpu error-understated frequency-changed governor-powersave guest-ahead guest-behind guest-calibration-failed guest-tsc-unreliable host-gaps hrtimers-off hyperv-tsc-page-off kvm-clock-unstable leap-pending leap-second-inserted library-clock long-slice-late macos-monotonic-us no-vdso noisy-machine noisy-neighbour on-battery preempted-awake qpc-on-hpet qpc-on-variant-tsc qpc-shifted rate-misjudged rate-off-everywhere rdtscp-forbidden readout-stall rt-throttling same-oscillator sleeps-refused slow-clocksource-acpi-pm slow-clocksource-hpet slow-clocksource-jiffies slow-clocksource-xen smi smt-sibling-busy sources-disagree suspended tai-unset time64-blocked time-namespace timer-interrupt-long timer-requests-ignored timer-resolution-15ms timer-slack tsc-adjust-differs tsc-deadline-off tsc-emulated tsc-forbidden tsc-forced-reliable tsc-given-up tsc-jump tsc-not-p0 tsc-rate-mismatch tsc-skew tsc-variant tsc-warp two-disciplines unordered-read unsynchronised vcpu-hotplug vdso-disagrees vm-migrated vm-paused vm-restored watchdog-false-positive watchdog-off" -- "${cur}"))
                    return 0
                    ;;
                --fail-on)
                    COMPREPLY=($(compgen -W "info warning error adjtimex-denied arm-counter-erratum bad-calibration cgroup-throttled changed-during-run clock-backwards clock-not-in-vdso clock-slewed clock-stepped clocksource-changed clocksource-refused cntfrq-mismatch coarse-counter coarse-tick contended-read counter-out-of-step deep-idle emulated-cpu error-understated frequency-changed governor-powersave guest-ahead guest-behind guest-calibration-failed guest-tsc-unreliable host-gaps hrtimers-off hyperv-tsc-page-off kvm-clock-unstable leap-pending leap-second-inserted library-clock long-slice-late macos-monotonic-us no-vdso noisy-machine noisy-neighbour on-battery preempted-awake qpc-on-hpet qpc-on-variant-tsc qpc-shifted rate-misjudged rate-off-everywhere rdtscp-forbidden readout-stall rt-throttling same-oscillator sleeps-refused slow-clocksource-acpi-pm slow-clocksource-hpet slow-clocksource-jiffies slow-clocksource-xen smi smt-sibling-busy sources-disagree suspended tai-unset time64-blocked time-namespace timer-interrupt-long timer-requests-ignored timer-resolution-15ms timer-slack tsc-adjust-differs tsc-deadline-off tsc-emulated tsc-forbidden tsc-forced-reliable tsc-given-up tsc-jump tsc-not-p0 tsc-rate-mismatch tsc-skew tsc-variant tsc-warp two-disciplines unordered-read unsynchronised vcpu-hotplug vdso-disagrees vm-migrated vm-paused vm-restored watchdog-false-positive watchdog-off" -- "${cur}"))
                    return 0
                    ;;
                --baseline)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --save-baseline)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --preset)
                    COMPREPLY=($(compgen -W "timetest" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__clocks)
            opts="-o -q -v -h -V --calls --peers --load --load-processes --priority --allow-high-priority --json --export --color --ascii --quiet --verbose --budget --cpu --seed --allow --fail-on --baseline --save-baseline --force --preset --help --version c/clock c/time c/timespec_get c/gettimeofday c/getrusage c/times c/ftime cxx/steady_clock cxx/steady_clock-nocast cxx/system_clock cxx/system_clock-nocast cxx/high_resolution_clock x86/rdtsc-asm x86/rdtsc-intrinsic x86/rdtsc-builtin x86/rdtsc-ms x86/rdtscp x86/lfence-rdtsc x86/lfence-rdtsc-lfence x86/mfence-rdtsc x86/serialize-rdtsc x86/cpuid-rdtsc x86/rdtscp-cpuid x86/rdpmc arm/cntvct arm/isb-cntvct arm/cntvctss arm/pmccntr posix/realtime posix/monotonic posix/process-cputime posix/thread-cputime linux/monotonic-raw linux/boottime linux/tai linux/realtime-coarse linux/monotonic-coarse linux/realtime-syscall linux/monotonic-syscall linux/monotonic-raw-syscall linux/boottime-syscall linux/tai-syscall linux/realtime-coarse-syscall linux/monotonic-coarse-syscall linux/process-cputime-syscall linux/thread-cputime-syscall linux/realtime-bare linux/monotonic-bare linux/monotonic-raw-bare linux/boottime-bare linux/tai-bare linux/realtime-coarse-bare linux/monotonic-coarse-bare linux/process-cputime-bare linux/thread-cputime-bare linux/monotonic-vdso linux/perf-mmap linux/ptp linux/rtc windows/qpc windows/rtl-qpc windows/getsystemtimeasfiletime windows/getsystemtimepreciseasfiletime windows/querythreadcycletime windows/gettickcount64 windows/timegettime windows/queryinterrupttime windows/queryinterrupttimeprecise windows/queryunbiasedinterrupttime mach/clock_get_time-system mach/clock_get_time-calendar mach/absolute_time mach/continuous_time mach/approximate_time darwin/clock_gettime_nsec_np-realtime darwin/clock_gettime_nsec_np-monotonic darwin/clock_gettime_nsec_np-monotonic-raw darwin/clock_gettime_nsec_np-monotonic-raw-approx darwin/clock_gettime_nsec_np-uptime-raw darwin/clock_gettime_nsec_np-uptime-raw-approx darwin/clock_gettime_nsec_np-process-cputime darwin/clock_gettime_nsec_np-thread-cputime rust/instant rust/system_time chronoscope/instant chronoscope/ordered quanta/instant quanta/recent minstant/instant fastant/instant coarsetime/instant coarsetime/recent"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --calls)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --load)
                    COMPREPLY=($(compgen -W "none low low-nice normal high io memory timers print" -- "${cur}"))
                    return 0
                    ;;
                --load-processes)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --priority)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --export)
                    COMPREPLY=($(compgen -W "json= ndjson= csv= markdown= html= hdr= prometheus= cyclictest= cyclictest-json= svg=" -- "${cur}"))
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "json= ndjson= csv= markdown= html= hdr= prometheus= cyclictest= cyclictest-json= svg=" -- "${cur}"))
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --budget)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --cpu)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --allow)
                    COMPREPLY=($(compgen -W "info warning error adjtimex-denied arm-counter-erratum bad-calibration cgroup-throttled changed-during-run clock-backwards clock-not-in-vdso clock-slewed clock-stepped clocksource-changed clocksource-refused cntfrq-mismatch coarse-counter coarse-tick contended-read counter-out-of-step deep-idle emulated-cpu error-understated frequency-changed governor-powersave guest-ahead guest-behind guest-calibration-failed guest-tsc-unreliable host-gaps hrtimers-off hyperv-tsc-page-off kvm-clock-unstable leap-pending leap-second-inserted library-clock long-slice-late macos-monotonic-us no-vdso noisy-machine noisy-neighbour on-battery preempted-awake qpc-on-hpet qpc-on-variant-tsc qpc-shifted rate-misjudged rate-off-everywhere rdtscp-forbidden readout-stall rt-throttling same-oscillator sleeps-refused slow-clocksource-acpi-pm slow-clocksource-hpet slow-clocksource-jiffies slow-clocksource-xen smi smt-sibling-busy sources-disagree suspended tai-unset time64-blocked time-namespace timer-interrupt-long timer-requests-ignored timer-resolution-15ms timer-slack tsc-adjust-differs tsc-deadline-off tsc-emulated tsc-forbidden tsc-forced-reliable tsc-given-up tsc-jump tsc-not-p0 tsc-rate-mismatch tsc-skew tsc-variant tsc-warp two-disciplines unordered-read unsynchronised vcpu-hotplug vdso-disagrees vm-migrated vm-paused vm-restored watchdog-false-positive watchdog-off" -- "${cur}"))
                    return 0
                    ;;
                --fail-on)
                    COMPREPLY=($(compgen -W "info warning error adjtimex-denied arm-counter-erratum bad-calibration cgroup-throttled changed-during-run clock-backwards clock-not-in-vdso clock-slewed clock-stepped clocksource-changed clocksource-refused cntfrq-mismatch coarse-counter coarse-tick contended-read counter-out-of-step deep-idle emulated-cpu error-understated frequency-changed governor-powersave guest-ahead guest-behind guest-calibration-failed guest-tsc-unreliable host-gaps hrtimers-off hyperv-tsc-page-off kvm-clock-unstable leap-pending leap-second-inserted library-clock long-slice-late macos-monotonic-us no-vdso noisy-machine noisy-neighbour on-battery preempted-awake qpc-on-hpet qpc-on-variant-tsc qpc-shifted rate-misjudged rate-off-everywhere rdtscp-forbidden readout-stall rt-throttling same-oscillator sleeps-refused slow-clocksource-acpi-pm slow-clocksource-hpet slow-clocksource-jiffies slow-clocksource-xen smi smt-sibling-busy sources-disagree suspended tai-unset time64-blocked time-namespace timer-interrupt-long timer-requests-ignored timer-resolution-15ms timer-slack tsc-adjust-differs tsc-deadline-off tsc-emulated tsc-forbidden tsc-forced-reliable tsc-given-up tsc-jump tsc-not-p0 tsc-rate-mismatch tsc-skew tsc-variant tsc-warp two-disciplines unordered-read unsynchronised vcpu-hotplug vdso-disagrees vm-migrated vm-paused vm-restored watchdog-false-positive watchdog-off" -- "${cur}"))
                    return 0
                    ;;
                --baseline)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --save-baseline)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --preset)
                    COMPREPLY=($(compgen -W "time-functions" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__compare)
            opts="-o -q -v -h -V --run --pairs --metric --metric-file --timeout --seed --history --threshold --json --export --color --ascii --quiet --verbose --baseline --save-baseline --force --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --run)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --pairs)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --metric)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --metric-file)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --history)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --threshold)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --export)
                    COMPREPLY=($(compgen -W "json= ndjson= csv= markdown= html= hdr= prometheus= cyclictest= cyclictest-json= svg=" -- "${cur}"))
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "json= ndjson= csv= markdown= html= hdr= prometheus= cyclictest= cyclictest-json= svg=" -- "${cur}"))
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --baseline)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --save-baseline)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__deltas)
            opts="-o -q -v -h -V --reads --load --load-processes --priority --allow-high-priority --json --export --color --ascii --quiet --verbose --budget --cpu --seed --allow --fail-on --baseline --save-baseline --force --help --version c/clock c/time c/timespec_get c/gettimeofday c/getrusage c/times c/ftime cxx/steady_clock cxx/steady_clock-nocast cxx/system_clock cxx/system_clock-nocast cxx/high_resolution_clock x86/rdtsc-asm x86/rdtsc-intrinsic x86/rdtsc-builtin x86/rdtsc-ms x86/rdtscp x86/lfence-rdtsc x86/lfence-rdtsc-lfence x86/mfence-rdtsc x86/serialize-rdtsc x86/cpuid-rdtsc x86/rdtscp-cpuid x86/rdpmc arm/cntvct arm/isb-cntvct arm/cntvctss arm/pmccntr posix/realtime posix/monotonic posix/process-cputime posix/thread-cputime linux/monotonic-raw linux/boottime linux/tai linux/realtime-coarse linux/monotonic-coarse linux/realtime-syscall linux/monotonic-syscall linux/monotonic-raw-syscall linux/boottime-syscall linux/tai-syscall linux/realtime-coarse-syscall linux/monotonic-coarse-syscall linux/process-cputime-syscall linux/thread-cputime-syscall linux/realtime-bare linux/monotonic-bare linux/monotonic-raw-bare linux/boottime-bare linux/tai-bare linux/realtime-coarse-bare linux/monotonic-coarse-bare linux/process-cputime-bare linux/thread-cputime-bare linux/monotonic-vdso linux/perf-mmap linux/ptp linux/rtc windows/qpc windows/rtl-qpc windows/getsystemtimeasfiletime windows/getsystemtimepreciseasfiletime windows/querythreadcycletime windows/gettickcount64 windows/timegettime windows/queryinterrupttime windows/queryinterrupttimeprecise windows/queryunbiasedinterrupttime mach/clock_get_time-system mach/clock_get_time-calendar mach/absolute_time mach/continuous_time mach/approximate_time darwin/clock_gettime_nsec_np-realtime darwin/clock_gettime_nsec_np-monotonic darwin/clock_gettime_nsec_np-monotonic-raw darwin/clock_gettime_nsec_np-monotonic-raw-approx darwin/clock_gettime_nsec_np-uptime-raw darwin/clock_gettime_nsec_np-uptime-raw-approx darwin/clock_gettime_nsec_np-process-cputime darwin/clock_gettime_nsec_np-thread-cputime rust/instant rust/system_time chronoscope/instant chronoscope/ordered quanta/instant quanta/recent minstant/instant fastant/instant coarsetime/instant coarsetime/recent"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --reads)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --load)
                    COMPREPLY=($(compgen -W "none low low-nice normal high io memory timers print" -- "${cur}"))
                    return 0
                    ;;
                --load-processes)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --priority)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --export)
                    COMPREPLY=($(compgen -W "json= ndjson= csv= markdown= html= hdr= prometheus= cyclictest= cyclictest-json= svg=" -- "${cur}"))
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "json= ndjson= csv= markdown= html= hdr= prometheus= cyclictest= cyclictest-json= svg=" -- "${cur}"))
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --budget)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --cpu)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --allow)
                    COMPREPLY=($(compgen -W "info warning error adjtimex-denied arm-counter-erratum bad-calibration cgroup-throttled changed-during-run clock-backwards clock-not-in-vdso clock-slewed clock-stepped clocksource-changed clocksource-refused cntfrq-mismatch coarse-counter coarse-tick contended-read counter-out-of-step deep-idle emulated-cpu error-understated frequency-changed governor-powersave guest-ahead guest-behind guest-calibration-failed guest-tsc-unreliable host-gaps hrtimers-off hyperv-tsc-page-off kvm-clock-unstable leap-pending leap-second-inserted library-clock long-slice-late macos-monotonic-us no-vdso noisy-machine noisy-neighbour on-battery preempted-awake qpc-on-hpet qpc-on-variant-tsc qpc-shifted rate-misjudged rate-off-everywhere rdtscp-forbidden readout-stall rt-throttling same-oscillator sleeps-refused slow-clocksource-acpi-pm slow-clocksource-hpet slow-clocksource-jiffies slow-clocksource-xen smi smt-sibling-busy sources-disagree suspended tai-unset time64-blocked time-namespace timer-interrupt-long timer-requests-ignored timer-resolution-15ms timer-slack tsc-adjust-differs tsc-deadline-off tsc-emulated tsc-forbidden tsc-forced-reliable tsc-given-up tsc-jump tsc-not-p0 tsc-rate-mismatch tsc-skew tsc-variant tsc-warp two-disciplines unordered-read unsynchronised vcpu-hotplug vdso-disagrees vm-migrated vm-paused vm-restored watchdog-false-positive watchdog-off" -- "${cur}"))
                    return 0
                    ;;
                --fail-on)
                    COMPREPLY=($(compgen -W "info warning error adjtimex-denied arm-counter-erratum bad-calibration cgroup-throttled changed-during-run clock-backwards clock-not-in-vdso clock-slewed clock-stepped clocksource-changed clocksource-refused cntfrq-mismatch coarse-counter coarse-tick contended-read counter-out-of-step deep-idle emulated-cpu error-understated frequency-changed governor-powersave guest-ahead guest-behind guest-calibration-failed guest-tsc-unreliable host-gaps hrtimers-off hyperv-tsc-page-off kvm-clock-unstable leap-pending leap-second-inserted library-clock long-slice-late macos-monotonic-us no-vdso noisy-machine noisy-neighbour on-battery preempted-awake qpc-on-hpet qpc-on-variant-tsc qpc-shifted rate-misjudged rate-off-everywhere rdtscp-forbidden readout-stall rt-throttling same-oscillator sleeps-refused slow-clocksource-acpi-pm slow-clocksource-hpet slow-clocksource-jiffies slow-clocksource-xen smi smt-sibling-busy sources-disagree suspended tai-unset time64-blocked time-namespace timer-interrupt-long timer-requests-ignored timer-resolution-15ms timer-slack tsc-adjust-differs tsc-deadline-off tsc-emulated tsc-forbidden tsc-forced-reliable tsc-given-up tsc-jump tsc-not-p0 tsc-rate-mismatch tsc-skew tsc-variant tsc-warp two-disciplines unordered-read unsynchronised vcpu-hotplug vdso-disagrees vm-migrated vm-paused vm-restored watchdog-false-positive watchdog-off" -- "${cur}"))
                    return 0
                    ;;
                --baseline)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --save-baseline)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__demo)
            opts="-o -q -h -V --budget --json --export --color --ascii --quiet --help --version two-reads clock-back coarse-clock unordered-read other-cpu empty-interval list"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --budget)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --export)
                    COMPREPLY=($(compgen -W "json= ndjson= csv= markdown= html= hdr= prometheus= cyclictest= cyclictest-json= svg=" -- "${cur}"))
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "json= ndjson= csv= markdown= html= hdr= prometheus= cyclictest= cyclictest-json= svg=" -- "${cur}"))
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__doctor)
            opts="-o -q -v -h -V --quick --record --facts --pid --json --export --color --ascii --quiet --verbose --budget --cpu --seed --allow --fail-on --baseline --save-baseline --force --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --record)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --facts)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --pid)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --export)
                    COMPREPLY=($(compgen -W "json= ndjson= csv= markdown= html= hdr= prometheus= cyclictest= cyclictest-json= svg=" -- "${cur}"))
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "json= ndjson= csv= markdown= html= hdr= prometheus= cyclictest= cyclictest-json= svg=" -- "${cur}"))
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --budget)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --cpu)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --allow)
                    COMPREPLY=($(compgen -W "info warning error adjtimex-denied arm-counter-erratum bad-calibration cgroup-throttled changed-during-run clock-backwards clock-not-in-vdso clock-slewed clock-stepped clocksource-changed clocksource-refused cntfrq-mismatch coarse-counter coarse-tick contended-read counter-out-of-step deep-idle emulated-cpu error-understated frequency-changed governor-powersave guest-ahead guest-behind guest-calibration-failed guest-tsc-unreliable host-gaps hrtimers-off hyperv-tsc-page-off kvm-clock-unstable leap-pending leap-second-inserted library-clock long-slice-late macos-monotonic-us no-vdso noisy-machine noisy-neighbour on-battery preempted-awake qpc-on-hpet qpc-on-variant-tsc qpc-shifted rate-misjudged rate-off-everywhere rdtscp-forbidden readout-stall rt-throttling same-oscillator sleeps-refused slow-clocksource-acpi-pm slow-clocksource-hpet slow-clocksource-jiffies slow-clocksource-xen smi smt-sibling-busy sources-disagree suspended tai-unset time64-blocked time-namespace timer-interrupt-long timer-requests-ignored timer-resolution-15ms timer-slack tsc-adjust-differs tsc-deadline-off tsc-emulated tsc-forbidden tsc-forced-reliable tsc-given-up tsc-jump tsc-not-p0 tsc-rate-mismatch tsc-skew tsc-variant tsc-warp two-disciplines unordered-read unsynchronised vcpu-hotplug vdso-disagrees vm-migrated vm-paused vm-restored watchdog-false-positive watchdog-off" -- "${cur}"))
                    return 0
                    ;;
                --fail-on)
                    COMPREPLY=($(compgen -W "info warning error adjtimex-denied arm-counter-erratum bad-calibration cgroup-throttled changed-during-run clock-backwards clock-not-in-vdso clock-slewed clock-stepped clocksource-changed clocksource-refused cntfrq-mismatch coarse-counter coarse-tick contended-read counter-out-of-step deep-idle emulated-cpu error-understated frequency-changed governor-powersave guest-ahead guest-behind guest-calibration-failed guest-tsc-unreliable host-gaps hrtimers-off hyperv-tsc-page-off kvm-clock-unstable leap-pending leap-second-inserted library-clock long-slice-late macos-monotonic-us no-vdso noisy-machine noisy-neighbour on-battery preempted-awake qpc-on-hpet qpc-on-variant-tsc qpc-shifted rate-misjudged rate-off-everywhere rdtscp-forbidden readout-stall rt-throttling same-oscillator sleeps-refused slow-clocksource-acpi-pm slow-clocksource-hpet slow-clocksource-jiffies slow-clocksource-xen smi smt-sibling-busy sources-disagree suspended tai-unset time64-blocked time-namespace timer-interrupt-long timer-requests-ignored timer-resolution-15ms timer-slack tsc-adjust-differs tsc-deadline-off tsc-emulated tsc-forbidden tsc-forced-reliable tsc-given-up tsc-jump tsc-not-p0 tsc-rate-mismatch tsc-skew tsc-variant tsc-warp two-disciplines unordered-read unsynchronised vcpu-hotplug vdso-disagrees vm-migrated vm-paused vm-restored watchdog-false-positive watchdog-off" -- "${cur}"))
                    return 0
                    ;;
                --baseline)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --save-baseline)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__explain)
            opts="-o -q -h -V --json --export --color --ascii --quiet --help --version c/clock c/time c/timespec_get c/gettimeofday c/getrusage c/times c/ftime cxx/steady_clock cxx/steady_clock-nocast cxx/system_clock cxx/system_clock-nocast cxx/high_resolution_clock x86/rdtsc-asm x86/rdtsc-intrinsic x86/rdtsc-builtin x86/rdtsc-ms x86/rdtscp x86/lfence-rdtsc x86/lfence-rdtsc-lfence x86/mfence-rdtsc x86/serialize-rdtsc x86/cpuid-rdtsc x86/rdtscp-cpuid x86/rdpmc arm/cntvct arm/isb-cntvct arm/cntvctss arm/pmccntr posix/realtime posix/monotonic posix/process-cputime posix/thread-cputime linux/monotonic-raw linux/boottime linux/tai linux/realtime-coarse linux/monotonic-coarse linux/realtime-syscall linux/monotonic-syscall linux/monotonic-raw-syscall linux/boottime-syscall linux/tai-syscall linux/realtime-coarse-syscall linux/monotonic-coarse-syscall linux/process-cputime-syscall linux/thread-cputime-syscall linux/realtime-bare linux/monotonic-bare linux/monotonic-raw-bare linux/boottime-bare linux/tai-bare linux/realtime-coarse-bare linux/monotonic-coarse-bare linux/process-cputime-bare linux/thread-cputime-bare linux/monotonic-vdso linux/perf-mmap linux/ptp linux/rtc windows/qpc windows/rtl-qpc windows/getsystemtimeasfiletime windows/getsystemtimepreciseasfiletime windows/querythreadcycletime windows/gettickcount64 windows/timegettime windows/queryinterrupttime windows/queryinterrupttimeprecise windows/queryunbiasedinterrupttime mach/clock_get_time-system mach/clock_get_time-calendar mach/absolute_time mach/continuous_time mach/approximate_time darwin/clock_gettime_nsec_np-realtime darwin/clock_gettime_nsec_np-monotonic darwin/clock_gettime_nsec_np-monotonic-raw darwin/clock_gettime_nsec_np-monotonic-raw-approx darwin/clock_gettime_nsec_np-uptime-raw darwin/clock_gettime_nsec_np-uptime-raw-approx darwin/clock_gettime_nsec_np-process-cputime darwin/clock_gettime_nsec_np-thread-cputime rust/instant rust/system_time chronoscope/instant chronoscope/ordered quanta/instant quanta/recent minstant/instant fastant/instant coarsetime/instant coarsetime/recent linux/nanosleep linux/clock_nanosleep-abs linux/timerfd linux/epoll_pwait2 linux/ppoll linux/select linux/futex linux/io_uring-timeout linux/io_uring-wait-arg linux/sigtimedwait posix/usleep posix/cond_timedwait rust/thread-sleep cxx/sleep_for cxx/sleep_until cxx/condition_variable-wait_until cxx/future-wait_for cxx/timed_mutex-try_lock_for windows/sleep windows/waitable-timer windows/waitable-timer-high-resolution windows/ntdelayexecution mingw/usleep mingw/nanosleep mach/wait_until darwin/nanosleep darwin/kevent busy/tsc busy/tsc-bare busy/cntvct busy/qpc busy/monotonic busy/instant busy/tpause busy/umwait busy/wfe busy/wfet busy/sched_yield hybrid/fixed hybrid/nanosleep hybrid/timerfd hybrid/sleep hybrid/waitable-timer hybrid/waitable-timer-high-resolution chronoscope/wait chronoscope/wait-economy chronoscope/wait-precise spin_sleep python/sleep python/event-wait python/lock-acquire python/queue-get python/condition-wait python/socket-recv python/select python/poll python/epoll python/asyncio-sleep python/call-at python/chronoscope python/clock-sleep python/uvloop-sleep python/uvloop-call-at python/uvloop-clock-sleep pypy/sleep pypy/event-wait pypy/lock-acquire pypy/queue-get pypy/condition-wait pypy/socket-recv pypy/select pypy/poll pypy/epoll pypy/asyncio-sleep pypy/call-at node/settimeout node/settimeout-await node/timers-promises node/setinterval node/setimmediate node/atomics-wait deno/settimeout deno/settimeout-await deno/timers-promises deno/setinterval deno/setimmediate deno/atomics-wait bun/settimeout bun/settimeout-await bun/timers-promises bun/setinterval bun/setimmediate bun/atomics-wait bun/sleep bun/sleep-sync java/sleep java/sleep-nanos java/park-nanos java/object-wait java/condition-await java/queue-poll java/scheduled-executor java/virtual-thread-sleep go/sleep go/timer go/ticker go/select-after go/context dotnet-coreclr/thread-sleep dotnet-coreclr/task-delay dotnet-coreclr/timer dotnet-coreclr/monitor-wait dotnet-coreclr/event-wait dotnet-coreclr/spin-wait dotnet-coreclr/periodic-timer dotnet-mono/thread-sleep dotnet-mono/task-delay dotnet-mono/timer dotnet-mono/monitor-wait dotnet-mono/event-wait dotnet-mono/spin-wait ruby/sleep ruby/condition-wait ruby/io-select ruby/thread-join ruby/queue-pop perl/sleep perl/usleep perl/nanosleep perl/clock-nanosleep perl/select php/usleep php/time-nanosleep php/time-sleep-until php/stream-select luajit/nanosleep luajit/clock-nanosleep luajit/poll erlang/receive-after erlang/timer-sleep erlang/send-after erlang/start-timer wasmtime/thread-sleep wasmtime/poll-oneoff wasmtime/poll-oneoff-abstime wazero/thread-sleep wazero/poll-oneoff node-wasi/thread-sleep node-wasi/poll-oneoff libuv/timer libuv/timer-repeat libevent/timer libevent/timer-precise libevent/timer-persist asio/expires-after asio/expires-at asio/timer-wait libchronoscope/sleep-ns libchronoscope/waiter-precise libchronoscope/waiter-economy libchronoscope/ticker libchronoscope-cxx/sleep-for libchronoscope-cxx/sleep-until tokio/sleep tokio/sleep-until tokio/timeout tokio/interval tokio/sleep-one-thread async-io/timer-after async-io/timer-at smol/timer-after smol/timer-at smol/timer-interval c cxx rust dotnet-coreclr dotnet-mono dotnet-framework java go python pypy node deno bun ruby php perl luajit erlang wasmtime wazero node-wasi adjtimex-denied arm-counter-erratum bad-calibration cgroup-throttled changed-during-run clock-backwards clock-not-in-vdso clock-slewed clock-stepped clocksource-changed clocksource-refused cntfrq-mismatch coarse-counter coarse-tick contended-read counter-out-of-step deep-idle emulated-cpu error-understated frequency-changed governor-powersave guest-ahead guest-behind guest-calibration-failed guest-tsc-unreliable host-gaps hrtimers-off hyperv-tsc-page-off kvm-clock-unstable leap-pending leap-second-inserted library-clock long-slice-late macos-monotonic-us no-vdso noisy-machine noisy-neighbour on-battery preempted-awake qpc-on-hpet qpc-on-variant-tsc qpc-shifted rate-misjudged rate-off-everywhere rdtscp-forbidden readout-stall rt-throttling same-oscillator sleeps-refused slow-clocksource-acpi-pm slow-clocksource-hpet slow-clocksource-jiffies slow-clocksource-xen smi smt-sibling-busy sources-disagree suspended tai-unset time64-blocked time-namespace timer-interrupt-long timer-requests-ignored timer-resolution-15ms timer-slack tsc-adjust-differs tsc-deadline-off tsc-emulated tsc-forbidden tsc-forced-reliable tsc-given-up tsc-jump tsc-not-p0 tsc-rate-mismatch tsc-skew tsc-variant tsc-warp two-disciplines unordered-read unsynchronised vcpu-hotplug vdso-disagrees vm-migrated vm-paused vm-restored watchdog-false-positive watchdog-off interval micro timestamp coarse cpu cross-process boot trace wait time-functions timetest instant-overhead windows-waits stopwatch cause/timer-slack cause/idle-exit cause/interrupt cause/run-queue cause/preempted cause/throttled cause/steal cause/below-kernel cause/return cause/runtime cause/off-cpu cause/on-cpu cause/stopped cause/unknown"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --export)
                    COMPREPLY=($(compgen -W "json= ndjson= csv= markdown= html= hdr= prometheus= cyclictest= cyclictest-json= svg=" -- "${cur}"))
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "json= ndjson= csv= markdown= html= hdr= prometheus= cyclictest= cyclictest-json= svg=" -- "${cur}"))
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__generate)
            opts="-h -V --help --version fleet completions man schema help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__generate__subcmd__completions)
            opts="-h -V --help --version bash elvish fish powershell zsh"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__generate__subcmd__fleet)
            opts="-h -V --force --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__generate__subcmd__help)
            opts="fleet completions man schema help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__generate__subcmd__help__subcmd__completions)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__generate__subcmd__help__subcmd__fleet)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__generate__subcmd__help__subcmd__help)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__generate__subcmd__help__subcmd__man)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__generate__subcmd__help__subcmd__schema)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__generate__subcmd__man)
            opts="-h -V --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__generate__subcmd__schema)
            opts="-h -V --help --version report comparison recording"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__hardware)
            opts="-o -q -v -h -V --json --export --color --ascii --quiet --verbose --budget --cpu --seed --allow --fail-on --baseline --save-baseline --force --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --export)
                    COMPREPLY=($(compgen -W "json= ndjson= csv= markdown= html= hdr= prometheus= cyclictest= cyclictest-json= svg=" -- "${cur}"))
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "json= ndjson= csv= markdown= html= hdr= prometheus= cyclictest= cyclictest-json= svg=" -- "${cur}"))
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --budget)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --cpu)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --allow)
                    COMPREPLY=($(compgen -W "info warning error adjtimex-denied arm-counter-erratum bad-calibration cgroup-throttled changed-during-run clock-backwards clock-not-in-vdso clock-slewed clock-stepped clocksource-changed clocksource-refused cntfrq-mismatch coarse-counter coarse-tick contended-read counter-out-of-step deep-idle emulated-cpu error-understated frequency-changed governor-powersave guest-ahead guest-behind guest-calibration-failed guest-tsc-unreliable host-gaps hrtimers-off hyperv-tsc-page-off kvm-clock-unstable leap-pending leap-second-inserted library-clock long-slice-late macos-monotonic-us no-vdso noisy-machine noisy-neighbour on-battery preempted-awake qpc-on-hpet qpc-on-variant-tsc qpc-shifted rate-misjudged rate-off-everywhere rdtscp-forbidden readout-stall rt-throttling same-oscillator sleeps-refused slow-clocksource-acpi-pm slow-clocksource-hpet slow-clocksource-jiffies slow-clocksource-xen smi smt-sibling-busy sources-disagree suspended tai-unset time64-blocked time-namespace timer-interrupt-long timer-requests-ignored timer-resolution-15ms timer-slack tsc-adjust-differs tsc-deadline-off tsc-emulated tsc-forbidden tsc-forced-reliable tsc-given-up tsc-jump tsc-not-p0 tsc-rate-mismatch tsc-skew tsc-variant tsc-warp two-disciplines unordered-read unsynchronised vcpu-hotplug vdso-disagrees vm-migrated vm-paused vm-restored watchdog-false-positive watchdog-off" -- "${cur}"))
                    return 0
                    ;;
                --fail-on)
                    COMPREPLY=($(compgen -W "info warning error adjtimex-denied arm-counter-erratum bad-calibration cgroup-throttled changed-during-run clock-backwards clock-not-in-vdso clock-slewed clock-stepped clocksource-changed clocksource-refused cntfrq-mismatch coarse-counter coarse-tick contended-read counter-out-of-step deep-idle emulated-cpu error-understated frequency-changed governor-powersave guest-ahead guest-behind guest-calibration-failed guest-tsc-unreliable host-gaps hrtimers-off hyperv-tsc-page-off kvm-clock-unstable leap-pending leap-second-inserted library-clock long-slice-late macos-monotonic-us no-vdso noisy-machine noisy-neighbour on-battery preempted-awake qpc-on-hpet qpc-on-variant-tsc qpc-shifted rate-misjudged rate-off-everywhere rdtscp-forbidden readout-stall rt-throttling same-oscillator sleeps-refused slow-clocksource-acpi-pm slow-clocksource-hpet slow-clocksource-jiffies slow-clocksource-xen smi smt-sibling-busy sources-disagree suspended tai-unset time64-blocked time-namespace timer-interrupt-long timer-requests-ignored timer-resolution-15ms timer-slack tsc-adjust-differs tsc-deadline-off tsc-emulated tsc-forbidden tsc-forced-reliable tsc-given-up tsc-jump tsc-not-p0 tsc-rate-mismatch tsc-skew tsc-variant tsc-warp two-disciplines unordered-read unsynchronised vcpu-hotplug vdso-disagrees vm-migrated vm-paused vm-restored watchdog-false-positive watchdog-off" -- "${cur}"))
                    return 0
                    ;;
                --baseline)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --save-baseline)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__help)
            opts="clocks waits runtimes trust noise browser watch advise doctor explain list report compare deltas calls overhead sweep hardware demo serve generate help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__help__subcmd__advise)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__help__subcmd__browser)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__help__subcmd__calls)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__help__subcmd__clocks)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__help__subcmd__compare)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__help__subcmd__deltas)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__help__subcmd__demo)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__help__subcmd__doctor)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__help__subcmd__explain)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__help__subcmd__generate)
            opts="fleet completions man schema"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__help__subcmd__generate__subcmd__completions)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__help__subcmd__generate__subcmd__fleet)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__help__subcmd__generate__subcmd__man)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__help__subcmd__generate__subcmd__schema)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__help__subcmd__hardware)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__help__subcmd__help)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__help__subcmd__list)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__help__subcmd__noise)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__help__subcmd__overhead)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__help__subcmd__report)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__help__subcmd__runtimes)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__help__subcmd__serve)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__help__subcmd__sweep)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__help__subcmd__trust)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__help__subcmd__waits)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__help__subcmd__watch)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__list)
            opts="-o -q -v -h -V --json --export --color --ascii --quiet --verbose --help --version clocks waits runtimes faults purposes presets formats columns"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --export)
                    COMPREPLY=($(compgen -W "json= ndjson= csv= markdown= html= hdr= prometheus= cyclictest= cyclictest-json= svg=" -- "${cur}"))
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "json= ndjson= csv= markdown= html= hdr= prometheus= cyclictest= cyclictest-json= svg=" -- "${cur}"))
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__noise)
            opts="-o -q -v -h -V --json --export --color --ascii --quiet --verbose --budget --cpu --seed --allow --fail-on --baseline --save-baseline --force --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --export)
                    COMPREPLY=($(compgen -W "json= ndjson= csv= markdown= html= hdr= prometheus= cyclictest= cyclictest-json= svg=" -- "${cur}"))
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "json= ndjson= csv= markdown= html= hdr= prometheus= cyclictest= cyclictest-json= svg=" -- "${cur}"))
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --budget)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --cpu)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --allow)
                    COMPREPLY=($(compgen -W "info warning error adjtimex-denied arm-counter-erratum bad-calibration cgroup-throttled changed-during-run clock-backwards clock-not-in-vdso clock-slewed clock-stepped clocksource-changed clocksource-refused cntfrq-mismatch coarse-counter coarse-tick contended-read counter-out-of-step deep-idle emulated-cpu error-understated frequency-changed governor-powersave guest-ahead guest-behind guest-calibration-failed guest-tsc-unreliable host-gaps hrtimers-off hyperv-tsc-page-off kvm-clock-unstable leap-pending leap-second-inserted library-clock long-slice-late macos-monotonic-us no-vdso noisy-machine noisy-neighbour on-battery preempted-awake qpc-on-hpet qpc-on-variant-tsc qpc-shifted rate-misjudged rate-off-everywhere rdtscp-forbidden readout-stall rt-throttling same-oscillator sleeps-refused slow-clocksource-acpi-pm slow-clocksource-hpet slow-clocksource-jiffies slow-clocksource-xen smi smt-sibling-busy sources-disagree suspended tai-unset time64-blocked time-namespace timer-interrupt-long timer-requests-ignored timer-resolution-15ms timer-slack tsc-adjust-differs tsc-deadline-off tsc-emulated tsc-forbidden tsc-forced-reliable tsc-given-up tsc-jump tsc-not-p0 tsc-rate-mismatch tsc-skew tsc-variant tsc-warp two-disciplines unordered-read unsynchronised vcpu-hotplug vdso-disagrees vm-migrated vm-paused vm-restored watchdog-false-positive watchdog-off" -- "${cur}"))
                    return 0
                    ;;
                --fail-on)
                    COMPREPLY=($(compgen -W "info warning error adjtimex-denied arm-counter-erratum bad-calibration cgroup-throttled changed-during-run clock-backwards clock-not-in-vdso clock-slewed clock-stepped clocksource-changed clocksource-refused cntfrq-mismatch coarse-counter coarse-tick contended-read counter-out-of-step deep-idle emulated-cpu error-understated frequency-changed governor-powersave guest-ahead guest-behind guest-calibration-failed guest-tsc-unreliable host-gaps hrtimers-off hyperv-tsc-page-off kvm-clock-unstable leap-pending leap-second-inserted library-clock long-slice-late macos-monotonic-us no-vdso noisy-machine noisy-neighbour on-battery preempted-awake qpc-on-hpet qpc-on-variant-tsc qpc-shifted rate-misjudged rate-off-everywhere rdtscp-forbidden readout-stall rt-throttling same-oscillator sleeps-refused slow-clocksource-acpi-pm slow-clocksource-hpet slow-clocksource-jiffies slow-clocksource-xen smi smt-sibling-busy sources-disagree suspended tai-unset time64-blocked time-namespace timer-interrupt-long timer-requests-ignored timer-resolution-15ms timer-slack tsc-adjust-differs tsc-deadline-off tsc-emulated tsc-forbidden tsc-forced-reliable tsc-given-up tsc-jump tsc-not-p0 tsc-rate-mismatch tsc-skew tsc-variant tsc-warp two-disciplines unordered-read unsynchronised vcpu-hotplug vdso-disagrees vm-migrated vm-paused vm-restored watchdog-false-positive watchdog-off" -- "${cur}"))
                    return 0
                    ;;
                --baseline)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --save-baseline)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__overhead)
            opts="-o -q -v -h -V --load --load-processes --priority --allow-high-priority --json --export --color --ascii --quiet --verbose --budget --cpu --seed --allow --fail-on --baseline --save-baseline --force --preset --help --version c/clock c/time c/timespec_get c/gettimeofday c/getrusage c/times c/ftime cxx/steady_clock cxx/steady_clock-nocast cxx/system_clock cxx/system_clock-nocast cxx/high_resolution_clock x86/rdtsc-asm x86/rdtsc-intrinsic x86/rdtsc-builtin x86/rdtsc-ms x86/rdtscp x86/lfence-rdtsc x86/lfence-rdtsc-lfence x86/mfence-rdtsc x86/serialize-rdtsc x86/cpuid-rdtsc x86/rdtscp-cpuid x86/rdpmc arm/cntvct arm/isb-cntvct arm/cntvctss arm/pmccntr posix/realtime posix/monotonic posix/process-cputime posix/thread-cputime linux/monotonic-raw linux/boottime linux/tai linux/realtime-coarse linux/monotonic-coarse linux/realtime-syscall linux/monotonic-syscall linux/monotonic-raw-syscall linux/boottime-syscall linux/tai-syscall linux/realtime-coarse-syscall linux/monotonic-coarse-syscall linux/process-cputime-syscall linux/thread-cputime-syscall linux/realtime-bare linux/monotonic-bare linux/monotonic-raw-bare linux/boottime-bare linux/tai-bare linux/realtime-coarse-bare linux/monotonic-coarse-bare linux/process-cputime-bare linux/thread-cputime-bare linux/monotonic-vdso linux/perf-mmap linux/ptp linux/rtc windows/qpc windows/rtl-qpc windows/getsystemtimeasfiletime windows/getsystemtimepreciseasfiletime windows/querythreadcycletime windows/gettickcount64 windows/timegettime windows/queryinterrupttime windows/queryinterrupttimeprecise windows/queryunbiasedinterrupttime mach/clock_get_time-system mach/clock_get_time-calendar mach/absolute_time mach/continuous_time mach/approximate_time darwin/clock_gettime_nsec_np-realtime darwin/clock_gettime_nsec_np-monotonic darwin/clock_gettime_nsec_np-monotonic-raw darwin/clock_gettime_nsec_np-monotonic-raw-approx darwin/clock_gettime_nsec_np-uptime-raw darwin/clock_gettime_nsec_np-uptime-raw-approx darwin/clock_gettime_nsec_np-process-cputime darwin/clock_gettime_nsec_np-thread-cputime rust/instant rust/system_time chronoscope/instant chronoscope/ordered quanta/instant quanta/recent minstant/instant fastant/instant coarsetime/instant coarsetime/recent"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --load)
                    COMPREPLY=($(compgen -W "none low low-nice normal high io memory timers print" -- "${cur}"))
                    return 0
                    ;;
                --load-processes)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --priority)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --export)
                    COMPREPLY=($(compgen -W "json= ndjson= csv= markdown= html= hdr= prometheus= cyclictest= cyclictest-json= svg=" -- "${cur}"))
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "json= ndjson= csv= markdown= html= hdr= prometheus= cyclictest= cyclictest-json= svg=" -- "${cur}"))
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --budget)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --cpu)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --allow)
                    COMPREPLY=($(compgen -W "info warning error adjtimex-denied arm-counter-erratum bad-calibration cgroup-throttled changed-during-run clock-backwards clock-not-in-vdso clock-slewed clock-stepped clocksource-changed clocksource-refused cntfrq-mismatch coarse-counter coarse-tick contended-read counter-out-of-step deep-idle emulated-cpu error-understated frequency-changed governor-powersave guest-ahead guest-behind guest-calibration-failed guest-tsc-unreliable host-gaps hrtimers-off hyperv-tsc-page-off kvm-clock-unstable leap-pending leap-second-inserted library-clock long-slice-late macos-monotonic-us no-vdso noisy-machine noisy-neighbour on-battery preempted-awake qpc-on-hpet qpc-on-variant-tsc qpc-shifted rate-misjudged rate-off-everywhere rdtscp-forbidden readout-stall rt-throttling same-oscillator sleeps-refused slow-clocksource-acpi-pm slow-clocksource-hpet slow-clocksource-jiffies slow-clocksource-xen smi smt-sibling-busy sources-disagree suspended tai-unset time64-blocked time-namespace timer-interrupt-long timer-requests-ignored timer-resolution-15ms timer-slack tsc-adjust-differs tsc-deadline-off tsc-emulated tsc-forbidden tsc-forced-reliable tsc-given-up tsc-jump tsc-not-p0 tsc-rate-mismatch tsc-skew tsc-variant tsc-warp two-disciplines unordered-read unsynchronised vcpu-hotplug vdso-disagrees vm-migrated vm-paused vm-restored watchdog-false-positive watchdog-off" -- "${cur}"))
                    return 0
                    ;;
                --fail-on)
                    COMPREPLY=($(compgen -W "info warning error adjtimex-denied arm-counter-erratum bad-calibration cgroup-throttled changed-during-run clock-backwards clock-not-in-vdso clock-slewed clock-stepped clocksource-changed clocksource-refused cntfrq-mismatch coarse-counter coarse-tick contended-read counter-out-of-step deep-idle emulated-cpu error-understated frequency-changed governor-powersave guest-ahead guest-behind guest-calibration-failed guest-tsc-unreliable host-gaps hrtimers-off hyperv-tsc-page-off kvm-clock-unstable leap-pending leap-second-inserted library-clock long-slice-late macos-monotonic-us no-vdso noisy-machine noisy-neighbour on-battery preempted-awake qpc-on-hpet qpc-on-variant-tsc qpc-shifted rate-misjudged rate-off-everywhere rdtscp-forbidden readout-stall rt-throttling same-oscillator sleeps-refused slow-clocksource-acpi-pm slow-clocksource-hpet slow-clocksource-jiffies slow-clocksource-xen smi smt-sibling-busy sources-disagree suspended tai-unset time64-blocked time-namespace timer-interrupt-long timer-requests-ignored timer-resolution-15ms timer-slack tsc-adjust-differs tsc-deadline-off tsc-emulated tsc-forbidden tsc-forced-reliable tsc-given-up tsc-jump tsc-not-p0 tsc-rate-mismatch tsc-skew tsc-variant tsc-warp two-disciplines unordered-read unsynchronised vcpu-hotplug vdso-disagrees vm-migrated vm-paused vm-restored watchdog-false-positive watchdog-off" -- "${cur}"))
                    return 0
                    ;;
                --baseline)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --save-baseline)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --preset)
                    COMPREPLY=($(compgen -W "instant-overhead" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__report)
            opts="-o -q -v -h -V --as --with --json --export --color --ascii --quiet --names --verbose --allow --fail-on --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --as)
                    COMPREPLY=($(compgen -W "summary brief clocks waits ticks bins deltas calls overhead runtimes trust against traceability stability noise hardware sweep findings doctor advise json ndjson csv markdown html hdr prometheus cyclictest cyclictest-json" -- "${cur}"))
                    return 0
                    ;;
                --with)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --export)
                    COMPREPLY=($(compgen -W "json= ndjson= csv= markdown= html= hdr= prometheus= cyclictest= cyclictest-json= svg=" -- "${cur}"))
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "json= ndjson= csv= markdown= html= hdr= prometheus= cyclictest= cyclictest-json= svg=" -- "${cur}"))
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --allow)
                    COMPREPLY=($(compgen -W "info warning error adjtimex-denied arm-counter-erratum bad-calibration cgroup-throttled changed-during-run clock-backwards clock-not-in-vdso clock-slewed clock-stepped clocksource-changed clocksource-refused cntfrq-mismatch coarse-counter coarse-tick contended-read counter-out-of-step deep-idle emulated-cpu error-understated frequency-changed governor-powersave guest-ahead guest-behind guest-calibration-failed guest-tsc-unreliable host-gaps hrtimers-off hyperv-tsc-page-off kvm-clock-unstable leap-pending leap-second-inserted library-clock long-slice-late macos-monotonic-us no-vdso noisy-machine noisy-neighbour on-battery preempted-awake qpc-on-hpet qpc-on-variant-tsc qpc-shifted rate-misjudged rate-off-everywhere rdtscp-forbidden readout-stall rt-throttling same-oscillator sleeps-refused slow-clocksource-acpi-pm slow-clocksource-hpet slow-clocksource-jiffies slow-clocksource-xen smi smt-sibling-busy sources-disagree suspended tai-unset time64-blocked time-namespace timer-interrupt-long timer-requests-ignored timer-resolution-15ms timer-slack tsc-adjust-differs tsc-deadline-off tsc-emulated tsc-forbidden tsc-forced-reliable tsc-given-up tsc-jump tsc-not-p0 tsc-rate-mismatch tsc-skew tsc-variant tsc-warp two-disciplines unordered-read unsynchronised vcpu-hotplug vdso-disagrees vm-migrated vm-paused vm-restored watchdog-false-positive watchdog-off" -- "${cur}"))
                    return 0
                    ;;
                --fail-on)
                    COMPREPLY=($(compgen -W "info warning error adjtimex-denied arm-counter-erratum bad-calibration cgroup-throttled changed-during-run clock-backwards clock-not-in-vdso clock-slewed clock-stepped clocksource-changed clocksource-refused cntfrq-mismatch coarse-counter coarse-tick contended-read counter-out-of-step deep-idle emulated-cpu error-understated frequency-changed governor-powersave guest-ahead guest-behind guest-calibration-failed guest-tsc-unreliable host-gaps hrtimers-off hyperv-tsc-page-off kvm-clock-unstable leap-pending leap-second-inserted library-clock long-slice-late macos-monotonic-us no-vdso noisy-machine noisy-neighbour on-battery preempted-awake qpc-on-hpet qpc-on-variant-tsc qpc-shifted rate-misjudged rate-off-everywhere rdtscp-forbidden readout-stall rt-throttling same-oscillator sleeps-refused slow-clocksource-acpi-pm slow-clocksource-hpet slow-clocksource-jiffies slow-clocksource-xen smi smt-sibling-busy sources-disagree suspended tai-unset time64-blocked time-namespace timer-interrupt-long timer-requests-ignored timer-resolution-15ms timer-slack tsc-adjust-differs tsc-deadline-off tsc-emulated tsc-forbidden tsc-forced-reliable tsc-given-up tsc-jump tsc-not-p0 tsc-rate-mismatch tsc-skew tsc-variant tsc-warp two-disciplines unordered-read unsynchronised vcpu-hotplug vdso-disagrees vm-migrated vm-paused vm-restored watchdog-false-positive watchdog-off" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__runtimes)
            opts="-o -q -v -h -V --runtime --with --json --export --color --ascii --quiet --verbose --budget --cpu --seed --allow --fail-on --baseline --save-baseline --force --preset --help --version c cxx rust dotnet-coreclr dotnet-mono dotnet-framework java go python pypy node deno bun ruby php perl luajit erlang wasmtime wazero node-wasi"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --runtime)
                    COMPREPLY=($(compgen -W "c= cxx= rust= dotnet-coreclr= dotnet-mono= dotnet-framework= java= go= python= pypy= node= deno= bun= ruby= php= perl= luajit= erlang= wasmtime= wazero= node-wasi=" -- "${cur}"))
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --with)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --export)
                    COMPREPLY=($(compgen -W "json= ndjson= csv= markdown= html= hdr= prometheus= cyclictest= cyclictest-json= svg=" -- "${cur}"))
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "json= ndjson= csv= markdown= html= hdr= prometheus= cyclictest= cyclictest-json= svg=" -- "${cur}"))
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --budget)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --cpu)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --allow)
                    COMPREPLY=($(compgen -W "info warning error adjtimex-denied arm-counter-erratum bad-calibration cgroup-throttled changed-during-run clock-backwards clock-not-in-vdso clock-slewed clock-stepped clocksource-changed clocksource-refused cntfrq-mismatch coarse-counter coarse-tick contended-read counter-out-of-step deep-idle emulated-cpu error-understated frequency-changed governor-powersave guest-ahead guest-behind guest-calibration-failed guest-tsc-unreliable host-gaps hrtimers-off hyperv-tsc-page-off kvm-clock-unstable leap-pending leap-second-inserted library-clock long-slice-late macos-monotonic-us no-vdso noisy-machine noisy-neighbour on-battery preempted-awake qpc-on-hpet qpc-on-variant-tsc qpc-shifted rate-misjudged rate-off-everywhere rdtscp-forbidden readout-stall rt-throttling same-oscillator sleeps-refused slow-clocksource-acpi-pm slow-clocksource-hpet slow-clocksource-jiffies slow-clocksource-xen smi smt-sibling-busy sources-disagree suspended tai-unset time64-blocked time-namespace timer-interrupt-long timer-requests-ignored timer-resolution-15ms timer-slack tsc-adjust-differs tsc-deadline-off tsc-emulated tsc-forbidden tsc-forced-reliable tsc-given-up tsc-jump tsc-not-p0 tsc-rate-mismatch tsc-skew tsc-variant tsc-warp two-disciplines unordered-read unsynchronised vcpu-hotplug vdso-disagrees vm-migrated vm-paused vm-restored watchdog-false-positive watchdog-off" -- "${cur}"))
                    return 0
                    ;;
                --fail-on)
                    COMPREPLY=($(compgen -W "info warning error adjtimex-denied arm-counter-erratum bad-calibration cgroup-throttled changed-during-run clock-backwards clock-not-in-vdso clock-slewed clock-stepped clocksource-changed clocksource-refused cntfrq-mismatch coarse-counter coarse-tick contended-read counter-out-of-step deep-idle emulated-cpu error-understated frequency-changed governor-powersave guest-ahead guest-behind guest-calibration-failed guest-tsc-unreliable host-gaps hrtimers-off hyperv-tsc-page-off kvm-clock-unstable leap-pending leap-second-inserted library-clock long-slice-late macos-monotonic-us no-vdso noisy-machine noisy-neighbour on-battery preempted-awake qpc-on-hpet qpc-on-variant-tsc qpc-shifted rate-misjudged rate-off-everywhere rdtscp-forbidden readout-stall rt-throttling same-oscillator sleeps-refused slow-clocksource-acpi-pm slow-clocksource-hpet slow-clocksource-jiffies slow-clocksource-xen smi smt-sibling-busy sources-disagree suspended tai-unset time64-blocked time-namespace timer-interrupt-long timer-requests-ignored timer-resolution-15ms timer-slack tsc-adjust-differs tsc-deadline-off tsc-emulated tsc-forbidden tsc-forced-reliable tsc-given-up tsc-jump tsc-not-p0 tsc-rate-mismatch tsc-skew tsc-variant tsc-warp two-disciplines unordered-read unsynchronised vcpu-hotplug vdso-disagrees vm-migrated vm-paused vm-restored watchdog-false-positive watchdog-off" -- "${cur}"))
                    return 0
                    ;;
                --baseline)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --save-baseline)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --preset)
                    COMPREPLY=($(compgen -W "stopwatch" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__serve)
            opts="-h -V --listen --cpu-budget --report --start-now --against --time --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --listen)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --cpu-budget)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --against)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --time)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__sweep)
            opts="-o -q -v -h -V --runtimes --json --export --color --ascii --quiet --verbose --budget --cpu --seed --allow --fail-on --baseline --save-baseline --force --help --version c/clock c/time c/timespec_get c/gettimeofday c/getrusage c/times c/ftime cxx/steady_clock cxx/steady_clock-nocast cxx/system_clock cxx/system_clock-nocast cxx/high_resolution_clock x86/rdtsc-asm x86/rdtsc-intrinsic x86/rdtsc-builtin x86/rdtsc-ms x86/rdtscp x86/lfence-rdtsc x86/lfence-rdtsc-lfence x86/mfence-rdtsc x86/serialize-rdtsc x86/cpuid-rdtsc x86/rdtscp-cpuid x86/rdpmc arm/cntvct arm/isb-cntvct arm/cntvctss arm/pmccntr posix/realtime posix/monotonic posix/process-cputime posix/thread-cputime linux/monotonic-raw linux/boottime linux/tai linux/realtime-coarse linux/monotonic-coarse linux/realtime-syscall linux/monotonic-syscall linux/monotonic-raw-syscall linux/boottime-syscall linux/tai-syscall linux/realtime-coarse-syscall linux/monotonic-coarse-syscall linux/process-cputime-syscall linux/thread-cputime-syscall linux/realtime-bare linux/monotonic-bare linux/monotonic-raw-bare linux/boottime-bare linux/tai-bare linux/realtime-coarse-bare linux/monotonic-coarse-bare linux/process-cputime-bare linux/thread-cputime-bare linux/monotonic-vdso linux/perf-mmap linux/ptp linux/rtc windows/qpc windows/rtl-qpc windows/getsystemtimeasfiletime windows/getsystemtimepreciseasfiletime windows/querythreadcycletime windows/gettickcount64 windows/timegettime windows/queryinterrupttime windows/queryinterrupttimeprecise windows/queryunbiasedinterrupttime mach/clock_get_time-system mach/clock_get_time-calendar mach/absolute_time mach/continuous_time mach/approximate_time darwin/clock_gettime_nsec_np-realtime darwin/clock_gettime_nsec_np-monotonic darwin/clock_gettime_nsec_np-monotonic-raw darwin/clock_gettime_nsec_np-monotonic-raw-approx darwin/clock_gettime_nsec_np-uptime-raw darwin/clock_gettime_nsec_np-uptime-raw-approx darwin/clock_gettime_nsec_np-process-cputime darwin/clock_gettime_nsec_np-thread-cputime rust/instant rust/system_time chronoscope/instant chronoscope/ordered quanta/instant quanta/recent minstant/instant fastant/instant coarsetime/instant coarsetime/recent"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --runtimes)
                    COMPREPLY=($(compgen -W "c cxx rust dotnet-coreclr dotnet-mono dotnet-framework java go python pypy node deno bun ruby php perl luajit erlang wasmtime wazero node-wasi" -- "${cur}"))
                    return 0
                    ;;
                --export)
                    COMPREPLY=($(compgen -W "json= ndjson= csv= markdown= html= hdr= prometheus= cyclictest= cyclictest-json= svg=" -- "${cur}"))
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "json= ndjson= csv= markdown= html= hdr= prometheus= cyclictest= cyclictest-json= svg=" -- "${cur}"))
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --budget)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --cpu)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --allow)
                    COMPREPLY=($(compgen -W "info warning error adjtimex-denied arm-counter-erratum bad-calibration cgroup-throttled changed-during-run clock-backwards clock-not-in-vdso clock-slewed clock-stepped clocksource-changed clocksource-refused cntfrq-mismatch coarse-counter coarse-tick contended-read counter-out-of-step deep-idle emulated-cpu error-understated frequency-changed governor-powersave guest-ahead guest-behind guest-calibration-failed guest-tsc-unreliable host-gaps hrtimers-off hyperv-tsc-page-off kvm-clock-unstable leap-pending leap-second-inserted library-clock long-slice-late macos-monotonic-us no-vdso noisy-machine noisy-neighbour on-battery preempted-awake qpc-on-hpet qpc-on-variant-tsc qpc-shifted rate-misjudged rate-off-everywhere rdtscp-forbidden readout-stall rt-throttling same-oscillator sleeps-refused slow-clocksource-acpi-pm slow-clocksource-hpet slow-clocksource-jiffies slow-clocksource-xen smi smt-sibling-busy sources-disagree suspended tai-unset time64-blocked time-namespace timer-interrupt-long timer-requests-ignored timer-resolution-15ms timer-slack tsc-adjust-differs tsc-deadline-off tsc-emulated tsc-forbidden tsc-forced-reliable tsc-given-up tsc-jump tsc-not-p0 tsc-rate-mismatch tsc-skew tsc-variant tsc-warp two-disciplines unordered-read unsynchronised vcpu-hotplug vdso-disagrees vm-migrated vm-paused vm-restored watchdog-false-positive watchdog-off" -- "${cur}"))
                    return 0
                    ;;
                --fail-on)
                    COMPREPLY=($(compgen -W "info warning error adjtimex-denied arm-counter-erratum bad-calibration cgroup-throttled changed-during-run clock-backwards clock-not-in-vdso clock-slewed clock-stepped clocksource-changed clocksource-refused cntfrq-mismatch coarse-counter coarse-tick contended-read counter-out-of-step deep-idle emulated-cpu error-understated frequency-changed governor-powersave guest-ahead guest-behind guest-calibration-failed guest-tsc-unreliable host-gaps hrtimers-off hyperv-tsc-page-off kvm-clock-unstable leap-pending leap-second-inserted library-clock long-slice-late macos-monotonic-us no-vdso noisy-machine noisy-neighbour on-battery preempted-awake qpc-on-hpet qpc-on-variant-tsc qpc-shifted rate-misjudged rate-off-everywhere rdtscp-forbidden readout-stall rt-throttling same-oscillator sleeps-refused slow-clocksource-acpi-pm slow-clocksource-hpet slow-clocksource-jiffies slow-clocksource-xen smi smt-sibling-busy sources-disagree suspended tai-unset time64-blocked time-namespace timer-interrupt-long timer-requests-ignored timer-resolution-15ms timer-slack tsc-adjust-differs tsc-deadline-off tsc-emulated tsc-forbidden tsc-forced-reliable tsc-given-up tsc-jump tsc-not-p0 tsc-rate-mismatch tsc-skew tsc-variant tsc-warp two-disciplines unordered-read unsynchronised vcpu-hotplug vdso-disagrees vm-migrated vm-paused vm-restored watchdog-false-positive watchdog-off" -- "${cur}"))
                    return 0
                    ;;
                --baseline)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --save-baseline)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__trust)
            opts="-o -q -v -h -V --duration --against --checkpoint --resume --json --export --color --ascii --quiet --verbose --budget --cpu --seed --allow --fail-on --baseline --save-baseline --force --help --version c/clock c/time c/timespec_get c/gettimeofday c/getrusage c/times c/ftime cxx/steady_clock cxx/steady_clock-nocast cxx/system_clock cxx/system_clock-nocast cxx/high_resolution_clock x86/rdtsc-asm x86/rdtsc-intrinsic x86/rdtsc-builtin x86/rdtsc-ms x86/rdtscp x86/lfence-rdtsc x86/lfence-rdtsc-lfence x86/mfence-rdtsc x86/serialize-rdtsc x86/cpuid-rdtsc x86/rdtscp-cpuid x86/rdpmc arm/cntvct arm/isb-cntvct arm/cntvctss arm/pmccntr posix/realtime posix/monotonic posix/process-cputime posix/thread-cputime linux/monotonic-raw linux/boottime linux/tai linux/realtime-coarse linux/monotonic-coarse linux/realtime-syscall linux/monotonic-syscall linux/monotonic-raw-syscall linux/boottime-syscall linux/tai-syscall linux/realtime-coarse-syscall linux/monotonic-coarse-syscall linux/process-cputime-syscall linux/thread-cputime-syscall linux/realtime-bare linux/monotonic-bare linux/monotonic-raw-bare linux/boottime-bare linux/tai-bare linux/realtime-coarse-bare linux/monotonic-coarse-bare linux/process-cputime-bare linux/thread-cputime-bare linux/monotonic-vdso linux/perf-mmap linux/ptp linux/rtc windows/qpc windows/rtl-qpc windows/getsystemtimeasfiletime windows/getsystemtimepreciseasfiletime windows/querythreadcycletime windows/gettickcount64 windows/timegettime windows/queryinterrupttime windows/queryinterrupttimeprecise windows/queryunbiasedinterrupttime mach/clock_get_time-system mach/clock_get_time-calendar mach/absolute_time mach/continuous_time mach/approximate_time darwin/clock_gettime_nsec_np-realtime darwin/clock_gettime_nsec_np-monotonic darwin/clock_gettime_nsec_np-monotonic-raw darwin/clock_gettime_nsec_np-monotonic-raw-approx darwin/clock_gettime_nsec_np-uptime-raw darwin/clock_gettime_nsec_np-uptime-raw-approx darwin/clock_gettime_nsec_np-process-cputime darwin/clock_gettime_nsec_np-thread-cputime rust/instant rust/system_time chronoscope/instant chronoscope/ordered quanta/instant quanta/recent minstant/instant fastant/instant coarsetime/instant coarsetime/recent"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --duration)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --against)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --checkpoint)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --resume)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --export)
                    COMPREPLY=($(compgen -W "json= ndjson= csv= markdown= html= hdr= prometheus= cyclictest= cyclictest-json= svg=" -- "${cur}"))
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "json= ndjson= csv= markdown= html= hdr= prometheus= cyclictest= cyclictest-json= svg=" -- "${cur}"))
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --budget)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --cpu)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --allow)
                    COMPREPLY=($(compgen -W "info warning error adjtimex-denied arm-counter-erratum bad-calibration cgroup-throttled changed-during-run clock-backwards clock-not-in-vdso clock-slewed clock-stepped clocksource-changed clocksource-refused cntfrq-mismatch coarse-counter coarse-tick contended-read counter-out-of-step deep-idle emulated-cpu error-understated frequency-changed governor-powersave guest-ahead guest-behind guest-calibration-failed guest-tsc-unreliable host-gaps hrtimers-off hyperv-tsc-page-off kvm-clock-unstable leap-pending leap-second-inserted library-clock long-slice-late macos-monotonic-us no-vdso noisy-machine noisy-neighbour on-battery preempted-awake qpc-on-hpet qpc-on-variant-tsc qpc-shifted rate-misjudged rate-off-everywhere rdtscp-forbidden readout-stall rt-throttling same-oscillator sleeps-refused slow-clocksource-acpi-pm slow-clocksource-hpet slow-clocksource-jiffies slow-clocksource-xen smi smt-sibling-busy sources-disagree suspended tai-unset time64-blocked time-namespace timer-interrupt-long timer-requests-ignored timer-resolution-15ms timer-slack tsc-adjust-differs tsc-deadline-off tsc-emulated tsc-forbidden tsc-forced-reliable tsc-given-up tsc-jump tsc-not-p0 tsc-rate-mismatch tsc-skew tsc-variant tsc-warp two-disciplines unordered-read unsynchronised vcpu-hotplug vdso-disagrees vm-migrated vm-paused vm-restored watchdog-false-positive watchdog-off" -- "${cur}"))
                    return 0
                    ;;
                --fail-on)
                    COMPREPLY=($(compgen -W "info warning error adjtimex-denied arm-counter-erratum bad-calibration cgroup-throttled changed-during-run clock-backwards clock-not-in-vdso clock-slewed clock-stepped clocksource-changed clocksource-refused cntfrq-mismatch coarse-counter coarse-tick contended-read counter-out-of-step deep-idle emulated-cpu error-understated frequency-changed governor-powersave guest-ahead guest-behind guest-calibration-failed guest-tsc-unreliable host-gaps hrtimers-off hyperv-tsc-page-off kvm-clock-unstable leap-pending leap-second-inserted library-clock long-slice-late macos-monotonic-us no-vdso noisy-machine noisy-neighbour on-battery preempted-awake qpc-on-hpet qpc-on-variant-tsc qpc-shifted rate-misjudged rate-off-everywhere rdtscp-forbidden readout-stall rt-throttling same-oscillator sleeps-refused slow-clocksource-acpi-pm slow-clocksource-hpet slow-clocksource-jiffies slow-clocksource-xen smi smt-sibling-busy sources-disagree suspended tai-unset time64-blocked time-namespace timer-interrupt-long timer-requests-ignored timer-resolution-15ms timer-slack tsc-adjust-differs tsc-deadline-off tsc-emulated tsc-forbidden tsc-forced-reliable tsc-given-up tsc-jump tsc-not-p0 tsc-rate-mismatch tsc-skew tsc-variant tsc-warp two-disciplines unordered-read unsynchronised vcpu-hotplug vdso-disagrees vm-migrated vm-paused vm-restored watchdog-false-positive watchdog-off" -- "${cur}"))
                    return 0
                    ;;
                --baseline)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --save-baseline)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__waits)
            opts="-o -q -v -h -V --all --preset --wait --count --period --work --duration --load --load-processes --load-priority --load-all-cpus --slack --slice --all-cpus --priority --policy --allow-high-priority --keep-awake --stop-above --trace-marker --why --no-names --checkpoint --resume --style --json --export --color --ascii --quiet --names --verbose --budget --cpu --seed --allow --fail-on --baseline --save-baseline --force --help --version linux/nanosleep linux/clock_nanosleep-abs linux/timerfd linux/epoll_pwait2 linux/ppoll linux/select linux/futex linux/io_uring-timeout linux/io_uring-wait-arg linux/sigtimedwait posix/usleep posix/cond_timedwait rust/thread-sleep cxx/sleep_for cxx/sleep_until cxx/condition_variable-wait_until cxx/future-wait_for cxx/timed_mutex-try_lock_for windows/sleep windows/waitable-timer windows/waitable-timer-high-resolution windows/ntdelayexecution mingw/usleep mingw/nanosleep mach/wait_until darwin/nanosleep darwin/kevent busy/tsc busy/tsc-bare busy/cntvct busy/qpc busy/monotonic busy/instant busy/tpause busy/umwait busy/wfe busy/wfet busy/sched_yield hybrid/fixed hybrid/nanosleep hybrid/timerfd hybrid/sleep hybrid/waitable-timer hybrid/waitable-timer-high-resolution chronoscope/wait chronoscope/wait-economy chronoscope/wait-precise spin_sleep python/sleep python/event-wait python/lock-acquire python/queue-get python/condition-wait python/socket-recv python/select python/poll python/epoll python/asyncio-sleep python/call-at python/chronoscope python/clock-sleep python/uvloop-sleep python/uvloop-call-at python/uvloop-clock-sleep pypy/sleep pypy/event-wait pypy/lock-acquire pypy/queue-get pypy/condition-wait pypy/socket-recv pypy/select pypy/poll pypy/epoll pypy/asyncio-sleep pypy/call-at node/settimeout node/settimeout-await node/timers-promises node/setinterval node/setimmediate node/atomics-wait deno/settimeout deno/settimeout-await deno/timers-promises deno/setinterval deno/setimmediate deno/atomics-wait bun/settimeout bun/settimeout-await bun/timers-promises bun/setinterval bun/setimmediate bun/atomics-wait bun/sleep bun/sleep-sync java/sleep java/sleep-nanos java/park-nanos java/object-wait java/condition-await java/queue-poll java/scheduled-executor java/virtual-thread-sleep go/sleep go/timer go/ticker go/select-after go/context dotnet-coreclr/thread-sleep dotnet-coreclr/task-delay dotnet-coreclr/timer dotnet-coreclr/monitor-wait dotnet-coreclr/event-wait dotnet-coreclr/spin-wait dotnet-coreclr/periodic-timer dotnet-mono/thread-sleep dotnet-mono/task-delay dotnet-mono/timer dotnet-mono/monitor-wait dotnet-mono/event-wait dotnet-mono/spin-wait ruby/sleep ruby/condition-wait ruby/io-select ruby/thread-join ruby/queue-pop perl/sleep perl/usleep perl/nanosleep perl/clock-nanosleep perl/select php/usleep php/time-nanosleep php/time-sleep-until php/stream-select luajit/nanosleep luajit/clock-nanosleep luajit/poll erlang/receive-after erlang/timer-sleep erlang/send-after erlang/start-timer wasmtime/thread-sleep wasmtime/poll-oneoff wasmtime/poll-oneoff-abstime wazero/thread-sleep wazero/poll-oneoff node-wasi/thread-sleep node-wasi/poll-oneoff libuv/timer libuv/timer-repeat libevent/timer libevent/timer-precise libevent/timer-persist asio/expires-after asio/expires-at asio/timer-wait libchronoscope/sleep-ns libchronoscope/waiter-precise libchronoscope/waiter-economy libchronoscope/ticker libchronoscope-cxx/sleep-for libchronoscope-cxx/sleep-until tokio/sleep tokio/sleep-until tokio/timeout tokio/interval tokio/sleep-one-thread async-io/timer-after async-io/timer-at smol/timer-after smol/timer-at smol/timer-interval"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --preset)
                    COMPREPLY=($(compgen -W "windows-waits" -- "${cur}"))
                    return 0
                    ;;
                --wait)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --count)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --period)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --work)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --duration)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --load)
                    COMPREPLY=($(compgen -W "none low low-nice normal high io memory timers print" -- "${cur}"))
                    return 0
                    ;;
                --load-processes)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --load-priority)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --slack)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --slice)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --priority)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --policy)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --stop-above)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --checkpoint)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --resume)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --style)
                    COMPREPLY=($(compgen -W "table ticks bins" -- "${cur}"))
                    return 0
                    ;;
                --export)
                    COMPREPLY=($(compgen -W "json= ndjson= csv= markdown= html= hdr= prometheus= cyclictest= cyclictest-json= svg=" -- "${cur}"))
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "json= ndjson= csv= markdown= html= hdr= prometheus= cyclictest= cyclictest-json= svg=" -- "${cur}"))
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o nospace
                    fi
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --budget)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --cpu)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --allow)
                    COMPREPLY=($(compgen -W "info warning error adjtimex-denied arm-counter-erratum bad-calibration cgroup-throttled changed-during-run clock-backwards clock-not-in-vdso clock-slewed clock-stepped clocksource-changed clocksource-refused cntfrq-mismatch coarse-counter coarse-tick contended-read counter-out-of-step deep-idle emulated-cpu error-understated frequency-changed governor-powersave guest-ahead guest-behind guest-calibration-failed guest-tsc-unreliable host-gaps hrtimers-off hyperv-tsc-page-off kvm-clock-unstable leap-pending leap-second-inserted library-clock long-slice-late macos-monotonic-us no-vdso noisy-machine noisy-neighbour on-battery preempted-awake qpc-on-hpet qpc-on-variant-tsc qpc-shifted rate-misjudged rate-off-everywhere rdtscp-forbidden readout-stall rt-throttling same-oscillator sleeps-refused slow-clocksource-acpi-pm slow-clocksource-hpet slow-clocksource-jiffies slow-clocksource-xen smi smt-sibling-busy sources-disagree suspended tai-unset time64-blocked time-namespace timer-interrupt-long timer-requests-ignored timer-resolution-15ms timer-slack tsc-adjust-differs tsc-deadline-off tsc-emulated tsc-forbidden tsc-forced-reliable tsc-given-up tsc-jump tsc-not-p0 tsc-rate-mismatch tsc-skew tsc-variant tsc-warp two-disciplines unordered-read unsynchronised vcpu-hotplug vdso-disagrees vm-migrated vm-paused vm-restored watchdog-false-positive watchdog-off" -- "${cur}"))
                    return 0
                    ;;
                --fail-on)
                    COMPREPLY=($(compgen -W "info warning error adjtimex-denied arm-counter-erratum bad-calibration cgroup-throttled changed-during-run clock-backwards clock-not-in-vdso clock-slewed clock-stepped clocksource-changed clocksource-refused cntfrq-mismatch coarse-counter coarse-tick contended-read counter-out-of-step deep-idle emulated-cpu error-understated frequency-changed governor-powersave guest-ahead guest-behind guest-calibration-failed guest-tsc-unreliable host-gaps hrtimers-off hyperv-tsc-page-off kvm-clock-unstable leap-pending leap-second-inserted library-clock long-slice-late macos-monotonic-us no-vdso noisy-machine noisy-neighbour on-battery preempted-awake qpc-on-hpet qpc-on-variant-tsc qpc-shifted rate-misjudged rate-off-everywhere rdtscp-forbidden readout-stall rt-throttling same-oscillator sleeps-refused slow-clocksource-acpi-pm slow-clocksource-hpet slow-clocksource-jiffies slow-clocksource-xen smi smt-sibling-busy sources-disagree suspended tai-unset time64-blocked time-namespace timer-interrupt-long timer-requests-ignored timer-resolution-15ms timer-slack tsc-adjust-differs tsc-deadline-off tsc-emulated tsc-forbidden tsc-forced-reliable tsc-given-up tsc-jump tsc-not-p0 tsc-rate-mismatch tsc-skew tsc-variant tsc-warp two-disciplines unordered-read unsynchronised vcpu-hotplug vdso-disagrees vm-migrated vm-paused vm-restored watchdog-false-positive watchdog-off" -- "${cur}"))
                    return 0
                    ;;
                --baseline)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --save-baseline)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        chronoscope__subcmd__watch)
            opts="-h -V --period --load --clock --cpu --hindsight --stop-above --go-on --record --resume --record-limit --names --no-names --replay --speed --ascii --help --version linux/nanosleep linux/clock_nanosleep-abs linux/timerfd linux/epoll_pwait2 linux/ppoll linux/select linux/futex linux/io_uring-timeout linux/io_uring-wait-arg linux/sigtimedwait posix/usleep posix/cond_timedwait rust/thread-sleep cxx/sleep_for cxx/sleep_until cxx/condition_variable-wait_until cxx/future-wait_for cxx/timed_mutex-try_lock_for windows/sleep windows/waitable-timer windows/waitable-timer-high-resolution windows/ntdelayexecution mingw/usleep mingw/nanosleep mach/wait_until darwin/nanosleep darwin/kevent busy/tsc busy/tsc-bare busy/cntvct busy/qpc busy/monotonic busy/instant busy/tpause busy/umwait busy/wfe busy/wfet busy/sched_yield hybrid/fixed hybrid/nanosleep hybrid/timerfd hybrid/sleep hybrid/waitable-timer hybrid/waitable-timer-high-resolution chronoscope/wait chronoscope/wait-economy chronoscope/wait-precise spin_sleep python/sleep python/event-wait python/lock-acquire python/queue-get python/condition-wait python/socket-recv python/select python/poll python/epoll python/asyncio-sleep python/call-at python/chronoscope python/clock-sleep python/uvloop-sleep python/uvloop-call-at python/uvloop-clock-sleep pypy/sleep pypy/event-wait pypy/lock-acquire pypy/queue-get pypy/condition-wait pypy/socket-recv pypy/select pypy/poll pypy/epoll pypy/asyncio-sleep pypy/call-at node/settimeout node/settimeout-await node/timers-promises node/setinterval node/setimmediate node/atomics-wait deno/settimeout deno/settimeout-await deno/timers-promises deno/setinterval deno/setimmediate deno/atomics-wait bun/settimeout bun/settimeout-await bun/timers-promises bun/setinterval bun/setimmediate bun/atomics-wait bun/sleep bun/sleep-sync java/sleep java/sleep-nanos java/park-nanos java/object-wait java/condition-await java/queue-poll java/scheduled-executor java/virtual-thread-sleep go/sleep go/timer go/ticker go/select-after go/context dotnet-coreclr/thread-sleep dotnet-coreclr/task-delay dotnet-coreclr/timer dotnet-coreclr/monitor-wait dotnet-coreclr/event-wait dotnet-coreclr/spin-wait dotnet-coreclr/periodic-timer dotnet-mono/thread-sleep dotnet-mono/task-delay dotnet-mono/timer dotnet-mono/monitor-wait dotnet-mono/event-wait dotnet-mono/spin-wait ruby/sleep ruby/condition-wait ruby/io-select ruby/thread-join ruby/queue-pop perl/sleep perl/usleep perl/nanosleep perl/clock-nanosleep perl/select php/usleep php/time-nanosleep php/time-sleep-until php/stream-select luajit/nanosleep luajit/clock-nanosleep luajit/poll erlang/receive-after erlang/timer-sleep erlang/send-after erlang/start-timer wasmtime/thread-sleep wasmtime/poll-oneoff wasmtime/poll-oneoff-abstime wazero/thread-sleep wazero/poll-oneoff node-wasi/thread-sleep node-wasi/poll-oneoff libuv/timer libuv/timer-repeat libevent/timer libevent/timer-precise libevent/timer-persist asio/expires-after asio/expires-at asio/timer-wait libchronoscope/sleep-ns libchronoscope/waiter-precise libchronoscope/waiter-economy libchronoscope/ticker libchronoscope-cxx/sleep-for libchronoscope-cxx/sleep-until tokio/sleep tokio/sleep-until tokio/timeout tokio/interval tokio/sleep-one-thread async-io/timer-after async-io/timer-at smol/timer-after smol/timer-at smol/timer-interval"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --period)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --load)
                    COMPREPLY=($(compgen -W "none low low-nice normal high io memory timers print" -- "${cur}"))
                    return 0
                    ;;
                --clock)
                    COMPREPLY=($(compgen -W "c/clock c/time c/timespec_get c/gettimeofday c/getrusage c/times c/ftime cxx/steady_clock cxx/steady_clock-nocast cxx/system_clock cxx/system_clock-nocast cxx/high_resolution_clock x86/rdtsc-asm x86/rdtsc-intrinsic x86/rdtsc-builtin x86/rdtsc-ms x86/rdtscp x86/lfence-rdtsc x86/lfence-rdtsc-lfence x86/mfence-rdtsc x86/serialize-rdtsc x86/cpuid-rdtsc x86/rdtscp-cpuid x86/rdpmc arm/cntvct arm/isb-cntvct arm/cntvctss arm/pmccntr posix/realtime posix/monotonic posix/process-cputime posix/thread-cputime linux/monotonic-raw linux/boottime linux/tai linux/realtime-coarse linux/monotonic-coarse linux/realtime-syscall linux/monotonic-syscall linux/monotonic-raw-syscall linux/boottime-syscall linux/tai-syscall linux/realtime-coarse-syscall linux/monotonic-coarse-syscall linux/process-cputime-syscall linux/thread-cputime-syscall linux/realtime-bare linux/monotonic-bare linux/monotonic-raw-bare linux/boottime-bare linux/tai-bare linux/realtime-coarse-bare linux/monotonic-coarse-bare linux/process-cputime-bare linux/thread-cputime-bare linux/monotonic-vdso linux/perf-mmap linux/ptp linux/rtc windows/qpc windows/rtl-qpc windows/getsystemtimeasfiletime windows/getsystemtimepreciseasfiletime windows/querythreadcycletime windows/gettickcount64 windows/timegettime windows/queryinterrupttime windows/queryinterrupttimeprecise windows/queryunbiasedinterrupttime mach/clock_get_time-system mach/clock_get_time-calendar mach/absolute_time mach/continuous_time mach/approximate_time darwin/clock_gettime_nsec_np-realtime darwin/clock_gettime_nsec_np-monotonic darwin/clock_gettime_nsec_np-monotonic-raw darwin/clock_gettime_nsec_np-monotonic-raw-approx darwin/clock_gettime_nsec_np-uptime-raw darwin/clock_gettime_nsec_np-uptime-raw-approx darwin/clock_gettime_nsec_np-process-cputime darwin/clock_gettime_nsec_np-thread-cputime rust/instant rust/system_time chronoscope/instant chronoscope/ordered quanta/instant quanta/recent minstant/instant fastant/instant coarsetime/instant coarsetime/recent" -- "${cur}"))
                    return 0
                    ;;
                --cpu)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --hindsight)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --stop-above)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --record)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --resume)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --record-limit)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --replay)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --speed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
    esac
}

if [[ "${BASH_VERSINFO[0]}" -eq 4 && "${BASH_VERSINFO[1]}" -ge 4 || "${BASH_VERSINFO[0]}" -gt 4 ]]; then
    complete -F _chronoscope -o nosort -o bashdefault -o default chronoscope
else
    complete -F _chronoscope -o bashdefault -o default chronoscope
fi
