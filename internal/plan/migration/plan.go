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

// The methods to move a VM.
const (
	MethodVMotion     = "vmotion"
	MethodCold        = "cold"
	MethodReplication = "replication"
)

// The protocols for powered-off VMs: Network File Copy, and Unified Data Transport from vSphere 8.
const (
	TransportNFC = "nfc"
	TransportUDT = "udt"
)

// VM is a VM to move.
type VM struct {
	// MemoryGiB and DiskGiB are the sizes to send, in GiB (2^30 bytes); memory is dirtied at MemoryDirtyMbps and sent
	// again.
	MemoryGiB, MemoryDirtyMbps, DiskGiB float64
	// Host and Datastore are the source, TargetHost and TargetDatastore the destination; empty for none.
	Host, Datastore, TargetHost, TargetDatastore string
	// MoveGroup names VMs that start together.
	MoveGroup string
	// Method is the method of the move, by default MethodVMotion or that of the profile. Transport copies a
	// powered-off VM, by default the plan's ColdTransport. SwitchoverMinutes is the downtime after its data has
	// arrived.
	Method, Transport string
	SwitchoverMinutes float64
	// DailyChangePercent is the daily change of a replicated VM's disks, which is sent until the switchover; nil if
	// unknown.
	DailyChangePercent *float64
	// MaxDowntimeMinutes is the promised downtime; nil selects that of the plan.
	MaxDowntimeMinutes *float64
	// PoweredOff is a VM without a downtime; its default method is MethodCold.
	PoweredOff bool
}

// PlanInput describes the VMs to move, the link and the windows.
type PlanInput struct {
	VMs map[string]VM
	// ThroughputMbps is the link's throughput, or HourlyThroughputMbps for each hour of the day; PerMigrationMbps is
	// the largest rate of one migration, nil for no limit.
	ThroughputMbps       *float64
	HourlyThroughputMbps []float64
	PerMigrationMbps     *float64
	// ThreadsMbps is the largest rate of the threads of one vMotion; nil if unknown.
	ThreadsMbps *float64
	// RTTMs, SwitchoverGoalMs and ResumeSeconds are as in VMotionInput, and so is SetupSeconds; nil if unknown.
	RTTMs, SwitchoverGoalMs, ResumeSeconds float64
	SetupSeconds                           *float64
	// Profile sets omitted inputs; empty for none.
	Profile string
	// ColdTransport copies powered-off VMs.
	ColdTransport string
	// SyncIntervalMinutes is the longest time between two syncs of a replicated VM; nil is 120. OnlineSyncFirst adds
	// a sync before the power-off.
	SyncIntervalMinutes *float64
	OnlineSyncFirst     bool
	// HourlyDirtyWeights weight MemoryDirtyMbps in each hour of the day; nil if all hours are alike.
	HourlyDirtyWeights []float64
	// DeadlineHours and MaxWindows limit the arrival of the last VM, MaxDowntimeMinutes the downtime of each VM; nil
	// for no promise.
	DeadlineHours, MaxWindows, MaxDowntimeMinutes *float64
	// MaxMovesPerWindow is the number of VMs that people can move or switch per window; nil for no limit.
	MaxMovesPerWindow *float64
	// FirstDay is the first date of the plan, YYYY-MM-DD; empty if unknown.
	FirstDay string
	// MaxConcurrent is the number of concurrent migrations; nil tries 1, 2, 4 and so on.
	MaxConcurrent *float64
	// NICMbps is the speed of each host's vMotion network adapter. HostSlots, NetworkSlots and DatastoreSlots are the
	// slots of each host, adapter and datastore; nil selects vCenter's.
	NICMbps                                 float64
	HostSlots, NetworkSlots, DatastoreSlots *float64
	// WindowHours is the length of a maintenance window; nil for none. Migrations end in the window in which they
	// start. WindowStartHour is the hour at which it opens; without it, windows follow each other.
	WindowHours, WindowStartHour *float64
	// WindowWeekdays are the days with a window, beginning with the first day of the plan; nil selects every day.
	WindowWeekdays []string
	// WindowReservePercent is the share of a window kept free at its end.
	WindowReservePercent float64
}

// PlanDefaults returns the default input.
func PlanDefaults() PlanInput {
	one := VMotionDefaults()
	return PlanInput{
		SwitchoverGoalMs: one.SwitchoverGoalMs, NICMbps: fastNICMbps, WindowReservePercent: 10, ColdTransport: TransportNFC,
	}
}

// Wave is a group of VMs that start together.
type Wave struct {
	Number int64
	// VMs are sorted.
	VMs []string
	// StartSeconds counts from the start of the first window. DurationSeconds is the time until the last VM of the
	// wave has arrived.
	StartSeconds, DurationSeconds float64
}

// Move is the move of a VM, in seconds from the start of the first window; nil if it does not move. Window is the one
// in which it arrives.
type Move struct {
	StartSeconds, EndSeconds *float64
	Window                   *int64
	// DowntimeSeconds is the downtime; nil if unknown, and if the VM is powered off.
	DowntimeSeconds *float64
	// Method is the method of the move.
	Method string
	// NeededWindowHours is the window that the VM needs if it fits in none.
	NeededWindowHours *float64
}

// PlanResult is the plan.
type PlanResult struct {
	// Moves contains every VM; Unplanned lists the VMs that do not move, sorted.
	Moves           map[string]Move
	Unplanned       []string
	Waves           []Wave
	DurationSeconds float64
	// WindowsNeeded is nil without windows.
	WindowsNeeded *int64
	// LowerBoundSeconds is a lower bound of every plan: the longest single migration, the work on each resource
	// divided by its slots, and all data on the link; nil if VMs are not planned. LimitedBy names the largest of
	// them, or the window if it prolongs the plan.
	LowerBoundSeconds *float64
	LimitedBy         string
	// WorstDowntimeSeconds is the longest downtime, nil if none is known, and WorstDowntimeVM its VM.
	WorstDowntimeSeconds *float64
	WorstDowntimeVM      string
	Remedies
	// Assumed lists the values set by a profile, with their sources.
	Assumed []string
	Verdict string
	calculator.Explanation

	// concurrent is the number of concurrent migrations.
	concurrent int
}

// Plan schedules the units, longest first: each starts as soon as all its resources have slots. Without MaxConcurrent
// it returns the shortest supported plan with 1, 2, 4 and so on concurrent migrations, or the one with the fewest if
// none is supported. VMs that fit in no window are omitted. The error is a plan.InputErrors, also for a group that
// needs more slots than there are.
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

type unit struct {
	members []*migration
	longest float64 // seconds, alone
	total   float64 // seconds, of all members
	least   float64 // bits, of all members that are not replicated
	copies  bool    // all members are replicated, so the unit may start outside windows
	moved   int     // members that are not replicated, which move when it starts
}

// units returns the units, longest first; of equal ones the one with more work, then by the name of the first VM.
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
