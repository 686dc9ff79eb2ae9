// Package migration calculates VM migrations: the duration of a vMotion, how long it stops the guest, and the waves in
// which many VMs can move.
//
// The model is pre-copy: all memory is sent while the guest runs, then the pages that were dirtied in the meantime, and
// so on, until the remaining memory is small enough to stop the guest. Sources: vSphere 6.5 documentation, vMotion
// networking requirements, and Broadcom KB 2106949 for the limits; VMware performance blog for the measured migrations.
package migration

import (
	"cmp"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/quantity"
)

const (

	// minMbpsPerMigration and maxRTTMs are the vSphere requirements for a vMotion network (vSphere 6.5 documentation).
	minMbpsPerMigration = 250
	maxRTTMs            = 150
	// maxSwitchoverSeconds is the longest stop that does not break client connections.
	maxSwitchoverSeconds = 1
	// sdpsDirtyShare is the ratio of the dirty rate to the sending rate above which SDPS (stun during page send) slows
	// the guest down to this ratio. VMware documents that guests are slowed, but not by how much. The value is this
	// project's own assumption.
	sdpsDirtyShare = 0.8
	// minStopSeconds is the shortest stop, in addition to the round trip, of a guest whose dirty rate is unknown. The
	// value is this project's own assumption.
	minStopSeconds = 0.2
	// maxMeasuredConcurrent is the number of concurrent vMotions above which the one published series, of 16 idle VMs,
	// gets slower: it takes 252, 237, 205 and 302 s with 1, 2, 4 and 8 at a time.
	maxMeasuredConcurrent = 4
)

// VMotionInput describes one VM on a link that several migrations share equally.
type VMotionInput struct {
	// MemoryGiB is the memory in use, in GiB (2^30 bytes).
	MemoryGiB float64
	// MemoryDirtyMbps is the guest's dirty rate in 10^6 bit/s; nil if unknown.
	MemoryDirtyMbps *float64
	// WorkingSetGiB limits the amount of dirty memory; nil for all memory.
	WorkingSetGiB *float64
	// DiskGiB is the amount of disk data to move; 0 for shared storage. DiskWriteMbps is the rate of the guest's disk
	// writes, which also use the link if the disk moves.
	DiskGiB, DiskWriteMbps float64
	// ThroughputMbps is the throughput of the link for all migrations. ThreadsMbps is the maximum combined rate of the
	// threads of one migration; nil if unknown. ThroughputBasis is one of plan.Bases; empty if unknown.
	ThroughputMbps  float64
	ThreadsMbps     *float64
	ThroughputBasis string
	// RTTMs is the round-trip time.
	RTTMs float64
	// ConcurrentMigrations is the number of migrations that share the link equally.
	ConcurrentMigrations float64
	// SwitchoverGoalMs is the longest time for which the guest may be stopped.
	SwitchoverGoalMs float64
	// SetupSeconds is the fixed time before data is sent. ResumeSeconds is the part of the stop during which the target
	// resumes the guest.
	SetupSeconds, ResumeSeconds float64
}

// VMotionDefaults returns the default input: one migration and a switchover goal of 500 ms.
func VMotionDefaults() VMotionInput {
	return VMotionInput{ConcurrentMigrations: 1, SwitchoverGoalMs: 500}
}

// Round is one pass over memory.
type Round struct {
	// SentGiB is the amount of data sent, in GiB (2^30 bytes): in the first round all memory, then the pages dirtied in
	// the previous round. Seconds is the duration of the round.
	SentGiB, Seconds float64
}

// VMotionResult is the estimate for a vMotion. Pointers are nil if the migration never ends.
type VMotionResult struct {
	// DurationSeconds includes setup, disks, memory and switchover.
	DurationSeconds   *float64
	DiskCopySeconds   *float64
	MemoryCopySeconds *float64
	SwitchoverSeconds *float64
	// DurationSeconds80 and DurationSeconds90 are the durations within which 4 of 5 and 9 of 10 comparable transfers
	// completed; nil if unknown for the throughput basis or if the guest writes.
	DurationSeconds80, DurationSeconds90 *float64
	// PrecopyRounds is the number of passes over memory while the guest runs.
	PrecopyRounds *int64
	// Rounds contains the passes over memory, followed by the remaining memory sent while the guest is stopped. It is
	// empty if the migration never ends.
	Rounds []Round
	// TransferredGiB is the total amount of data sent, including mirrored disk writes.
	TransferredGiB *float64
	// SDPSExpected reports whether the guest dirties memory at more than 80% of the sending rate and is therefore
	// slowed.
	SDPSExpected bool
	// GuestSpeedPercent is the speed of the guest during pre-copy; 100 if it is not slowed.
	GuestSpeedPercent float64
	// MeetsSwitchoverGoal reports whether the stop, including round trip and resume, exceeds neither the goal nor one
	// second.
	MeetsSwitchoverGoal bool
	// MinThroughputMbps is the lowest supported ThroughputMbps at which the rounds end without slowing the guest; nil
	// if there is none within RangeThroughputMbps.
	MinThroughputMbps *float64
	Verdict           string
	calculator.Explanation
}

// VMotion computes, with all rates in bit/s:
//
//	R   = min(throughput / concurrent migrations, threads)
//	Rm  = R - disk_write                            no end if disk_write >= R
//	Td  = disk / Rm
//	V0  = memory;  Ti = Vi / Rm;  Vi+1 = min(min(dirty, 0.8 * Rm) * Ti, working set)
//	      rounds until Vn / Rm + RTT + resume <= min(goal, 1 s), which meets the goal;
//	      if RTT + resume >= min(goal, 1 s), rounds until Vn / Rm <= min(goal, 1 s), which misses the goal
//	an unknown dirty rate counts as 0, with a resume of at least 0.2 s
//	SDPS if dirty > 0.8 * Rm, unless the whole working set can be sent while the guest is stopped:
//	      the guest is slowed until it dirties memory at 0.8 * Rm; guest speed = 0.8 * Rm / dirty
//
// The error is a plan.InputErrors.
func VMotion(in VMotionInput) (VMotionResult, error) {
	if err := vmotionInputs.Check(&in, nil).Err(); err != nil {
		return VMotionResult{}, err
	}
	r := VMotionResult{GuestSpeedPercent: 100}
	if v, ok := plan.SmallestFloat(RangeThroughputMbps.Min, RangeThroughputMbps.Max, func(mbps float64) bool {
		faster := in
		faster.ThroughputMbps = mbps
		return faster.converges()
	}); ok {
		r.MinThroughputMbps = new(max(v, minMbpsPerMigration*in.ConcurrentMigrations))
	}
	if in.memoryRate() > 0 {
		in.copyVM(&r)
	}
	in.band(&r)
	in.judge(&r)
	return r, nil
}

func (in VMotionInput) converges() bool {
	memoryRate := in.memoryRate()
	return memoryRate > 0 && (quantity.BitsPerSecond(in.MemoryDirtyMbps) <= sdpsDirtyShare*memoryRate ||
		in.stopCondition().canStop(in.workingSet(), memoryRate))
}

func (in VMotionInput) memoryRate() float64 { return in.rate() - in.mirroredRate() }

func (in VMotionInput) rate() float64 {
	shared := in.ThroughputMbps * quantity.BitsPerMbit / in.ConcurrentMigrations
	return min(shared, limitRate(in.ThreadsMbps))
}

// band sets DurationSeconds80 and DurationSeconds90. A nominal rate is first reduced to its usable share. The factors
// are from transfers of idle guests.
func (in VMotionInput) band(r *VMotionResult) {
	if r.DurationSeconds == nil || quantity.BitsPerSecond(in.MemoryDirtyMbps) > 0 || in.mirroredRate() > 0 {
		return
	}
	fourOfFive, nineOfTen := plan.BandFactors(in.ThroughputBasis)
	if in.ThroughputBasis == plan.BasisNominal {
		in.ThroughputMbps *= plan.NominalEfficiencyPercent / quantity.Percent
	}
	var slower VMotionResult
	in.copyVM(&slower)
	if fourOfFive > 0 {
		r.DurationSeconds80 = new(fourOfFive * *slower.DurationSeconds)
	}
	if nineOfTen > 0 {
		r.DurationSeconds90 = new(nineOfTen * *slower.DurationSeconds)
	}
}

func (in VMotionInput) workingSet() float64 {
	return min(*cmp.Or(in.WorkingSetGiB, &in.MemoryGiB), in.MemoryGiB) * quantity.BitsPerGiB
}

// mirroredRate returns the rate of mirrored disk writes in bit/s. On shared storage it is 0.
func (in VMotionInput) mirroredRate() float64 {
	if in.DiskGiB == 0 {
		return 0
	}
	return in.DiskWriteMbps * quantity.BitsPerMbit
}

func (in VMotionInput) stopCondition() stopCondition {
	return newStopCondition(in.SwitchoverGoalMs, in.RTTMs, in.ResumeSeconds, in.MemoryDirtyMbps)
}

// StopBudgetGiB returns the amount of memory that can be sent while the guest is stopped.
func (in VMotionInput) StopBudgetGiB() float64 {
	s := in.stopCondition()
	return (s.goal - s.counted()) * in.memoryRate() / quantity.BitsPerGiB
}

// stopCondition is the condition for stopping a guest. goal is the permitted stop time, and fixed is the part of the
// stop time that does not depend on the remaining memory, both in seconds.
type stopCondition struct{ goal, fixed float64 }

func newStopCondition(goalMs, rttMs, resumeSeconds float64, dirtyMbps *float64) stopCondition {
	if dirtyMbps == nil {
		resumeSeconds = max(resumeSeconds, minStopSeconds)
	}
	return stopCondition{
		goal:  min(goalMs/quantity.MsPerSecond, maxSwitchoverSeconds),
		fixed: rttMs/quantity.MsPerSecond + resumeSeconds,
	}
}

const goalTolerance = 1e-9

func (s stopCondition) isReachable() bool { return s.fixed < s.goal }

// counted returns the part of the fixed time that counts towards the goal: all of it, or nothing if no stop can meet
// the goal.
func (s stopCondition) counted() float64 {
	if s.isReachable() {
		return s.fixed
	}
	return 0
}

func (s stopCondition) canStop(left, rate float64) bool {
	return left/rate+s.counted() <= s.goal*(1+goalTolerance)
}

func (in VMotionInput) copyVM(r *VMotionResult) {
	memoryRate := in.memoryRate()
	dirty, slowed := quantity.BitsPerSecond(in.MemoryDirtyMbps), sdpsDirtyShare*memoryRate
	if !in.converges() {
		r.SDPSExpected = true
		r.GuestSpeedPercent = slowed / dirty * 100
	}
	dirty = min(dirty, slowed)
	disk := in.DiskGiB * quantity.BitsPerGiB / memoryRate
	left := in.MemoryGiB * quantity.BitsPerGiB
	working := in.workingSet()
	end := in.stopCondition()
	memory, sent := 0.0, 0.0
	// Each round is at most 80% of the previous one.
	for !end.canStop(left, memoryRate) {
		seconds := left / memoryRate
		r.Rounds = append(r.Rounds, Round{SentGiB: left / quantity.BitsPerGiB, Seconds: seconds})
		memory += seconds
		sent += left
		left = min(dirty*seconds, working)
	}
	r.PrecopyRounds = new(int64(len(r.Rounds)))
	r.Rounds = append(r.Rounds, Round{SentGiB: left / quantity.BitsPerGiB, Seconds: left / memoryRate})
	switchover := left/memoryRate + end.fixed
	// Disks are sent once. Guest writes between the start of the disk copy and the stop are sent a second time.
	sent += left + in.DiskGiB*quantity.BitsPerGiB + in.mirroredRate()*(disk+memory)
	duration := in.SetupSeconds + disk + memory + switchover
	transferred := sent / quantity.BitsPerGiB
	r.DiskCopySeconds = &disk
	r.MemoryCopySeconds = &memory
	r.SwitchoverSeconds = &switchover
	r.DurationSeconds = &duration
	r.TransferredGiB = &transferred
	r.MeetsSwitchoverGoal = end.isReachable()
}
