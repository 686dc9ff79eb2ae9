package vr

import (
	"time"
)

func seconds(n int64) time.Duration { return time.Duration(n) * time.Second }

func minutes(n int64) time.Duration { return time.Duration(n) * time.Minute }

// fromMillis converts milliseconds since 1970 to a time. For 0, which means never, it returns the zero time.
func fromMillis(ms int64) time.Time {
	if ms <= 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
