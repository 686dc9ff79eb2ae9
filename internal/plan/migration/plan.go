// Plans: how many VMs move, under vCenter's resource costs, over a link that they share, and within windows.

package migration

import (
	"cmp"
	"errors"
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

// VM is a VM to move.
type VM struct {
	// MemoryGiB and DiskGiB are what has to be sent, in GiB (2^30 bytes); memory that is dirtied at MemoryDirtyMbps is
	// sent again.
	MemoryGiB, MemoryDirtyMbps, DiskGiB float64
	// Host and Datastore name what it leaves, TargetHost and TargetDatastore where it goes; empty for none.
	Host, Datastore, TargetHost, TargetDatastore string
	// MoveGroup names VMs that start together.
	MoveGroup string
	// Method is how it moves. SwitchoverMinutes is the stop of a replicated VM.
	Method            string
	SwitchoverMinutes float64
	// DailyChangePercent is how much of the disks of a replicated VM changes in a day, which is sent until it has been
	// switched; nil if it is not known.
	DailyChangePercent *float64
}

// PlanInput is what has to move, and over what.
type PlanInput struct {
	VMs map[string]VM
	// ThroughputMbps is the link's throughput, or HourlyThroughputMbps in each hour of the day; PerMigrationMbps is
	// what one migration gets of it at most, nil for no limit.
	ThroughputMbps       *float64
	HourlyThroughputMbps []float64
	PerMigrationMbps     *float64
	// RTTMs, SwitchoverGoalMs, SetupSeconds and ResumeSeconds are as in VMotionInput.
	RTTMs, SwitchoverGoalMs, SetupSeconds, ResumeSeconds float64
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
	return PlanInput{SwitchoverGoalMs: one.SwitchoverGoalMs, NICMbps: fastNICMbps, WindowReservePercent: 10}
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

// Move is when a VM moves, in seconds from the start of the first window. Window is the one in which it arrives.
type Move struct {
	StartSeconds, EndSeconds float64
	Window                   *int64
}

// PlanResult is the plan.
type PlanResult struct {
	Moves           map[string]Move
	Waves           []Wave
	DurationSeconds float64
	// WindowsNeeded is nil without windows.
	WindowsNeeded *int64
	// LowerBoundSeconds is what no plan can beat: the longest single migration, the work on each resource over its slots,
	// and all bytes over the link. LimitedBy names the largest of them, or the window when it adds to the duration.
	LowerBoundSeconds float64
	LimitedBy         string
	Verdict           string
	calculator.Explanation
}

// Plan makes a plan by list scheduling, the longest first: at each moment every unit starts for which all resources
// have slots. Without MaxConcurrent it is the shortest of the plans with 1, 2, 4 and so on at a time that vSphere
// supports, and the one with the fewest if it supports none. The error is a plan.InputErrors; one names a group that
// has too few slots even alone, or is longer than a window.
func Plan(in PlanInput) (PlanResult, error) {
	if err := in.check(); err != nil {
		return PlanResult{}, err
	}
	c := in.clock()
	units := in.units(c)
	s := newScheduler(in, c, units)
	if err := s.fits(in); err != nil {
		return PlanResult{}, err
	}
	if in.MaxConcurrent != nil {
		s.schedule()
	} else {
		s = s.shortest()
	}
	if s.endless && s.stuck(math.Inf(1)) {
		return PlanResult{}, plan.InputErrors{}.With(in.throughputPath(), errors.New(
			"must be higher: replicated VMs change as much as the link leaves for their copies, which never end"))
	}
	if s.endless {
		return PlanResult{}, plan.InputErrors{}.With(in.throughputPath(),
			fmt.Errorf("must be higher: the plan takes more than %s hours or windows", plan.Thousands(maxTicks, 0)))
	}
	r := s.result()
	r.LowerBoundSeconds, r.LimitedBy = s.lowerBound(in.MaxConcurrent)
	if in.WindowHours != nil {
		windows := c.number(r.DurationSeconds)
		r.WindowsNeeded = &windows
		if r.DurationSeconds > r.LowerBoundSeconds*1.01 && windows > 1 {
			r.LimitedBy = LimitedByWindow
		}
	}
	r.judge(in, s)
	return r, nil
}

func (in PlanInput) throughputPath() plan.Path {
	if in.HourlyThroughputMbps != nil {
		return plan.Attr("hourly_throughput_mbps")
	}
	return plan.Attr("throughput_mbps")
}

func (in PlanInput) check() error {
	errs := planInputs.Check(&in, nil)
	if (in.ThroughputMbps == nil) == (in.HourlyThroughputMbps == nil) {
		errs = errs.With(plan.Attr("throughput_mbps"), errors.New("must be given, or hourly_throughput_mbps, and not both"))
	}
	switch {
	case in.WindowStartHour != nil && in.WindowHours == nil:
		errs = errs.With(plan.Attr("window_start_hour"), errors.New("needs window_hours, the length of a window"))
	case in.WindowStartHour != nil && *in.WindowHours > hoursPerDay:
		errs = errs.With(plan.Attr("window_hours"),
			fmt.Errorf("must be at most 24 hours with window_start_hour, got %s", plan.Thousands(*in.WindowHours, -1)))
	case len(in.WindowWeekdays) > 0 && in.WindowStartHour == nil:
		errs = errs.With(plan.Attr("window_weekdays"), errors.New("needs window_start_hour, when a window opens"))
	case in.WindowStartHour == nil && in.WindowHours != nil && in.HourlyThroughputMbps != nil:
		errs = errs.With(plan.Attr("window_start_hour"), errors.New(
			"must be given with window_hours and hourly_throughput_mbps: without it the hour of a window is unknown"))
	}
	if len(in.VMs) == 0 {
		errs = errs.With(plan.Attr("virtual_machines"), errors.New("must have at least one VM; "+plan.NoVMs))
	} else if len(in.VMs) > maxPlanned {
		errs = errs.With(plan.Attr("virtual_machines"), fmt.Errorf("must have at most %s VMs, got %s",
			plan.Thousands(maxPlanned, 0), plan.Thousands(float64(len(in.VMs)), 0)))
	}
	for _, name := range slices.Sorted(maps.Keys(in.VMs)) {
		errs = append(errs, in.VMs[name].check(plan.Attr("virtual_machines").Key(name))...)
	}
	return errs.Err()
}

func (v VM) check(at plan.Path) plan.InputErrors {
	var errs plan.InputErrors
	switch {
	case v.Method == MethodVMotion && v.MemoryGiB == 0 && v.DiskGiB == 0:
		errs = errs.With(at.Attr("memory_gib"), errors.New("must not be 0 when there is no disk to move either"))
	case v.Method == MethodReplication && v.DiskGiB == 0:
		errs = errs.With(at.Attr("disk_gib"), errors.New("must not be 0 with the method replication, which copies disks"))
	case v.Method != MethodReplication && v.SwitchoverMinutes > 0:
		errs = errs.With(at.Attr("switchover_minutes"),
			fmt.Errorf("is the stop of the method replication, got the method %s", v.Method))
	}
	return errs
}

// judge fills verdict, findings and summary.
func (r *PlanResult) judge(in PlanInput, s *scheduler) {
	order := "in " + plan.Count(float64(len(r.Waves)), "wave") + " and"
	if len(r.Waves) == len(in.VMs) && len(in.VMs) > 1 {
		order = "one by one in"
	}
	r.Summary = fmt.Sprintf("%s %s %s; no plan is shorter than %s.",
		verb(plan.Count(float64(len(in.VMs)), "VM"), len(in.VMs), "moves", "move"), order,
		quantity.Duration(r.DurationSeconds).Ceil(), quantity.Duration(r.LowerBoundSeconds).Ceil())
	if r.WindowsNeeded != nil {
		r.Summary += fmt.Sprintf(" It takes %s of %s.", plan.Count(float64(*r.WindowsNeeded), "window"),
			hours(*in.WindowHours))
	}
	limited := limitReason(r.LimitedBy).Finding()
	r.Summary += " " + limited.Sentence
	r.Verdict = VerdictOK
	find := func(verdict string, finding plan.Finding) {
		if r.Verdict != VerdictUnsupported {
			r.Verdict = verdict
		}
		r.Findings = append(r.Findings, finding)
		r.Summary += " " + finding.Sentence
	}
	if s.slowest < minMbpsPerMigration*quantity.BitsPerMbit*(1-tolerance) {
		find(VerdictUnsupported, reasonBelow250Mbps.Finding(quantity.Rate(s.slowest)))
	}
	if s.distant {
		find(VerdictUnsupported, reasonRTTAbove150.Finding(plan.Thousands(in.RTTMs, -1)))
	}
	if n := in.unknownChanges(); n > 0 {
		find(VerdictAtRisk, reasonChangeNotCounted.Finding(plan.Count(float64(n), "replicated VM")))
	}
	r.Findings = append(r.Findings, limited)
}

// unknownChanges counts the replicated VMs whose change is not known.
func (in PlanInput) unknownChanges() int {
	n := 0
	for _, v := range in.VMs {
		if v.Method == MethodReplication && v.DailyChangePercent == nil {
			n++
		}
	}
	return n
}

func verb(subject string, n int, one, many string) string {
	if n == 1 {
		return subject + " " + one
	}
	return subject + " " + many
}

func hours(n float64) string {
	if n == 1 {
		return "1 hour"
	}
	return plan.Thousands(n, -1) + " hours"
}

// unit is a move group, or a VM on its own.
type unit struct {
	members []*migration
	longest float64 // seconds, alone
	total   float64 // seconds, of all members
	least   float64 // bits, of all members that are not replicated
	copies  bool    // all members are replicated: it starts outside windows too
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
	peak := min(c.peak(), in.cap())
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
		m := newMigration(name, v, in.SetupSeconds, end)
		m.bits, m.alone = m.atRate(peak)
		u.members = append(u.members, m)
		u.longest, u.total = max(u.longest, m.alone), u.total+m.alone
		if m.method != MethodReplication {
			u.least += m.bits
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

// cap is what one migration gets at most, in bit/s.
func (in PlanInput) cap() float64 {
	if in.PerMigrationMbps == nil {
		return math.Inf(1)
	}
	return *in.PerMigrationMbps * quantity.BitsPerMbit
}
