// Package migration calculates moves of running VMs: how long a vMotion takes and how long the guest stops, and in
// which waves many VMs can move.
//
// The model is pre-copy: memory is sent while the guest runs, then what it dirtied meanwhile, and so on until the
// rest is small enough to stop the guest for. Sources: vSphere 6.5 documentation, vMotion networking requirements,
// and Broadcom KB 2106949 for the bounds; VMware performance blog for the measured migrations.
package migration

import (
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
)

const (
	bitsPerGiB  = 8 * (1 << 30)
	bitsPerMbit = 1e6
	msPerSecond = 1e3

	// minMbpsPerMigration and maxRTTMs are what vSphere asks of a vMotion network (vSphere 6.5 documentation).
	minMbpsPerMigration = 250
	maxRTTMs            = 150
	// maxSwitchoverSeconds is how long the guest may stop without connections of its clients ending.
	maxSwitchoverSeconds = 1
	// sdpsDirtyShare: stun during page send slows the guest until it dirties this share of the rate. An assumption of
	// vsla: VMware publishes that the guest is slowed, not how far.
	sdpsDirtyShare = 0.8
	// maxRounds ends a series that shrinks by a hair each round. An assumption of vsla: no vMotion goes on for that long.
	maxRounds = 10000
)

// VMotionInput is one VM on one link that several migrations share evenly.
type VMotionInput struct {
	// MemoryGiB is the memory in use, in GiB (2^30 bytes).
	MemoryGiB float64
	// MemoryDirtyMbps is how fast the guest dirties memory, in 10^6 bit/s.
	MemoryDirtyMbps float64
	// WorkingSetGiB caps what can be dirty at a time; nil means all memory.
	WorkingSetGiB *float64
	// DiskGiB is the disk data to move; 0 for shared storage. DiskWriteMbps is how fast the guest writes to it, over the
	// same link when the disk moves.
	DiskGiB, DiskWriteMbps float64
	// ThroughputMbps is what the link carries for all migrations together.
	ThroughputMbps float64
	// RTTMs is the round-trip time.
	RTTMs float64
	// ConcurrentMigrations share the link evenly.
	ConcurrentMigrations float64
	// SwitchoverGoalMs is how long the guest may stop for the rest of its memory.
	SwitchoverGoalMs float64
	// SetupSeconds is the fixed cost before data moves.
	SetupSeconds float64
}

// VMotionDefaults returns an input with the documented defaults: one migration, a goal of 500 ms.
func VMotionDefaults() VMotionInput {
	return VMotionInput{ConcurrentMigrations: 1, SwitchoverGoalMs: 500}
}

// Round is one pass over memory.
type Round struct {
	// SentGiB is what it sends, in GiB (2^30 bytes): all memory first, then what was dirtied in the round before.
	// Seconds is how long that takes.
	SentGiB, Seconds float64
}

// VMotionResult is the estimate. Pointers are nil where the migration never ends.
type VMotionResult struct {
	// DurationSeconds is setup, disks, memory and switchover.
	DurationSeconds, DiskCopySeconds, MemoryCopySeconds, SwitchoverSeconds *float64
	// PrecopyRounds counts the passes over memory while the guest runs.
	PrecopyRounds *int64
	// Rounds are those passes, and last what is sent while the guest stops; empty where the migration never ends.
	Rounds []Round
	// TransferredGiB is all that is sent, mirrored disk writes included.
	TransferredGiB *float64
	// SDPSExpected: the guest dirties memory faster than it can be sent, and will be slowed down.
	SDPSExpected bool
	// GuestSpeedPercent is how fast the guest runs meanwhile, 100 when it is not slowed down.
	GuestSpeedPercent float64
	// MeetsSwitchoverGoal: the guest stops no longer than the goal, round trip included.
	MeetsSwitchoverGoal bool
	// MinThroughputMbps is the smallest ThroughputMbps at which the series shrinks without slowing the guest; nil if none
	// in RangeThroughputMbps does.
	MinThroughputMbps *float64
	Verdict           string
	calculator.Explanation
}

// VMotion computes, with all rates in bit/s:
//
//	R   = throughput / concurrent migrations
//	Td  = disk / (R - disk_write)                   no end when disk_write >= R
//	Rm  = R - disk_write;  V0 = memory;  Ti = Vi / Rm;  Vi+1 = min(dirty * Ti, working set)
//	      rounds until Vn <= Rm * goal;  then switchover = Vn / Rm + RTT
//	SDPS when the series would not shrink (dirty >= Rm, unless the working set fits the goal):
//	      the guest is slowed until it dirties 80 % of Rm; guest speed = 0.8 * Rm / dirty
//
// The error is a plan.InputErrors.
func VMotion(in VMotionInput) (VMotionResult, error) {
	if err := vmotionInputs.Check(&in, nil).Err(); err != nil {
		return VMotionResult{}, err
	}
	rate := in.ThroughputMbps * bitsPerMbit / in.ConcurrentMigrations
	memoryRate := rate - in.mirrored()
	r := VMotionResult{GuestSpeedPercent: 100}
	if v, ok := plan.SmallestFloat(RangeThroughputMbps.Min, RangeThroughputMbps.Max, func(mbps float64) bool {
		faster := in
		faster.ThroughputMbps = mbps
		return faster.converges()
	}); ok {
		r.MinThroughputMbps = &v
	}
	if memoryRate > 0 {
		in.copyVM(memoryRate, &r)
	}
	in.judge(rate, memoryRate, &r)
	return r, nil
}

// converges reports whether the series shrinks by itself.
func (in VMotionInput) converges() bool {
	memoryRate := in.ThroughputMbps*bitsPerMbit/in.ConcurrentMigrations - in.mirrored()
	return memoryRate > 0 && (in.MemoryDirtyMbps*bitsPerMbit < memoryRate || in.workingSet() <= memoryRate*in.goal())
}

// workingSet is what can be dirty at a time, in bits.
func (in VMotionInput) workingSet() float64 {
	if in.WorkingSetGiB == nil {
		return in.MemoryGiB * bitsPerGiB
	}
	return min(*in.WorkingSetGiB, in.MemoryGiB) * bitsPerGiB
}

// mirrored is what the guest's disk writes take of the link, in bit/s: nothing on shared storage.
func (in VMotionInput) mirrored() float64 {
	if in.DiskGiB == 0 {
		return 0
	}
	return in.DiskWriteMbps * bitsPerMbit
}

// goal is the switchover goal in seconds.
func (in VMotionInput) goal() float64 { return in.SwitchoverGoalMs / msPerSecond }

// copyVM runs the rounds and fills the times.
func (in VMotionInput) copyVM(memoryRate float64, r *VMotionResult) {
	dirty := in.MemoryDirtyMbps * bitsPerMbit
	if !in.converges() {
		r.SDPSExpected = true
		r.GuestSpeedPercent = sdpsDirtyShare * memoryRate / dirty * 100
		dirty = sdpsDirtyShare * memoryRate
	}
	disk := in.DiskGiB * bitsPerGiB / memoryRate
	left, working, enough := in.MemoryGiB*bitsPerGiB, in.workingSet(), memoryRate*in.goal()
	memory, sent := 0.0, 0.0
	rounds := int64(0)
	for left > enough && rounds < maxRounds {
		seconds := left / memoryRate
		r.Rounds = append(r.Rounds, Round{SentGiB: left / bitsPerGiB, Seconds: seconds})
		memory += seconds
		sent += left
		left = min(dirty*seconds, working)
		rounds++
	}
	r.Rounds = append(r.Rounds, Round{SentGiB: left / bitsPerGiB, Seconds: left / memoryRate})
	switchover := left/memoryRate + in.RTTMs/msPerSecond
	// The disks are sent once, and what the guest writes meanwhile a second time, until it stops.
	sent += left + in.DiskGiB*bitsPerGiB + in.mirrored()*(disk+memory)
	duration := in.SetupSeconds + disk + memory + switchover
	transferred := sent / bitsPerGiB
	r.DiskCopySeconds, r.MemoryCopySeconds, r.SwitchoverSeconds = &disk, &memory, &switchover
	r.DurationSeconds, r.TransferredGiB, r.PrecopyRounds = &duration, &transferred, &rounds
	r.MeetsSwitchoverGoal = switchover <= in.goal()
}
