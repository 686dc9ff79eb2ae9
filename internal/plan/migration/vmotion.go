// Package migration calculates moves of running VMs: how long a vMotion takes and how long the guest stops, and in
// which waves many VMs can move.
//
// The model is pre-copy: memory is sent while the guest runs, then the pages dirtied in between, and so on until the
// rest is small enough to stop the guest for. Sources: vSphere 6.5 documentation, vMotion networking requirements,
// and Broadcom KB 2106949 for the bounds; VMware performance blog for the measured migrations.
package migration

import (
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/quantity"
)

const (

	// minMbpsPerMigration and maxRTTMs are what vSphere asks of a vMotion network (vSphere 6.5 documentation).
	minMbpsPerMigration = 250
	maxRTTMs            = 150
	// maxSwitchoverSeconds is how long the guest may stop without connections of its clients ending.
	maxSwitchoverSeconds = 1
	// sdpsDirtyShare: stun during page send slows the guest until it dirties this share of the rate. An assumption of
	// vsla: VMware publishes that a guest which dirties faster than the rate is slowed, not how far.
	sdpsDirtyShare = 0.8
	// oneThreadMbps is what one thread of a vMotion carries at least (Broadcom KB 323379, checked 2026-11-23: 18 Gbit/s;
	// VMware, How to Tune vMotion for Lower Migration Times: 15 Gbit/s).
	oneThreadMbps = 15000
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
	// ThroughputMbps is the link's throughput for all migrations together. ThreadsMbps is what the threads of one carry;
	// nil if it is not known. ThroughputBasis is one of plan.Bases; empty if it is not known.
	ThroughputMbps  float64
	ThreadsMbps     *float64
	ThroughputBasis string
	// RTTMs is the round-trip time.
	RTTMs float64
	// ConcurrentMigrations share the link evenly.
	ConcurrentMigrations float64
	// SwitchoverGoalMs is how long the guest may stop for the rest of its memory.
	SwitchoverGoalMs float64
	// SetupSeconds is the fixed cost before data moves. ResumeSeconds is the part of the stop in which the target takes
	// over.
	SetupSeconds, ResumeSeconds float64
}

// VMotionDefaults returns an input with the documented defaults: one migration, a goal of 500 ms.
func VMotionDefaults() VMotionInput {
	return VMotionInput{ConcurrentMigrations: 1, SwitchoverGoalMs: 500}
}

// Round is one pass over memory.
type Round struct {
	// SentGiB is the data it sends, in GiB (2^30 bytes): all memory first, then the pages dirtied in the round before.
	// Seconds is how long that takes.
	SentGiB, Seconds float64
}

// VMotionResult is the estimate. Pointers are nil where the migration never ends.
type VMotionResult struct {
	// DurationSeconds is setup, disks, memory and switchover.
	DurationSeconds, DiskCopySeconds, MemoryCopySeconds, SwitchoverSeconds *float64
	// DurationSeconds80 and DurationSeconds90 are what 4 of 5, and 9 of 10, comparable transfers took at most; nil without
	// a basis that has them.
	DurationSeconds80, DurationSeconds90 *float64
	// PrecopyRounds counts the passes over memory while the guest runs.
	PrecopyRounds *int64
	// Rounds are those passes, and last the part sent while the guest stops; empty where the migration never ends.
	Rounds []Round
	// TransferredGiB is all that is sent, mirrored disk writes included.
	TransferredGiB *float64
	// SDPSExpected: the guest dirties memory at more than 80 % of the rate, and will be slowed down.
	SDPSExpected bool
	// GuestSpeedPercent is how fast the guest runs during pre-copy, 100 when it is not slowed down.
	GuestSpeedPercent float64
	// MeetsSwitchoverGoal: the guest stops no longer than the goal and one second, round trip and resume included.
	MeetsSwitchoverGoal bool
	// MinThroughputMbps is the smallest ThroughputMbps at which the rounds end without slowing the guest and that vSphere
	// supports; nil if there is none in RangeThroughputMbps.
	MinThroughputMbps *float64
	Verdict           string
	calculator.Explanation
}

// VMotion computes, with all rates in bit/s:
//
//	R   = min(throughput / concurrent migrations, threads)
//	Rm  = R - disk_write                            no end when disk_write >= R
//	Td  = disk / Rm
//	V0  = memory;  Ti = Vi / Rm;  Vi+1 = min(min(dirty, 0.8 * Rm) * Ti, working set)
//	      rounds until Vn / Rm + RTT + resume <= min(goal, 1 s), which is when the goal is met;
//	      where RTT + resume alone reach that, rounds until Vn / Rm does, and the goal is missed
//	SDPS when dirty > 0.8 * Rm, unless the working set ends the rounds at once:
//	      the guest is slowed until it dirties 80 % of Rm; guest speed = 0.8 * Rm / dirty
//
// The error is a plan.InputErrors.
func VMotion(in VMotionInput) (VMotionResult, error) {
	if err := vmotionInputs.Check(&in, nil).Err(); err != nil {
		return VMotionResult{}, err
	}
	rate := in.rate()
	memoryRate := in.memoryRate()
	r := VMotionResult{GuestSpeedPercent: 100}
	if v, ok := plan.SmallestFloat(RangeThroughputMbps.Min, RangeThroughputMbps.Max, func(mbps float64) bool {
		faster := in
		faster.ThroughputMbps = mbps
		return faster.converges()
	}); ok {
		r.MinThroughputMbps = new(max(v, minMbpsPerMigration*in.ConcurrentMigrations))
	}
	if memoryRate > 0 {
		in.copyVM(memoryRate, &r)
	}
	in.band(&r)
	in.judge(rate, memoryRate, &r)
	return r, nil
}

// converges reports whether the rounds end without slowing the guest.
func (in VMotionInput) converges() bool {
	memoryRate := in.memoryRate()
	return memoryRate > 0 && (in.MemoryDirtyMbps*quantity.BitsPerMbit <= sdpsDirtyShare*memoryRate ||
		in.stop().ends(in.workingSet(), memoryRate))
}

// memoryRate is one migration's rate less mirrored disk writes, in bit/s.
func (in VMotionInput) memoryRate() float64 {
	return in.rate() - in.mirrored()
}

// rate is one migration's, in bit/s.
func (in VMotionInput) rate() float64 {
	rate := in.ThroughputMbps * quantity.BitsPerMbit / in.ConcurrentMigrations
	if in.ThreadsMbps != nil {
		rate = min(rate, *in.ThreadsMbps*quantity.BitsPerMbit)
	}
	return rate
}

// band fills in how long comparable transfers took. The link is not more usable than a nominal rate is.
func (in VMotionInput) band(r *VMotionResult) {
	fourOfFive, nineOfTen := plan.BandFactors(in.ThroughputBasis)
	if in.ThroughputBasis == plan.BasisNominal {
		in.ThroughputMbps *= plan.NominalEfficiencyPercent / quantity.Percent
	}
	var slower VMotionResult
	if rate := in.memoryRate(); rate > 0 && r.DurationSeconds != nil {
		in.copyVM(rate, &slower)
	}
	if slower.DurationSeconds != nil && fourOfFive > 0 {
		r.DurationSeconds80 = new(fourOfFive * *slower.DurationSeconds)
	}
	if slower.DurationSeconds != nil && nineOfTen > 0 {
		r.DurationSeconds90 = new(nineOfTen * *slower.DurationSeconds)
	}
}

// workingSet is what can be dirty at a time, in bits.
func (in VMotionInput) workingSet() float64 {
	if in.WorkingSetGiB == nil {
		return in.MemoryGiB * quantity.BitsPerGiB
	}
	return min(*in.WorkingSetGiB, in.MemoryGiB) * quantity.BitsPerGiB
}

// mirrored is the part of the link that the guest's disk writes take, in bit/s: 0 on shared storage.
func (in VMotionInput) mirrored() float64 {
	if in.DiskGiB == 0 {
		return 0
	}
	return in.DiskWriteMbps * quantity.BitsPerMbit
}

// stop returns when the guest is stopped.
func (in VMotionInput) stop() stop {
	return stop{
		goal:  min(in.SwitchoverGoalMs/quantity.MsPerSecond, maxSwitchoverSeconds),
		fixed: in.RTTMs/quantity.MsPerSecond + in.ResumeSeconds,
	}
}

// RestSeconds returns how long sending the rest may take when the guest stops.
func (in VMotionInput) RestSeconds() float64 {
	s := in.stop()
	if !s.possible() {
		return s.goal
	}
	return s.goal - s.fixed
}

// RestGiB returns how much memory can be sent while the guest stops: the rate at which memory is sent, for RestSeconds.
func (in VMotionInput) RestGiB() float64 {
	return in.RestSeconds() * in.memoryRate() / quantity.BitsPerGiB
}

// stop is when a guest is stopped for the rest of its memory: how long it may stop, and the part of the stop that does
// not depend on the rest of the memory, in seconds.
type stop struct{ goal, fixed float64 }

// equal is the relative tolerance within which a stop is as long as the goal.
const equal = 1e-9

// possible reports whether there is time to send anything in.
func (s stop) possible() bool { return s.fixed < s.goal }

// seconds is how long the guest stops when so many bits are left.
func (s stop) seconds(left, rate float64) float64 { return left/rate + s.fixed }

// met reports whether the guest stops no longer than the goal.
func (s stop) met(left, rate float64) bool {
	return s.possible() && s.seconds(left, rate) <= s.goal*(1+equal)
}

// ends reports whether the rounds end with so many bits left.
func (s stop) ends(left, rate float64) bool {
	if !s.possible() {
		return left/rate <= s.goal*(1+equal)
	}
	return s.met(left, rate)
}

// copyVM runs the rounds and fills the times.
func (in VMotionInput) copyVM(memoryRate float64, r *VMotionResult) {
	dirty, slowed := in.MemoryDirtyMbps*quantity.BitsPerMbit, sdpsDirtyShare*memoryRate
	if !in.converges() {
		r.SDPSExpected = true
		r.GuestSpeedPercent = slowed / dirty * 100
	}
	dirty = min(dirty, slowed)
	disk := in.DiskGiB * quantity.BitsPerGiB / memoryRate
	left, working, end := in.MemoryGiB*quantity.BitsPerGiB, in.workingSet(), in.stop()
	memory, sent := 0.0, 0.0
	rounds := int64(0)
	// Each round is at most 80 % of the one before.
	for !end.ends(left, memoryRate) {
		seconds := left / memoryRate
		r.Rounds = append(r.Rounds, Round{SentGiB: left / quantity.BitsPerGiB, Seconds: seconds})
		memory += seconds
		sent += left
		left = min(dirty*seconds, working)
		rounds++
	}
	r.Rounds = append(r.Rounds, Round{SentGiB: left / quantity.BitsPerGiB, Seconds: left / memoryRate})
	switchover := end.seconds(left, memoryRate)
	// The disks are sent once, and the guest's writes since then a second time, until it stops.
	sent += left + in.DiskGiB*quantity.BitsPerGiB + in.mirrored()*(disk+memory)
	duration := in.SetupSeconds + disk + memory + switchover
	transferred := sent / quantity.BitsPerGiB
	r.DiskCopySeconds, r.MemoryCopySeconds, r.SwitchoverSeconds = &disk, &memory, &switchover
	r.DurationSeconds, r.TransferredGiB, r.PrecopyRounds = &duration, &transferred, &rounds
	r.MeetsSwitchoverGoal = end.met(left, memoryRate)
}
