package history

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestBegan checks the estimated start of the last sync of a VM with an RPO of 60 minutes. That sync ended at minute
// 100; the previous sync ran from minute 50 to 60.
func TestBegan(t *testing.T) {
	t.Parallel()
	const minute = int64(time.Minute / time.Millisecond)
	for name, test := range map[string]struct {
		due, since, next int64 // in minutes; none if absent
		took             []float32
		want             int64
	}{
		// The interval of 48 minutes leaves 12 of the RPO's 60 minutes, so the duration is 12 / 1.2 = 10 minutes.
		"no duration is known": {none, none, 148, nil, 90},
		// The mean duration is 10 minutes, so the sync started at minute 50 + 60 - 1.2 * 10 = 98.
		"by the mean of the durations":        {none, none, 148, []float32{5, 15}, 98},
		"not before the one before had ended": {none, none, 118, []float32{50}, 60},
		// The next sync ended at minute 155 without a violation, so the last sync started at minute 155 - 60 = 95 or
		// later.
		"not longer than the RPO before the next end": {none, none, 155, []float32{20}, 95},
		"not after its end":                           {none, none, 200, []float32{1}, 100},
		// According to the rule, the sync started at minute 50 + 60 - 1.2 * 1 = 108.8, but the violation began at
		// minute 95.
		"the first that is late began when it was due": {95, 95, 148, []float32{1}, 95},
		"the next that is late followed at once":       {55, 55, 148, []float32{1}, 60},
		"the last one of the log":                      {none, none, none, []float32{20}, 100},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			times := func(m int64) int64 {
				if m == none {
					return none
				}
				return m * minute
			}
			v := &vmLog{rpo: 60 * minute, lastSync: 100 * minute, since: times(test.since)}
			v.pending, v.lastStart = &pending{before: 60 * minute, due: times(test.due)}, 50*minute
			v.taken = copy(v.took[:], test.took)
			assert.Equal(t, test.want*minute, v.began(times(test.next)))
		})
	}
}

func TestMissed(t *testing.T) {
	t.Parallel()
	const minute = int64(time.Minute / time.Millisecond)
	for at, want := range map[int64]int64{145: 85, 200: 100, 110: 60} {
		v := &vmLog{rpo: 60 * minute, lastSync: 100 * minute, since: none}
		v.pending, v.lastStart = &pending{before: 60 * minute, due: none}, 50*minute
		assert.Equal(t, want*minute, v.missed(at*minute), "%+v", at)
	}
}
