// Plans: how many VMs move, under vCenter's resource costs, over a link that they share, and within windows.

package migration

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/quantity"
)

const (
	hoursPerDay = calculator.HoursPerDay
	maxPlanned  = 50000
)

// The ways to move a VM.
const (
	MethodVMotion     = "vmotion"
	MethodCold        = "cold"
	MethodReplication = "replication"
)

// The protocols that copy a VM that is off: Network File Copy, and from vSphere 8 on Unified Data Transport.
const (
	TransportNFC = "nfc"
	TransportUDT = "udt"
)

// VM is a VM to move.
type VM struct {
	// MemoryGiB and DiskGiB are what has to be sent, in GiB (2^30 bytes); memory that is dirtied at MemoryDirtyMbps is
	// sent again.
	MemoryGiB, MemoryDirtyMbps, DiskGiB float64
	// Host and Datastore name what it leaves, TargetHost and TargetDatastore where it goes; empty for none.
	Host, Datastore, TargetHost, TargetDatastore string
	// MoveGroup names VMs that start together.
	MoveGroup string
	// Method is how it moves, MethodVMotion or that of the profile if it is empty. Transport copies it if it is off, the
	// plan's ColdTransport if it is empty. SwitchoverMinutes is how long it is off after its data has arrived.
	Method, Transport string
	SwitchoverMinutes float64
	// DailyChangePercent is how much of the disks of a replicated VM changes in a day, which is sent until it has been
	// switched; nil if it is not known.
	DailyChangePercent *float64
	// MaxDowntimeMinutes is how long it may be off; nil for what the plan has.
	MaxDowntimeMinutes *float64
}

// PlanInput is what has to move, and over what.
type PlanInput struct {
	VMs map[string]VM
	// ThroughputMbps is the link's throughput, or HourlyThroughputMbps in each hour of the day; PerMigrationMbps is
	// what one migration gets of it at most, nil for no limit.
	ThroughputMbps       *float64
	HourlyThroughputMbps []float64
	PerMigrationMbps     *float64
	// ThreadsMbps is what the threads of one vMotion carry; nil if it is not known.
	ThreadsMbps *float64
	// RTTMs, SwitchoverGoalMs and ResumeSeconds are as in VMotionInput. SetupSeconds is too; nil if it is not known.
	RTTMs, SwitchoverGoalMs, ResumeSeconds float64
	SetupSeconds                           *float64
	// Profile fills in what is not given; empty for none.
	Profile string
	// ColdTransport copies VMs that are off.
	ColdTransport string
	// SyncIntervalMinutes is the longest time between two synchronizations of a replicated VM; nil is 120.
	// OnlineSyncFirst: one more runs before it is off.
	SyncIntervalMinutes *float64
	OnlineSyncFirst     bool
	// HourlyDirtyWeights weigh MemoryDirtyMbps in each hour of the day; nil if all hours are alike.
	HourlyDirtyWeights []float64
	// DeadlineHours and MaxWindows are when the last VM has arrived, MaxDowntimeMinutes how long each may be off; nil for
	// no promise.
	DeadlineHours, MaxWindows, MaxDowntimeMinutes *float64
	// MaxMovesPerWindow is how many VMs people can move or switch in a window; nil for any number.
	MaxMovesPerWindow *float64
	// FirstDay is the date on which the plan begins, YYYY-MM-DD; empty if it is not known.
	FirstDay string
	// MaxConcurrent is how many migrations run at a time; nil tries 1, 2, 4 and so on.
	MaxConcurrent *float64
	// NICMbps is the vMotion network adapter of each host. HostSlots, NetworkSlots and DatastoreSlots are what each host,
	// adapter and datastore has; nil is vCenter's.
	NICMbps                                 float64
	HostSlots, NetworkSlots, DatastoreSlots *float64
	// WindowHours is how long a maintenance window is; nil is no windows. What starts in a window ends in it.
	// WindowStartHour is when it opens each day; without it, windows follow each other.
	WindowHours, WindowStartHour *float64
	// WindowWeekdays are the days with a window, the first of which is the one on which the plan begins; nil is each day.
	WindowWeekdays []string
	// WindowReservePercent is the part of a window that is left free at its end.
	WindowReservePercent float64
}

// PlanDefaults returns an input with the documented defaults.
func PlanDefaults() PlanInput {
	one := VMotionDefaults()
	return PlanInput{
		SwitchoverGoalMs: one.SwitchoverGoalMs, NICMbps: fastNICMbps, WindowReservePercent: 10, ColdTransport: TransportNFC,
	}
}

// Wave is what starts together.
type Wave struct {
	Number int64
	// VMs are sorted.
	VMs []string
	// StartSeconds counts from the start of the first window. DurationSeconds lasts until the last of the wave has
	// arrived.
	StartSeconds, DurationSeconds float64
}

// Move is when a VM moves, in seconds from the start of the first window; nil if it does not. Window is the one in
// which it arrives.
type Move struct {
	StartSeconds, EndSeconds *float64
	Window                   *int64
	// DowntimeSeconds is how long it is off; nil if that is not known.
	DowntimeSeconds *float64
	// Method is how it moves.
	Method string
	// NeededWindowHours is the window that it needs if it fits in none.
	NeededWindowHours *float64
}

// PlanResult is the plan.
type PlanResult struct {
	// Moves has every VM, also those that do not move; Unplanned are the names of these, sorted.
	Moves           map[string]Move
	Unplanned       []string
	Waves           []Wave
	DurationSeconds float64
	// WindowsNeeded is nil without windows.
	WindowsNeeded *int64
	// LowerBoundSeconds is what no plan can beat: the longest single migration, the work on each resource over its slots,
	// and all bytes over the link; nil if VMs are not planned. LimitedBy names the largest of them, or the window when it
	// adds to the duration.
	LowerBoundSeconds *float64
	LimitedBy         string
	// WorstDowntimeSeconds is the longest downtime, nil if none is known, and WorstDowntimeVM its VM.
	WorstDowntimeSeconds *float64
	WorstDowntimeVM      string
	Remedies
	// Assumed are the values that a profile filled in, each with its source.
	Assumed []string
	Verdict string
	calculator.Explanation

	// concurrent is how many migrations run at a time.
	concurrent int
}

// Plan makes a plan by list scheduling, the longest first: at each moment every unit starts for which all resources
// have slots. Without MaxConcurrent it is the shortest of the plans with 1, 2, 4 and so on at a time that vSphere
// supports, and the one with the fewest if it supports none. VMs that fit in no window are left out. The error is a
// plan.InputErrors; one names a group that has too few slots even alone.
func Plan(given PlanInput) (PlanResult, error) {
	in, assumed, err := given.filled()
	if err != nil {
		return PlanResult{}, err
	}
	r, s, err := in.schedule()
	if err != nil {
		return PlanResult{}, err
	}
	if s.endless {
		return PlanResult{}, plan.InputErrors{}.With(in.throughputPath(),
			fmt.Errorf("must be higher: the plan takes more than %s hours or windows", plan.Thousands(maxTicks, 0)))
	}
	r.Assumed = assumed
	r.judge(in, s)
	return r, nil
}

// schedule makes a plan without its verdict.
func (in PlanInput) schedule() (PlanResult, *scheduler, error) {
	c := in.clock()
	all := in.units(c)
	s := newScheduler(in, c, all)
	if err := s.slotsFit(); err != nil {
		return PlanResult{}, nil, err
	}
	left := map[string]Move{}
	units := slices.DeleteFunc(slices.Clone(all), func(u unit) bool { return s.leaveOut(u, left) })
	if len(units) < len(all) {
		s = newScheduler(in, c, units)
	}
	if in.MaxConcurrent != nil {
		s.schedule()
	} else {
		s = s.shortest(in.mostConcurrent())
	}
	r := s.result()
	for _, m := range s.stuckVMs {
		left[m.name] = Move{}
	}
	maps.Copy(r.Moves, left)
	for name, m := range r.Moves {
		m.Method = in.VMs[name].Method
		r.Moves[name] = m
	}
	r.Unplanned = slices.Sorted(maps.Keys(left))
	r.concurrent = s.concurrent
	most := math.Inf(1)
	if in.MaxConcurrent != nil {
		most = *in.MaxConcurrent
	}
	bound, limitedBy := s.lowerBound(most)
	if r.LimitedBy = limitedBy; len(left) == 0 {
		r.LowerBoundSeconds = &bound
	}
	if in.WindowHours != nil && len(s.moves) > 0 {
		windows := c.number(r.DurationSeconds)
		r.WindowsNeeded = &windows
		if r.DurationSeconds > bound*1.01 && windows > 1 {
			r.LimitedBy = LimitedByWindow
			if s.crowded {
				r.LimitedBy = LimitedByPeople
			}
		}
	}
	return r, s, nil
}

// leaveOut adds a unit that fits in no window, or whose copies never end, to those that do not move.
func (s *scheduler) leaveOut(u unit, left map[string]Move) bool {
	var needed *float64
	switch {
	case slices.ContainsFunc(u.members, func(m *migration) bool { return !m.converges(s.peak()) }):
	case !s.fitsWindow(u):
		needed = new(s.neededWindow(u))
	default:
		return false
	}
	for _, m := range u.members {
		left[m.name] = Move{NeededWindowHours: needed}
	}
	return true
}

func (in PlanInput) throughputPath() plan.Path {
	if in.HourlyThroughputMbps != nil {
		return plan.Attr("hourly_throughput_mbps")
	}
	return plan.Attr("throughput_mbps")
}

// unit is a move group, or a VM on its own.
type unit struct {
	members []*migration
	longest float64 // seconds, alone
	total   float64 // seconds, of all members
	least   float64 // bits, of all members that are not replicated
	copies  bool    // all members are replicated: it starts outside windows too
	moved   int     // members that are not replicated, which move when it starts
}

// units returns what starts together, the longest first; of two that are as long, the one with more in all, then the
// one whose first VM comes first by name.
func (in PlanInput) units(c clock) []unit {
	groups := make(map[string]*unit)
	var order []*unit
	end := stop{
		goal:  min(in.SwitchoverGoalMs/quantity.MsPerSecond, maxSwitchoverSeconds),
		fixed: in.RTTMs/quantity.MsPerSecond + in.ResumeSeconds,
	}
	l, calm := in.limits(), c.leastWeight()
	for _, name := range slices.Sorted(maps.Keys(in.VMs)) {
		v := in.VMs[name]
		key := "group " + v.MoveGroup
		if v.MoveGroup == "" {
			key = "VM " + name
		}
		u := groups[key]
		if u == nil {
			u = &unit{copies: true}
			groups[key] = u
			order = append(order, u)
		}
		m := in.newMigration(name, v, l, end)
		m.atRate(m.best(c.peak()), m.dirty*calm)
		u.members = append(u.members, m)
		u.longest, u.total = max(u.longest, m.alone), u.total+m.alone
		if m.method != MethodReplication {
			u.least += m.bits
			u.moved++
		}
		u.copies = u.copies && m.method == MethodReplication
	}
	units := make([]unit, len(order))
	for i, u := range order {
		units[i] = *u
	}
	slices.SortStableFunc(units, func(a, b unit) int {
		return cmp.Or(cmp.Compare(b.longest, a.longest), cmp.Compare(b.total, a.total))
	})
	return units
}
