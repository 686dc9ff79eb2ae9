// Units: the API mixes kilobytes, bytes, minutes, seconds and milliseconds; beyond this file there are bytes and Go's
// durations and instants.

package vr

import "time"

// kilobytes converts the capacity of a disk, which the API reports in units of 1,024 bytes.
func kilobytes(n int64) (bytes int64) { return n * 1024 }

func seconds(n int64) time.Duration { return time.Duration(n) * time.Second }

func minutes(n int64) time.Duration { return time.Duration(n) * time.Minute }

// instant returns a time in milliseconds since 1970; 0 means never, and returns the zero time.
func instant(ms int64) time.Time {
	if ms <= 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
