// The probe of Go (1.17 or later). See PROTOCOL.md.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
	_ "unsafe" // for go:linkname
)

// What the runtime itself reads, without the allocation of a time.Time or its wall clock. It is no
// part of the language's library, but programs that count nanoseconds link to it.
//
//go:linkname nanotime runtime.nanotime
func nanotime() int64

// Where values are kept. They are exported, so the compiler cannot drop a store to them.
var (
	SinkTime     time.Time
	SinkDuration time.Duration
	SinkInt      int64
)

// Zero is a zero that the compiler does not know, as another package could change it.
var Zero = 0

var origin = time.Now()

type loop func(reads int64)

type clock struct {
	ID    string   `json:"id"`
	Call  string   `json:"call"`
	Kind  string   `json:"kind"`
	Hz    float64  `json:"hz"`
	Modes []string `json:"modes"`
	// Not part of the documented interface.
	Internal bool `json:"internal,omitempty"`
	read     func() int64
	loopFor  map[string]loop
}

func emptyThroughput(reads int64) {
	value := int64(Zero)
	for at := int64(0); at < reads; at++ {
		value = at - value
	}
	SinkInt = value
}

func emptyLatency(reads int64) {
	values := [2]int{1, 1}
	value, zero := 0, Zero
	for at := int64(0); at < reads; at++ {
		value = values[value&zero&1]
	}
	SinkInt = int64(value)
}

func nowThroughput(reads int64) {
	var value time.Time
	for at := int64(0); at < reads; at++ {
		value = time.Now()
	}
	SinkTime = value
}

func nowLatency(reads int64) {
	readers := [2]func() time.Time{time.Now, time.Now}
	var value time.Time
	zero := Zero
	for at := int64(0); at < reads; at++ {
		value = readers[value.Nanosecond()&zero&1]()
	}
	SinkTime = value
}

func sinceThroughput(reads int64) {
	var value time.Duration
	for at := int64(0); at < reads; at++ {
		value = time.Since(origin)
	}
	SinkDuration = value
}

func sinceLatency(reads int64) {
	readers := [2]func(time.Time) time.Duration{time.Since, time.Since}
	var value time.Duration
	zero := Zero
	for at := int64(0); at < reads; at++ {
		value = readers[int(value)&zero&1](origin)
	}
	SinkDuration = value
}

func nanotimeThroughput(reads int64) {
	var value int64
	for at := int64(0); at < reads; at++ {
		value = nanotime()
	}
	SinkInt = value
}

func nanotimeLatency(reads int64) {
	readers := [2]func() int64{nanotime, nanotime}
	var value int64
	zero := Zero
	for at := int64(0); at < reads; at++ {
		value = readers[int(value)&zero&1]()
	}
	SinkInt = value
}

func modes(throughput, latency loop) map[string]loop {
	return map[string]loop{"throughput": throughput, "latency": latency}
}

func made(id, call, kind string, read func() int64, throughput, latency loop) *clock {
	return &clock{
		ID: id, Call: call, Kind: kind, Hz: 1e9, Modes: []string{"throughput", "latency"},
		read: read, loopFor: modes(throughput, latency),
	}
}

func internal(one *clock) *clock {
	one.Internal = true
	return one
}

// A time.Time has both the wall clock and the monotonic clock; its wall clock is what it shows.
var clocks = []*clock{
	made("time-now", "time.Now()", "wall", func() int64 { return time.Now().UnixNano() },
		nowThroughput, nowLatency),
	made("time-since", "time.Since(start)", "monotonic",
		func() int64 { return int64(time.Since(origin)) }, sinceThroughput, sinceLatency),
	internal(made("runtime-nanotime", "runtime.nanotime()", "monotonic", nanotime,
		nanotimeThroughput, nanotimeLatency)),
}

var empty = made("empty", "", "", func() int64 { return 1 }, emptyThroughput, emptyLatency)

func found(id string) (*clock, error) {
	if id == "empty" {
		return empty, nil
	}
	for _, clock := range clocks {
		if clock.ID == id {
			return clock, nil
		}
	}
	return nil, fmt.Errorf("no such clock")
}

func stopwatch() int64 { return int64(time.Since(origin)) }

type answer map[string]interface{}

func hello() answer {
	return answer{
		"protocol": 2, "runtime": "Go", "version": strings.TrimPrefix(runtime.Version(), "go"),
		"build":     runtime.Compiler + " " + runtime.GOOS + "/" + runtime.GOARCH,
		"stopwatch": answer{"call": "time.Since(start)", "hz": 1000000000},
		"clocks":    clocks,
		"sleeps": []answer{
			{"id": "time-sleep", "call": "time.Sleep(d)", "unit_ns": 1},
			{"id": "time-after", "call": "<-time.After(d)", "unit_ns": 1},
		},
		"allocations": true, "waits": waitIDs,
		// What nanotime reads.
		"monotonic": runtime.GOOS == "linux",
	}
}

func batch(clock *clock, mode string, reads, warm int64) (answer, error) {
	loop := clock.loopFor[mode]
	if loop == nil {
		return nil, fmt.Errorf("no such mode")
	}
	loop(warm)
	start := stopwatch()
	loop(reads)
	stop := stopwatch()
	return answer{"start": start, "ticks": stop - start}, nil
}

func sumOf(values []int64) (sum int64) {
	for _, value := range values {
		sum += value
	}
	return sum
}

func sums(turns int64, values []int64) (all int64) {
	for ; turns > 0; turns-- {
		all += sumOf(values)
	}
	return all
}

func timedSums(turns int64, values []int64, read func() int64) (all int64) {
	for ; turns > 0; turns-- {
		start := read()
		all += sumOf(values)
		SinkInt = read() - start
	}
	return all
}

func around(clock *clock, turns, count int64) answer {
	integers := make([]int64, least(count, 1000000))
	for at := range integers {
		integers[at] = int64(at)
	}
	start := stopwatch()
	if clock == empty {
		SinkInt = sums(turns, integers)
	} else {
		SinkInt = timedSums(turns, integers, clock.read)
	}
	return answer{"start": start, "ticks": stopwatch() - start}
}

func least(a, b int64) int64 {
	if a < b {
		return a
	}
	return b
}

// The reads of the last deltas.
var values []int64

func deltas(clock *clock, count int64) answer {
	values = make([]int64, least(count, 1000000))
	for at := range values {
		values[at] = 1
	}
	for at := range values {
		values[at] = clock.read()
	}
	return more(0)
}

func more(from int64) answer {
	some := []int64{}
	for at := from; at < least(from+20000, int64(len(values))); at++ {
		some = append(some, values[at]-values[0])
	}
	return answer{"values": some}
}

func spins(clock *clock, count int64) answer {
	most := int(least(count, 2000))
	steps, reads := make([]int64, 0, most), make([]int64, 0, most)
	limit := stopwatch() + 500000000
	last, tries, first := clock.read(), int64(0), true
	for len(steps) < most {
		now := clock.read()
		tries++
		if now != last {
			if !first {
				steps, reads = append(steps, now-last), append(reads, tries)
			}
			last, tries, first = now, 0, false
		}
		if tries%100 == 0 && stopwatch() > limit {
			break
		}
	}
	return answer{"steps": steps, "reads": reads}
}

func watch(clock *clock, count int64) answer {
	var same, smallest, longest, backwards, worst, done int64
	limit := stopwatch() + 2000000000
	last := clock.read()
	for done < count {
		now := clock.read()
		step := now - last
		last = now
		done++
		switch {
		case step > 0:
			if step > longest {
				longest = step
			}
			if step < smallest || smallest == 0 {
				smallest = step
			}
		case step == 0:
			same++
		default:
			backwards++
			if -step > worst {
				worst = -step
			}
		}
		if done%1000 == 0 && stopwatch() > limit {
			break
		}
	}
	return answer{
		"reads": done, "same": same, "smallest": smallest, "longest": longest,
		"backwards": backwards, "worst": worst,
	}
}

func sleep(id string, ns, count int64) (answer, error) {
	slept := make([]int64, least(count, 1000))
	for at := range slept {
		start := stopwatch()
		switch id {
		case "time-sleep":
			time.Sleep(time.Duration(ns))
		case "time-after":
			<-time.After(time.Duration(ns))
		default:
			return nil, fmt.Errorf("no such sleep")
		}
		slept[at] = stopwatch() - start
	}
	return answer{"slept": slept}, nil
}

// The times of some waits, in nanoseconds since the first began, and the deadlines they are for.
type series struct {
	ns, first, work, deadline int64
	times                     []int64
	count                     int64
}

// Begins the next wait: how long it is, and whether there is one.
func (s *series) begin() (time.Duration, bool) {
	if len(s.times) == 0 {
		s.deadline = nanotime() + s.ns
		if s.first > nanotime() {
			s.deadline = s.first
		}
	}
	for ; int64(len(s.times)) < 3*s.count; s.end() {
		now := nanotime()
		if s.first == 0 {
			s.deadline = now + s.ns
		}
		s.times = append(s.times, now, s.deadline)
		if s.deadline > now {
			return time.Duration(s.deadline - now), true
		}
	}
	return 0, false
}

func (s *series) end() {
	now := nanotime()
	s.times = append(s.times, now)
	for s.work > 0 && nanotime() < now+s.work {
	}
	s.deadline += s.ns
	if late := now - s.deadline; late >= 0 {
		s.deadline += s.ns * (late/s.ns + 1)
	}
}

// A goroutine that waits, as most programs have it: not bound to a thread.
func (s *series) make(wait func(time.Duration)) {
	for d, more := s.begin(); more; d, more = s.begin() {
		wait(d)
		s.end()
	}
}

// The deadlines of a ticker are a grid from its start, whatever they are taken for.
func (s *series) tick() {
	ticker := time.NewTicker(time.Duration(s.ns))
	defer ticker.Stop()
	s.deadline = nanotime() + s.ns
	for int64(len(s.times)) < 3*s.count {
		s.times = append(s.times, nanotime(), s.deadline)
		<-ticker.C
		s.end()
	}
}

var stop = make(chan struct{})

var blocking = map[string]func(time.Duration){
	"sleep": time.Sleep,
	"timer": func(d time.Duration) { <-time.NewTimer(d).C },
	"select-after": func(d time.Duration) {
		select {
		case <-time.After(d):
		case <-stop:
		}
	},
	"context": func(d time.Duration) {
		done, cancel := context.WithTimeout(context.Background(), d)
		<-done.Done()
		cancel()
	},
}

var waitIDs = []string{"sleep", "timer", "ticker", "select-after", "context"}

func waits(id string, s *series) (answer, error) {
	wait := blocking[id]
	if wait == nil && id != "ticker" {
		return nil, fmt.Errorf("no such wait")
	}
	done := make(chan struct{})
	go func() {
		if wait == nil {
			s.tick()
		} else {
			s.make(wait)
		}
		close(done)
	}()
	<-done
	start := nanotime()
	if len(s.times) > 0 {
		start = s.times[0]
	}
	for at := range s.times {
		s.times[at] -= start
	}
	return answer{"start": start, "times": s.times}, nil
}

// Counts as testing.AllocsPerRun does, and also bytes. Both never decrease.
func allocations(clock *clock, reads int64) answer {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	clock.loopFor["throughput"](reads)
	runtime.ReadMemStats(&after)
	return answer{
		"bytes":   after.TotalAlloc - before.TotalAlloc,
		"objects": after.Mallocs - before.Mallocs,
	}
}

func serve(words []string) (answer, error) {
	var numbers [6]int64
	for at, word := range words {
		// The first words are names.
		if at < 2 || at >= len(numbers) || words[0] == "batch" && at == 2 {
			continue
		}
		number, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			return nil, err
		}
		numbers[at] = number
	}
	if len(words) == 1 && words[0] == "hello" {
		return hello(), nil
	}
	if len(words) == 4 && words[0] == "sleep" {
		return sleep(words[1], numbers[2], numbers[3])
	}
	if len(words) == 6 && words[0] == "waits" {
		return waits(words[1], &series{
			ns: numbers[2], count: least(numbers[3], 1000), first: numbers[4], work: numbers[5],
			times: make([]int64, 0, 3000),
		})
	}
	if len(words) == 2 && words[0] == "more" {
		from, err := strconv.ParseUint(words[1], 10, 32)
		return more(int64(from)), err
	}
	if len(words) < 2 {
		return nil, fmt.Errorf("no such request")
	}
	clock, err := found(words[1])
	if err != nil {
		return nil, err
	}
	switch fmt.Sprint(words[0], len(words)-1) {
	case "batch4":
		return batch(clock, words[2], numbers[3], numbers[4])
	case "around3":
		return around(clock, numbers[2], numbers[3]), nil
	case "deltas2":
		return deltas(clock, numbers[2]), nil
	case "spins2":
		return spins(clock, numbers[2]), nil
	case "watch2":
		return watch(clock, numbers[2]), nil
	case "allocations2":
		return allocations(clock, numbers[2]), nil
	}
	return nil, fmt.Errorf("no such request")
}

func main() {
	// The thread is known to who measures its time on the CPU.
	runtime.LockOSThread()
	in, out := bufio.NewScanner(os.Stdin), bufio.NewWriter(os.Stdout)
	for in.Scan() && in.Text() != "quit" {
		found, err := serve(strings.Split(in.Text(), " "))
		if err != nil {
			found = answer{"error": fmt.Sprintf("%.200s", err)}
		}
		line, err := json.Marshal(found)
		if err != nil {
			line = []byte(`{"error":"no JSON"}`)
		}
		out.Write(append(line, '\n'))
		out.Flush()
	}
}
