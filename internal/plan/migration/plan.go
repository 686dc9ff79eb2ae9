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

// The protocols for powered-off VMs: Network File Copy, and Unified Data Transport since vSphere 8.
const (
	TransportNFC = "nfc"
	TransportUDT = "udt"
)

// VM is a VM to move.
type VM struct {
	// MemoryGiB and DiskGiB are the sizes to send, in GiB (2^30 bytes). Memory is dirtied at MemoryDirtyMbps and sent
	// again.
	MemoryGiB, MemoryDirtyMbps, DiskGiB float64
	// Host and Datastore are the source, TargetHost and TargetDatastore the destination; empty if unknown or
	// unchanged.
	Host, Datastore, TargetHost, TargetDatastore string
	// MoveGroup is the name of a group of VMs that start together.
	MoveGroup string
	// Method is the method of the move, by default MethodVMotion or the method of the profile. Transport copies a
	// powered-off VM, by default the plan's ColdTransport. SwitchoverMinutes is the downtime after the data has
	// arrived.
	Method, Transport string
	SwitchoverMinutes float64
	// DailyChangePercent is the daily change of a replicated VM's disks, sent until the switchover; nil if unknown.
	DailyChangePercent *float64
	// MaxDowntimeMinutes is the promised downtime; nil selects the plan's MaxDowntimeMinutes.
	MaxDowntimeMinutes *float64
	// PoweredOff marks a VM that has no downtime. Its default method is MethodCold.
	PoweredOff bool
}

// PlanInput describes the VMs to move, the link and the windows.
type PlanInput struct {
	VMs map[string]VM
	// ThroughputMbps is the link's throughput. HourlyThroughputMbps replaces it with a rate for each hour of the day.
	// PerMigrationMbps is the largest rate of one migration; nil for no limit.
	ThroughputMbps       *float64
	HourlyThroughputMbps []float64
	PerMigrationMbps     *float64
	// ThreadsMbps is the largest rate of the threads of one vMotion; nil if unknown.
	ThreadsMbps *float64
	// RTTMs, SwitchoverGoalMs, ResumeSeconds and SetupSeconds are as in VMotionInput. SetupSeconds is nil if unknown.
	RTTMs, SwitchoverGoalMs, ResumeSeconds float64
	SetupSeconds                           *float64
	// Profile sets omitted inputs; empty for none.
	Profile string
	// ColdTransport is the default transport of powered-off VMs.
	ColdTransport string
	// SyncIntervalMinutes is the longest time between two syncs of a replicated VM; nil selects 120. OnlineSyncFirst
	// adds a sync before the power-off.
	SyncIntervalMinutes *float64
	OnlineSyncFirst     bool
	// HourlyDirtyWeights are weights of MemoryDirtyMbps by hour of the day; nil for equal hours.
	HourlyDirtyWeights []float64
	// DeadlineHours and MaxWindows limit the arrival of the last VM, MaxDowntimeMinutes the downtime of each VM; nil
	// without a promise.
	DeadlineHours, MaxWindows, MaxDowntimeMinutes *float64
	// MaxMovesPerWindow is the largest number of VMs that people can move or switch over per window; nil for no limit.
	MaxMovesPerWindow *float64
	// FirstDay is the first date of the plan, YYYY-MM-DD; empty if unknown.
	FirstDay string
	// MaxConcurrent is the largest number of concurrent migrations; nil tries 1, 2, 4 and so on.
	MaxConcurrent *float64
	// NICMbps is the speed of each host's vMotion network adapter. HostSlots, NetworkSlots and DatastoreSlots are the
	// slots of each host, adapter and datastore; nil selects the slots of vCenter.
	NICMbps                                 float64
	HostSlots, NetworkSlots, DatastoreSlots *float64
	// WindowHours is the length of a maintenance window; nil without windows. A migration must end in the window in
	// which it starts. WindowStartHour is the hour at which the window opens. Without it, windows follow each other.
	WindowHours, WindowStartHour *float64
	// WindowWeekdays are the days with a window, starting with the first day of the plan; nil selects every day.
	WindowWeekdays []string
	// WindowReservePercent is the share of a window that is not used at its end.
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
	// VMs contains the names, sorted.
	VMs []string
	// StartSeconds is the time from the start of the first window. DurationSeconds is the time until the last VM of
	// the wave has arrived.
	StartSeconds, DurationSeconds float64
}

// Move is the move of a VM. Times are seconds from the start of the first window, and nil if the VM does not move.
// Window is the window in which it arrives.
type Move struct {
	StartSeconds, EndSeconds *float64
	Window                   *int64
	// DowntimeSeconds is the downtime; nil if it is unknown or the VM is powered off.
	DowntimeSeconds *float64
	// Method is the method of the move.
	Method string
	// NeededWindowHours is the length of the window that the VM needs; nil if it fits in a window.
	NeededWindowHours *float64
}

// PlanResult is the plan.
type PlanResult struct {
	// Moves contains every VM. Unplanned lists the VMs that do not move, sorted.
	Moves           map[string]Move
	Unplanned       []string
	Waves           []Wave
	DurationSeconds float64
	// WindowsNeeded is nil without windows.
	WindowsNeeded *int64
	// LowerBoundSeconds is a lower bound for all plans: the maximum of the longest single migration, the work on each
	// resource divided by its slots, and all data on the link; nil if some VMs are not planned. LimitedBy names the
	// largest of them, or the window if it prolongs the plan.
	LowerBoundSeconds *float64
	LimitedBy         string
	// WorstDowntimeSeconds is the longest downtime, WorstDowntimeVM its VM; nil if no downtime is known.
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

// Plan schedules the units, longest first. Each unit starts as soon as all its resources have slots. Without
// MaxConcurrent it returns the shortest supported plan with 1, 2, 4 and so on concurrent migrations, or the one with
// the fewest if none is supported. VMs that fit in no window are omitted. The error is a plan.InputErrors, also for a
// group that needs more slots than there are.
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
	longest float64 // in seconds, with the whole link
	total   float64 // in seconds, over all members
	least   float64 // in bits, over all members that are not replicated
	copies  bool    // all members are replicated, so the unit may start outside windows
	moved   int     // number of members that are not replicated, which move when the unit starts
}

// units returns the units, longest first. Units of equal length are ordered by their total work, then by the name of
// the first VM.
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
