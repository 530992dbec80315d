%% The probe of Erlang/OTP (21 or later). See PROTOCOL.md.
-module(probe).
-export([main/0]).

-define(READS(Name, Read, Ordered),
        %% The loops of one clock. The value goes around with the loop, which returns it.
        Name(read, _, _, _) ->
            Read;
        Name(throughput, 0, Value, _) ->
            Value;
        Name(throughput, Left, _, Zero) ->
            Name(throughput, Left - 1, Read, Zero);
        Name(latency, 0, Value, _) ->
            Value;
        Name(latency, Left, Value, Zero) ->
            Name(latency, Left - 1, Ordered, Zero)).

%% The value before selects the unit, or what is called if that has no argument. The tuples are
%% constants.
-define(SELECTED(Tuple), (element((Value band Zero) + 1, Tuple))).
?READS(empty, 1, Value band Zero).
?READS(monotonic, erlang:monotonic_time(),
       ?SELECTED({fun erlang:monotonic_time/0})()).
?READS(monotonic_ns, erlang:monotonic_time(nanosecond),
       erlang:monotonic_time(?SELECTED({nanosecond}))).
?READS(system, erlang:system_time(),
       ?SELECTED({fun erlang:system_time/0})()).
?READS(os_system, os:system_time(),
       ?SELECTED({fun os:system_time/0})()).
?READS(perf_counter, os:perf_counter(),
       ?SELECTED({fun os:perf_counter/0})()).

-record(clock, {id, call, kind, hz, claimed, claims, loop}).

clocks() ->
    Native = erlang:convert_time_unit(1, second, native),
    Perf = erlang:convert_time_unit(1, second, perf_counter),
    {Monotonic, MonotonicClaims} = source(os_monotonic_time_source, Native),
    {System, SystemClaims} = source(os_system_time_source, Native),
    [#clock{id = "monotonic-time", call = "erlang:monotonic_time()", kind = "monotonic",
            hz = Native, claimed = Monotonic, claims = MonotonicClaims,
            loop = fun monotonic/4},
     #clock{id = "monotonic-time-ns", call = "erlang:monotonic_time(nanosecond)",
            kind = "monotonic", hz = 1000000000, claimed = Monotonic, claims = MonotonicClaims,
            loop = fun monotonic_ns/4},
     #clock{id = "system-time", call = "erlang:system_time()", kind = "wall", hz = Native,
            claimed = System, claims = MonotonicClaims, loop = fun system/4},
     #clock{id = "os-system-time", call = "os:system_time()", kind = "wall", hz = Native,
            claimed = System, claims = SystemClaims, loop = fun os_system/4},
     #clock{id = "os-perf-counter", call = "os:perf_counter()", kind = "monotonic", hz = Perf,
            claimed = 1.0e9 / Perf, claims = "", loop = fun perf_counter/4}].

%% What the runtime says of its source: its resolution in nanoseconds, and the call.
source(Name, Native) ->
    Source = erlang:system_info(Name),
    Hz = proplists:get_value(resolution, Source, Native),
    Call = proplists:get_value(function, Source, unknown),
    Clock = case proplists:get_value(clock_id, Source) of
                undefined -> "";
                Id -> atom_to_list(Id)
            end,
    {1.0e9 / Hz, atom_to_list(Call) ++ "(" ++ Clock ++ ")"}.

clock("empty") ->
    #clock{loop = fun empty/4};
clock(Id) ->
    case lists:keyfind(Id, #clock.id, clocks()) of
        false -> throw("no such clock");
        Clock -> Clock
    end.

%% A zero that the compiler does not know.
zero() ->
    length(erlang:get_keys(no_such_value)).

stopwatch() ->
    erlang:monotonic_time().

ns(Ticks) ->
    erlang:convert_time_unit(Ticks, native, nanosecond).

hello() ->
    Clocks = [[{id, text(Id)}, {call, text(Call)}, {kind, text(Kind)}, {hz, Hz},
               {claimed_ns, Claimed}, {claims, text(Claims)},
               {modes, {list, [text("throughput"), text("latency")]}}]
              || #clock{id = Id, call = Call, kind = Kind, hz = Hz, claimed = Claimed,
                        claims = Claims} <- clocks()],
    Build = case catch erlang:system_info(emu_flavor) of
                Flavor when is_atom(Flavor) -> "ERTS " ++ atom_to_list(Flavor);
                _ -> "ERTS"
            end,
    [{protocol, 2}, {runtime, text("Erlang/OTP")},
     {version, text(erlang:system_info(otp_release) ++ "." ++ erlang:system_info(version))},
     {build, text(Build ++ ", " ++ atom_to_list(erlang:system_info(time_warp_mode)))},
     {stopwatch, [{call, text("erlang:monotonic_time()")},
                  {hz, erlang:convert_time_unit(1, second, native)}]},
     {clocks, {list, Clocks}},
     {sleeps, {list, [[{id, text("timer-sleep")}, {call, text("timer:sleep(ms)")},
                       {unit_ns, 1000000}]]}},
     {allocations, false},
     {waits, {list, [text(Id) || Id <- ["receive-after", "timer-sleep", "send-after",
                                        "start-timer"]]}},
     {monotonic, os:type() =:= {unix, linux}}].

batch(Id, Mode, Reads, Warm) ->
    #clock{loop = Loop} = clock(Id),
    Zero = zero(),
    put(kept, Loop(Mode, Warm, 1, Zero)),
    Start = stopwatch(),
    Value = Loop(Mode, Reads, 1, Zero),
    Stop = stopwatch(),
    put(kept, Value),
    [{start, Start}, {ticks, Stop - Start}].

mode("throughput") -> throughput;
mode("latency") -> latency;
mode(_) -> throw("no such mode").

reader(Id) ->
    #clock{loop = Loop} = clock(Id),
    fun() -> Loop(read, 0, 0, 0) end.

around(Id, Turns, Count) ->
    Values = lists:seq(0, min(Count, 1000000) - 1),
    Read = case Id of
               "empty" -> none;
               _ -> reader(Id)
           end,
    Start = stopwatch(),
    Sum = sums(Turns, Values, Read, 0),
    Stop = stopwatch(),
    put(kept, Sum),
    [{start, Start}, {ticks, Stop - Start}].

sums(0, _, _, All) ->
    All;
sums(Left, Values, none, All) ->
    sums(Left - 1, Values, none, All + lists:sum(Values));
sums(Left, Values, Read, All) ->
    Start = Read(),
    Sum = lists:sum(Values),
    put(elapsed, Read() - Start),
    sums(Left - 1, Values, Read, All + Sum).

%% A list, because nothing here can be written to twice.
deltas(Id, Count) ->
    Read = reader(Id),
    Values = taken(Read, min(Count, 1000000), []),
    put(reads, Values),
    more(0).

%% Returns the reads of the last `deltas` from this one on.
more(From) ->
    case get(reads) of
        [First | _] = Values when From < length(Values) ->
            Some = lists:sublist(Values, From + 1, 20000),
            [{values, {list, [Value - First || Value <- Some]}}];
        _ ->
            [{values, {list, []}}]
    end.

taken(_, 0, Values) -> lists:reverse(Values);
taken(Read, Left, Values) -> taken(Read, Left - 1, [Read() | Values]).

spins(Id, Count) ->
    Read = reader(Id),
    Limit = stopwatch() + erlang:convert_time_unit(500, millisecond, native),
    {_, First} = change(Read, Read(), 1, Limit),
    {Steps, Reads} = changes(Read, First, min(Count, 2000), Limit, [], []),
    [{steps, {list, Steps}}, {reads, {list, Reads}}].

changes(_, _, 0, _, Steps, Reads) ->
    {lists:reverse(Steps), lists:reverse(Reads)};
changes(Read, Last, Left, Limit, Steps, Reads) ->
    case change(Read, Last, 1, Limit) of
        {_, none} ->
            changes(Read, Last, 0, Limit, Steps, Reads);
        {Tries, Now} ->
            changes(Read, Now, Left - 1, Limit, [Now - Last | Steps], [Tries | Reads])
    end.

%% Reads until the value changes: the number of reads and the new value.
change(Read, Last, Tries, Limit) ->
    case Read() of
        Last ->
            case Tries rem 100 =:= 0 andalso stopwatch() > Limit of
                true -> {Tries, none};
                false -> change(Read, Last, Tries + 1, Limit)
            end;
        Now ->
            {Tries, Now}
    end.

watch(Id, Count) ->
    Read = reader(Id),
    Limit = stopwatch() + erlang:convert_time_unit(2, second, native),
    watched(Read, Count, 0, Limit, Read(), {0, 0, 0, 0, 0}).

watched(Read, Count, Done, Limit, Last, {Same, Smallest, Longest, Back, Worst} = Seen) ->
    Late = Done rem 1000 =:= 0 andalso stopwatch() > Limit,
    case Done >= Count orelse Late of
        true ->
            [{reads, Done}, {same, Same}, {smallest, Smallest}, {longest, Longest},
             {backwards, Back}, {worst, Worst}];
        false ->
            Now = Read(),
            Next = case Now - Last of
                       0 ->
                           setelement(1, Seen, Same + 1);
                       Step when Step < 0 ->
                           {Same, Smallest, Longest, Back + 1, max(Worst, -Step)};
                       Step when Smallest =:= 0; Step < Smallest ->
                           {Same, Step, max(Longest, Step), Back, Worst};
                       Step ->
                           {Same, Smallest, max(Longest, Step), Back, Worst}
                   end,
            watched(Read, Count, Done + 1, Limit, Now, Next)
    end.

slept("timer-sleep", Ns, Count) ->
    Ms = (Ns + 999999) div 1000000,
    Once = fun(_) ->
                   Start = stopwatch(),
                   timer:sleep(Ms),
                   ns(stopwatch() - Start)
           end,
    [{slept, {list, lists:map(Once, lists:seq(1, min(Count, 1000)))}}];
slept(_, _, _) ->
    throw("no such sleep").

%% The monotonic clock of the system, on which that of the runtime is based, less the latter.
offset() ->
    Before = erlang:monotonic_time(),
    case proplists:get_value(time, erlang:system_info(os_monotonic_time_source), undefined) of
        Time when is_integer(Time) ->
            After = erlang:monotonic_time(),
            ns(Time - (Before + After) div 2);
        _ ->
            0
    end.

%% Waits for this many milliseconds.
wait("receive-after", Ms) ->
    receive after Ms -> ok end;
wait("timer-sleep", Ms) ->
    timer:sleep(Ms);
wait("send-after", Ms) ->
    erlang:send_after(Ms, self(), go_on),
    receive go_on -> ok end;
wait("start-timer", Ms) ->
    %% A whole millisecond begins before the deadline: the next one is not too early.
    Timer = erlang:start_timer(erlang:monotonic_time(millisecond) + Ms + 1, self(), go_on,
                               [{abs, true}]),
    receive {timeout, Timer, go_on} -> ok end;
wait(_, _) ->
    throw("no such wait").

now_ns() ->
    ns(erlang:monotonic_time()).

waits(Id, Ns, Count, First, Work) ->
    Offset = offset(),
    Now = now_ns(),
    Deadline = case First - Offset > Now of
                   true -> First - Offset;
                   false -> Now + Ns
               end,
    Times = waits(Id, Ns, min(Count, 1000), Deadline, First, Work, []),
    Start = case Times of
                [] -> Now;
                [Begin | _] -> Begin
            end,
    [{start, Start + Offset}, {times, {list, [Time - Start || Time <- Times]}}].

waits(_, _, 0, _, _, _, Times) ->
    lists:reverse(Times);
waits(Id, Ns, Left, Grid, First, Work, Times) ->
    Begin = now_ns(),
    Deadline = case First of
                   0 -> Begin + Ns;
                   _ -> Grid
               end,
    case Deadline > Begin of
        true -> wait(Id, (Deadline - Begin + 999999) div 1000000);
        false -> ok
    end,
    End = now_ns(),
    work(End + Work),
    Next = Deadline + Ns * (1 + max(0, (End - Deadline) div Ns)),
    waits(Id, Ns, Left - 1, Next, First, Work, [End, Deadline, Begin | Times]).

work(Until) ->
    case now_ns() < Until of
        true -> work(Until);
        false -> ok
    end.

number(Word) ->
    case string:to_integer(Word) of
        {Number, []} when is_integer(Number), Number >= 0 -> Number;
        _ -> throw("not a number")
    end.

answer(["hello"]) ->
    hello();
answer(["batch", Id, Mode, Reads, Warm]) ->
    batch(Id, mode(Mode), number(Reads), number(Warm));
answer(["around", Id, Turns, Count]) ->
    around(Id, number(Turns), number(Count));
answer(["deltas", Id, Count]) ->
    deltas(Id, number(Count));
answer(["more", From]) ->
    more(number(From));
answer(["spins", Id, Count]) ->
    spins(Id, number(Count));
answer(["watch", Id, Reads]) ->
    watch(Id, number(Reads));
answer(["sleep", Id, Ns, Count]) ->
    slept(Id, number(Ns), number(Count));
answer(["waits", Id, Ns, Count, First, Work]) ->
    waits(Id, number(Ns), number(Count), number(First), number(Work));
answer(_) ->
    throw("no such request").

%% A text, which is not to be taken for a list.
text(Text) ->
    {text, [Char || Char <- Text, Char >= $\s, Char =< $~, Char =/= $", Char =/= $\\]}.

json({text, Text}) ->
    [$", Text, $"];
json({list, List}) ->
    [$[, lists:join($,, [json(One) || One <- List]), $]];
json(Truth) when is_boolean(Truth) ->
    atom_to_list(Truth);
json(Number) when is_integer(Number) ->
    integer_to_list(Number);
json(Number) when is_float(Number) ->
    io_lib:format("~p", [Number]);
json(Keys) ->
    Pairs = [[$", atom_to_list(Key), $", $:, json(Value)] || {Key, Value} <- Keys],
    [${, lists:join($,, Pairs), $}].

main() ->
    case io:get_line("") of
        Line when is_list(Line) ->
            case string:lexemes(Line, " \r\n") of
                ["quit"] ->
                    halt(0);
                Words ->
                    Answer = try answer(Words)
                             catch
                                 throw:Why -> [{error, text(Why)}];
                                 _:_ -> [{error, text("cannot do that")}]
                             end,
                    io:put_chars([json(Answer), $\n]),
                    %% What was kept for one answer must not be collected during the next.
                    erlang:garbage_collect(),
                    main()
            end;
        _ ->
            halt(0)
    end.
