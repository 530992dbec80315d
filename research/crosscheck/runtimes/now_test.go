package crosscheck

import (
	"testing"
	"time"
)

// Sink is exported, so that the compiler cannot drop what is stored in it.
var Sink time.Time

func BenchmarkNow(b *testing.B) {
	var now time.Time
	for i := 0; i < b.N; i++ {
		now = time.Now()
	}
	Sink = now
}
