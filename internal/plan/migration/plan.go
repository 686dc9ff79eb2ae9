package migration

import (
	"cmp"
	"maps"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
)

const (
	hoursPerDay = calculator.HoursPerDay
)

// Methods of moving a VM.
const (
	MethodVMotion     = "vmotion"
	MethodCold        = "cold"
	MethodReplication = "replication"
)

// Protocols for copying powered-off VMs: Network File Copy (NFC) and, since vSphere 8, Unified Data Transport (UDT).
const (
	TransportNFC = "nfc"
	TransportUDT = "udt"
)

// VM is a VM to move.
type VM struct {
	// MemoryGiB and DiskGiB are the amounts of data to send, in GiB (2^30 bytes).
	MemoryGiB, DiskGiB float64
	// MemoryDirtyMbps is the rate at which the guest dirties memory, which is sent again; nil if unknown.
	MemoryDirtyMbps *float64
	// Host and Datastore identify the source; TargetHost and TargetDatastore identify the destination. They are empty
	// if unknown or unchanged.
	Host            string
	Datastore       string
	TargetHost      string
	TargetDatastore string
	// MoveGroup is the name of a group of VMs that start at the same time.
	MoveGroup string
	// Method is the method of moving the VM. The default is MethodVMotion or the method of the profile. Transport is
	// the protocol for copying a powered-off VM. The default is the plan's ColdTransport. SwitchoverMinutes is the
	// downtime after all data has arrived.
	Method, Transport string
	SwitchoverMinutes float64
	// DailyChangePercent is the daily change of a replicated VM's disks until the switchover; nil if unknown.
	DailyChangePercent *float64
	// MaxDowntimeMinutes is the promised downtime. If it is nil, the plan's MaxDowntimeMinutes applies.
	MaxDowntimeMinutes *float64
	// PoweredOff marks a VM that is powered off and therefore has no downtime. Its default method is MethodCold.
	PoweredOff bool
}

// PlanInput describes the VMs to move, the link and the windows.
type PlanInput struct {
	VMs map[string]VM
	// ThroughputMbps is the link's throughput. HourlyThroughputMbps specifies a rate for each hour of the day instead.
	// PerMigrationMbps is the maximum rate of one migration; nil for no limit.
	ThroughputMbps       *float64
	HourlyThroughputMbps []float64
	PerMigrationMbps     *float64
	// ThreadsMbps is the maximum combined rate of the threads of one vMotion; nil if unknown.
	ThreadsMbps *float64
	// RTTMs, SwitchoverGoalMs, ResumeSeconds and SetupSeconds have the same meaning as in VMotionInput. SetupSeconds is
	// nil if unknown.
	RTTMs, SwitchoverGoalMs, ResumeSeconds float64
	SetupSeconds                           *float64
	// Profile is the name of a profile that sets omitted inputs; empty for none.
	Profile string
	// ColdTransport is the default protocol for copying powered-off VMs.
	ColdTransport string
	// SyncIntervalMinutes is the maximum time between two syncs of a replicated VM. The default is 120. OnlineSyncFirst
	// adds a sync before the power-off.
	SyncIntervalMinutes *float64
	OnlineSyncFirst     bool
	// HourlyDirtyWeights contains the weights of MemoryDirtyMbps by hour of the day; nil for equal weights.
	HourlyDirtyWeights []float64
	// DeadlineHours and MaxWindows limit the arrival of the last VM, and MaxDowntimeMinutes limits the downtime of each
	// VM; nil for no promise.
	DeadlineHours, MaxWindows, MaxDowntimeMinutes *float64
	// MaxMovesPerWindow is the maximum number of VMs that staff can move or switch over per window; nil for no limit.
	MaxMovesPerWindow *float64
	// FirstDay is the date of the plan's first day, YYYY-MM-DD; empty if unknown.
	FirstDay string
	// MaxConcurrent is the maximum number of concurrent migrations. If it is nil, 1, 2, 4 and so on are tried.
	MaxConcurrent *float64
	// NICMbps is the speed of each host's vMotion network adapter. HostSlots, NetworkSlots and DatastoreSlots are the
	// numbers of slots per host, adapter and datastore. They default to the vCenter limits.
	NICMbps                                 float64
	HostSlots, NetworkSlots, DatastoreSlots *float64
	// WindowHours is the length of a maintenance window; nil for no windows. A migration must end in the window in
	// which it starts. WindowStartHour is the hour of the day at which the window opens. If it is nil, windows follow
	// one another without gaps.
	WindowHours, WindowStartHour *float64
	// WindowWeekdays contains the days on which a window opens, beginning with the first day of the plan; nil for every
	// day.
	WindowWeekdays []string
	// WindowReservePercent is the percentage of a window that is kept free at its end.
	WindowReservePercent float64
}

// PlanDefaults returns the default input.
func PlanDefaults() PlanInput {
	one := VMotionDefaults()
	return PlanInput{
		SwitchoverGoalMs:     one.SwitchoverGoalMs,
		NICMbps:              fastNICMbps,
		WindowReservePercent: 10,
		ColdTransport:        TransportNFC,
	}
}

// Wave is a group of VMs that start at the same time.
type Wave struct {
	Number int64
	// VMs contains the VM names, sorted.
	VMs []string
	// StartSeconds is the time from the start of the first window. DurationSeconds is the time until the last VM of the
	// wave arrives.
	StartSeconds, DurationSeconds float64
}

// Move describes how one VM moves. Times are in seconds from the start of the first window, and nil if the VM does not
// move. Window is the number of the window in which the VM arrives.
type Move struct {
	StartSeconds, EndSeconds *float64
	Window                   *int64
	// DowntimeSeconds is nil if the downtime is unknown or the VM is powered off.
	DowntimeSeconds *float64
	Method          string
	// NeededWindowHours is the length of the window that the VM would need; nil if it fits in an existing window.
	NeededWindowHours *float64
}

// PlanResult is the resulting plan.
type PlanResult struct {
	// Moves contains every VM. Unplanned lists the VMs that cannot move, sorted.
	Moves           map[string]Move
	Unplanned       []string
	Waves           []Wave
	DurationSeconds float64
	// WindowsNeeded is nil if there are no windows.
	WindowsNeeded *int64
	// LowerBoundSeconds is a lower bound for the duration of any plan: the maximum of the longest single migration, the
	// work on each resource divided by its slots, and the time to send all data over the link. It is nil if some VMs
	// are not planned. LimitedBy names the largest of these terms, or the window if windows prolong the plan.
	LowerBoundSeconds *float64
	LimitedBy         string
	// WorstDowntimeSeconds is the longest downtime, and WorstDowntimeVM is the name of the VM with that downtime. Both
	// are unset if no downtime is known.
	WorstDowntimeSeconds *float64
	WorstDowntimeVM      string
	// ThroughputForDeadlineMbps is a throughput that is sufficient to meet the deadline. If HourlyThroughputMbps is
	// set, it is the mean of the scaled hourly rates. MaxConcurrentForDeadline is a number of concurrent migrations
	// that is sufficient to meet the deadline. Both are nil if the deadline is met or nothing is sufficient.
	ThroughputForDeadlineMbps *float64
	MaxConcurrentForDeadline  *int64
	// MethodsForDowntime maps VM names to new methods that the other inputs of the VMs allow. If all of these VMs use
	// their new methods, the promised downtimes are met. The value TransportUDT changes only the transport of a cold
	// migration.
	MethodsForDowntime map[string]string
	// ProfileValues lists the values that the profile set, with their sources.
	ProfileValues []string
	// Assumed lists the inputs that are not known.
	Assumed []plan.Assumption
	Verdict string
	calculator.Explanation

	concurrent int
}

// Plan schedules VMs and move groups, longest first. Each starts as soon as all its resources have free slots. If
// MaxConcurrent is not set, Plan tries 1, 2, 4 and so on concurrent migrations. It returns the shortest supported plan,
// or the plan with the fewest concurrent migrations if none is supported. VMs that do not fit in any window are
// omitted. The error is a plan.InputErrors, which also reports groups that need more slots than there are.
func Plan(given PlanInput) (PlanResult, error) {
	in, profileValues, err := given.withProfileDefaults()
	if err != nil {
		return PlanResult{}, err
	}
	r, s, err := in.schedule()
	if err != nil {
		return PlanResult{}, err
	}
	if s.unbounded {
		throughput := "throughput_mbps"
		if in.HourlyThroughputMbps != nil {
			throughput = "hourly_" + throughput
		}
		return PlanResult{}, invalid(plan.Attr(throughput),
			"must be higher: the plan takes more than %s hours or windows", plan.Thousands(maxTicks, 0))
	}
	r.ProfileValues = profileValues
	r.judge(in, s)
	r.Assumed = in.assumptions(&r)
	return r, nil
}

func (in PlanInput) schedule() (PlanResult, *scheduler, error) {
	c := in.clock()
	all := in.units(c)
	s := newScheduler(in, c, all)
	if err := s.checkSlots(); err != nil {
		return PlanResult{}, nil, err
	}
	left := map[string]Move{}
	units := slices.DeleteFunc(slices.Clone(all), func(u unit) bool { return s.omit(u, left) })
	if len(units) < len(all) {
		s = newScheduler(in, c, units)
	}
	bound, limitedBy := s.lowerBound()
	if in.MaxConcurrent != nil {
		s.schedule()
	} else {
		s = s.shortestPlan(in.mostConcurrent(), bound)
	}
	for _, m := range s.stuckVMs {
		left[m.name] = Move{Method: m.method}
	}
	r := PlanResult{
		Moves:           maps.Clone(s.moves),
		Unplanned:       slices.Sorted(maps.Keys(left)),
		Waves:           s.waves,
		DurationSeconds: s.now,
		LimitedBy:       limitedBy,
		concurrent:      s.concurrent,
	}
	maps.Copy(r.Moves, left)
	if len(left) == 0 {
		r.LowerBoundSeconds = &bound
	}
	if in.WindowHours != nil && len(s.moves) > 0 {
		windows := c.windowNumber(r.DurationSeconds)
		r.WindowsNeeded = &windows
		if r.DurationSeconds > bound*1.01 && windows > 1 {
			r.LimitedBy = LimitedByWindow
			if s.staff.limited {
				r.LimitedBy = LimitedByPeople
			}
		}
	}
	return r, s, nil
}

func (s *scheduler) omit(u unit, left map[string]Move) bool {
	var needed *float64
	switch {
	case slices.ContainsFunc(u.members, func(m *migration) bool { return !m.converges(s.peakRate()) }):
	case !s.fitsWindow(u):
		needed = new(s.neededWindow(u))
	default:
		return false
	}
	for _, m := range u.members {
		left[m.name] = Move{NeededWindowHours: needed, Method: m.method}
	}
	return true
}

type unit struct {
	members        []*migration
	longestSolo    float64    // duration of the longest member in seconds, if it has the whole link
	totalSolo      float64    // total duration of all members in seconds
	minBits        float64    // minimum number of bits sent by the members that are not replicated
	replicatedOnly bool       // whether all members are replicated, so the unit may start outside windows
	moveCount      int        // number of members that are not replicated and therefore move when the unit starts
	needs          []slotNeed // slots that the members need
	class          int        // index of the class in the queue
}

// units returns the units, longest first. Units of equal length are ordered by their total duration, then by the name
// of their first VM.
func (in PlanInput) units(c clock) []unit {
	groups := numbers[string]{}
	var units []unit
	l, calm := in.pathLimits(), slices.Min(c.dirtyWeights)
	for _, name := range slices.Sorted(maps.Keys(in.VMs)) {
		v := in.VMs[name]
		key := "group " + v.MoveGroup
		if v.MoveGroup == "" {
			key = "VM " + name
		}
		at := groups.of(key)
		if at == len(units) {
			units = append(units, unit{replicatedOnly: true})
		}
		u := &units[at]
		m := in.newMigration(name, v, l)
		m.computeAt(m.limitedRate(c.peakRate()), m.dirtyRate*calm)
		u.members = append(u.members, m)
		u.longestSolo, u.totalSolo = max(u.longestSolo, m.soloSeconds), u.totalSolo+m.soloSeconds
		if m.method != MethodReplication {
			u.minBits += m.minBits
			u.moveCount++
		}
		u.replicatedOnly = u.replicatedOnly && m.method == MethodReplication
	}
	slices.SortStableFunc(units, func(a, b unit) int {
		return cmp.Or(cmp.Compare(b.longestSolo, a.longestSolo), cmp.Compare(b.totalSolo, a.totalSolo))
	})
	return units
}
