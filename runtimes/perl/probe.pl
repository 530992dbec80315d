# The probe of Perl (5.14 or later). See PROTOCOL.md.
use strict;
use warnings;
use JSON::PP ();
use List::Util qw(sum);
use Time::HiRes
    qw(clock clock_gettime clock_getres nanosleep CLOCK_MONOTONIC CLOCK_PROCESS_CPUTIME_ID);

# id, call, kind, units per second, claimed resolution in nanoseconds, the read that depends on the
# value before.
my @CLOCKS = (
    [
        'clock-gettime-monotonic', 'clock_gettime(CLOCK_MONOTONIC)',
        'monotonic', 1, 1e9 * clock_getres(CLOCK_MONOTONIC),
        'clock_gettime($monotonic[$value < $zero])',
    ],
    [
        'hires-time', 'Time::HiRes::time()', 'wall', 1, 1000,
        '$hires[$value < $zero]->()',
    ],
    ['time', 'time()', 'wall', 1, 1e9, '$time[$value < $zero]->()'],
    [
        'clock-gettime-cpu', 'clock_gettime(CLOCK_PROCESS_CPUTIME_ID)',
        'cpu', 1, 1e9 * clock_getres(CLOCK_PROCESS_CPUTIME_ID),
        'clock_gettime($cpu[$value < $zero])',
    ],
);

# Perl's finest monotonic clock returns seconds.
sub stopwatch { return clock_gettime(CLOCK_MONOTONIC) }

# The subs of one clock, compiled from text: a call through a reference would cost a sub more.
# Perl assigns some results without an operation of their own, such as that of time(), and others,
# such as a constant, with one. So the empty loop assigns nothing.
sub subs_of {
    my ($read, $ordered, $body) = @_;
    $body //= "\$value = $read";
    my $subs = eval <<"PERL" or die $@;
    {
        read => sub { return $read },
        throughput => sub {
            my (\$reads) = \@_;
            my \$value;
            for my \$at (1 .. \$reads) {
                $body;
            }
            return \$value;
        },
        latency => sub {
            my (\$reads) = \@_;
            my \@monotonic = (CLOCK_MONOTONIC) x 2;
            my \@cpu = (CLOCK_PROCESS_CPUTIME_ID) x 2;
            my \@hires = (\\&Time::HiRes::time) x 2;
            my \@time = (sub { time() }) x 2;
            my \$zero = 0;
            my \$value = 0;
            for my \$at (1 .. \$reads) {
                \$value = $ordered;
            }
            return \$value;
        },
    };
PERL
    return $subs;
}

my %SUBS = (empty => subs_of('1', '$monotonic[$value < $zero]', ''));
$SUBS{$_->[0]} = subs_of($_->[1], $_->[5]) for @CLOCKS;

sub known {
    my ($id, $name) = @_;
    my $sub = ($SUBS{$id} || {})->{$name} or die "no such clock or mode\n";
    return $sub;
}

sub number {
    my ($word) = @_;
    $word =~ /\A[0-9]{1,15}\z/ or die "not a number\n";
    return 0 + $word;
}

sub least { my ($one, $other) = @_; return $one < $other ? $one : $other }

# Each takes how long to wait and until when, in nanoseconds.
my %WAITS = (
    'sleep' => sub { Time::HiRes::sleep($_[0] / 1e9) },
    'usleep' => sub { Time::HiRes::usleep($_[0] / 1e3) },
    'nanosleep' => sub { nanosleep($_[0]) },
    'clock-nanosleep' => sub {
        Time::HiRes::clock_nanosleep(CLOCK_MONOTONIC, $_[1], Time::HiRes::TIMER_ABSTIME());
    },
    'select' => sub { select(undef, undef, undef, $_[0] / 1e9) },
);

sub hello {
    my @clocks = map {
        my ($id, $call, $kind, $hz, $claimed) = @$_;
        +{
            id => $id, call => $call, kind => $kind, hz => $hz, claimed_ns => $claimed,
            modes => ['throughput', 'latency'],
        };
    } @CLOCKS;
    return {
        protocol => 2, runtime => 'Perl', version => sprintf('%vd', $^V),
        build => "Time::HiRes $Time::HiRes::VERSION",
        stopwatch => { call => $CLOCKS[0][1], hz => 1 }, clocks => \@clocks,
        waits => [sort keys %WAITS],
        monotonic => $^O eq 'linux' ? JSON::PP::true() : JSON::PP::false(),
        sleeps => [
            { id => 'hires-sleep', call => 'Time::HiRes::sleep(seconds)', unit_ns => 1 },
            { id => 'nanosleep', call => 'nanosleep(ns)', unit_ns => 1 },
            { id => 'select', call => 'select(undef, undef, undef, seconds)', unit_ns => 1000 },
        ],
        allocations => JSON::PP::false,
    };
}

sub batch {
    my ($id, $mode, $reads, $warm) = @_;
    die "no such mode\n" if $mode ne 'throughput' && $mode ne 'latency';
    my $loop = known($id, $mode);
    $reads = number($reads);
    $loop->(number($warm));
    my $start = stopwatch();
    $loop->($reads);
    my $stop = stopwatch();
    return { start => $start, ticks => $stop - $start };
}

sub around {
    my ($id, $turns, $count) = @_;
    my $read = $id eq 'empty' ? undef : known($id, 'read');
    my @values = 0 .. least(number($count), 1000000) - 1;
    my ($all, $elapsed) = (0, 0);
    $turns = number($turns);
    my $start = stopwatch();
    if ($read) {
        for (1 .. $turns) {
            my $begin = $read->();
            $all += sum(0, @values);
            $elapsed = $read->() - $begin;
        }
    } else {
        for (1 .. $turns) {
            $all += sum(0, @values);
        }
    }
    my $stop = stopwatch();
    return { start => $start, ticks => $stop - $start };
}

# The reads of the last deltas.
my @kept;

sub deltas {
    my ($id, $count) = @_;
    my $read = known($id, 'read');
    @kept = (1) x least(number($count), 1000000);
    $_ = $read->() for @kept;
    return more(0);
}

sub more {
    my $from = number($_[0]);
    my $end = least($from + 20000, scalar @kept);
    return { values => [map { $kept[$_] - $kept[0] } $from .. $end - 1] };
}

sub spins {
    my ($id, $count) = @_;
    my $read = known($id, 'read');
    my $most = least(number($count), 2000);
    my (@steps, @reads);
    my $limit = stopwatch() + 0.5;
    my ($last, $tries, $first) = ($read->(), 0, 1);
    while (@steps < $most) {
        my $now = $read->();
        $tries++;
        if ($now != $last) {
            if (!$first) {
                push @steps, $now - $last;
                push @reads, $tries;
            }
            ($last, $tries, $first) = ($now, 0, 0);
        }
        last if $tries % 100 == 0 && stopwatch() > $limit;
    }
    return { steps => \@steps, reads => \@reads };
}

sub watch {
    my ($id, $count) = @_;
    my $read = known($id, 'read');
    $count = number($count);
    my $limit = stopwatch() + 2;
    my ($same, $smallest, $longest, $backwards, $worst, $done) = (0) x 6;
    my $last = $read->();
    while ($done < $count) {
        my $now = $read->();
        my $step = $now - $last;
        $last = $now;
        $done++;
        if ($step > 0) {
            $longest = $step if $step > $longest;
            $smallest = $step if $step < $smallest || !$smallest;
        } elsif ($step == 0) {
            $same++;
        } else {
            $backwards++;
            $worst = -$step if -$step > $worst;
        }
        last if $done % 1000 == 0 && stopwatch() > $limit;
    }
    return {
        reads => $done, same => $same, smallest => $smallest, longest => $longest,
        backwards => $backwards, worst => $worst,
    };
}

my %SLEEPS = (
    'hires-sleep' => sub { Time::HiRes::sleep($_[0] / 1e9) },
    'nanosleep' => sub { nanosleep($_[0]) },
    'select' => sub { select(undef, undef, undef, $_[0] / 1e9) },
);

sub slept {
    my ($id, $ns, $count) = @_;
    my $sleep = $SLEEPS{$id} or die "no such sleep\n";
    $ns = number($ns);
    my @slept;
    for (1 .. least(number($count), 1000)) {
        my $start = stopwatch();
        $sleep->($ns);
        push @slept, int(1e9 * (stopwatch() - $start));
    }
    return { slept => \@slept };
}

sub now_ns { 1e9 * clock_gettime(CLOCK_MONOTONIC) }

sub waits {
    my ($id, $ns, $count, $first, $work) = @_;
    my $wait = $WAITS{$id} or die "no such wait\n";
    $_ = number($_) for $ns, $count, $first, $work;
    my @times;
    my $deadline = $first > now_ns() ? $first : now_ns() + $ns;
    my $cpu = clock();
    for (1 .. least($count, 1000)) {
        my $begin = now_ns();
        $deadline = $begin + $ns if !$first;
        my $left = $deadline - $begin;
        $wait->($left, $deadline) if $left > 0;
        my $end = now_ns();
        push @times, $begin, $deadline, $end;
        if ($work) {
            1 while now_ns() < $end + $work;
        }
        $deadline += $ns;
        $deadline += $ns * (1 + int(($end - $deadline) / $ns)) if $end >= $deadline;
    }
    $cpu = clock() - $cpu;
    my $start = $times[0] // now_ns();
    return {
        start => 0 + sprintf('%.0f', $start), times => [map { int($_ - $start) } @times],
        cpu_ns => int(1e9 * $cpu), thread => $$ + 0,
    };
}

my %REQUESTS = (
    'hello 0' => \&hello, 'batch 4' => \&batch, 'around 3' => \&around,
    'deltas 2' => \&deltas, 'more 1' => \&more,
    'spins 2' => \&spins, 'watch 2' => \&watch, 'sleep 3' => \&slept, 'waits 5' => \&waits,
);

my $json = JSON::PP->new->ascii->canonical;
$| = 1;
while (defined(my $line = <STDIN>)) {
    my ($name, @words) = split ' ', $line;
    last if defined $name && $name eq 'quit';
    my $answer = eval {
        my $request = $REQUESTS{($name // '') . ' ' . @words} or die "no such request\n";
        $request->(@words);
    };
    if (!defined $answer) {
        chomp(my $why = $@);
        $answer = { error => substr($why, 0, 200) };
    }
    print $json->encode($answer), "\n";
}
