package vr

import (
	"time"
)

func seconds(n int64) time.Duration { return time.Duration(n) * time.Second }

func minutes(n int64) time.Duration { return time.Duration(n) * time.Minute }
