// Waves: in which order many VMs move, under vCenter's resource costs, with a shared link and windows.

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

// vCenter's resource costs (vSphere 6.7 documentation, limits on simultaneous migrations): a migration takes this
// many of the slots of each resource that it touches.
const (
	hostCost, hostCostStorage           = 1, 4
	datastoreCost, datastoreCostStorage = 1, 16
	networkCost                         = 1

	// DefaultHostSlots and DefaultDatastoreSlots are vCenter's; the network's is 4 below 10 Gbit/s, and 8 from there up.
	DefaultHostSlots      = 8
	DefaultDatastoreSlots = 128
	slowNetworkSlots      = 4
	fastNetworkSlots      = 8
	fastNetworkMbps       = 10000

	secondsPerHour = 3600
	maxPlanned     = 50000
)

// VM is a VM to move.
type VM struct {
	// MemoryGiB and DiskGiB are what has to be sent, in GiB (2^30 bytes); MemoryDirtyMbps makes a part of the memory be
	// sent again.
	MemoryGiB, MemoryDirtyMbps, DiskGiB float64
	// Host and Datastore name what it touches; empty for neither. MoveGroup names VMs that start together.
	Host, Datastore, MoveGroup string
}

// PlanInput is what has to move, and over what.
type PlanInput struct {
	VMs map[string]VM
	// ThroughputMbps is what the link carries; PerMigrationMbps is what one migration gets of it at most, nil for no
	// limit.
	ThroughputMbps   float64
	PerMigrationMbps *float64
	// MaxConcurrent is how many migrations run at a time; nil is no limit beside the slots.
	MaxConcurrent *float64
	// HostSlots, NetworkSlots and DatastoreSlots are what the resources have; nil is vCenter's.
	HostSlots, NetworkSlots, DatastoreSlots *float64
	// WindowHours is how long a maintenance window is; nil is no windows. What starts in a window ends in it.
	WindowHours *float64
}

// Wave is what starts together.
type Wave struct {
	Number int64
	// VMs are sorted.
	VMs []string
	// StartSeconds counts from the start of the first window, windows placed end to end. DurationSeconds lasts until the
	// last of the wave has arrived.
	StartSeconds, DurationSeconds float64
}

// PlanResult is the plan.
type PlanResult struct {
	Waves           []Wave
	DurationSeconds float64
	// WindowsNeeded is nil without windows.
	WindowsNeeded *int64
	// LowerBoundSeconds is what no plan can beat: the longest single migration, the work on each resource over its slots,
	// and all bytes over the link. LimitedBy names the largest of them, or the window when it adds to the duration.
	LowerBoundSeconds float64
	LimitedBy         string
	calculator.Explanation
}

// unit is a move group, or a VM on its own.
type unit struct {
	members []migration
	bits    float64
	longest float64
}

type migration struct {
	name            string
	bits            float64
	host, datastore string
	hostCost        int
	datastoreCost   int
}

// Plan makes a plan by list scheduling, the longest first: at each moment every unit starts for which all resources
// have slots. The error is a plan.InputErrors; one names a group that has too few slots even alone, or is longer than a
// window.
func Plan(in PlanInput) (PlanResult, error) {
	if err := in.check(); err != nil {
		return PlanResult{}, err
	}
	s := newScheduler(in)
	units := in.units(s)
	if err := s.fits(units, in); err != nil {
		return PlanResult{}, err
	}
	r := PlanResult{}
	r.LowerBoundSeconds, r.LimitedBy = s.lowerBound(units)
	r.Waves, r.DurationSeconds = s.schedule(units)
	if in.WindowHours != nil {
		windows := int64(math.Ceil(r.DurationSeconds / s.window * (1 - 1e-12)))
		r.WindowsNeeded = &windows
		if r.DurationSeconds > r.LowerBoundSeconds*1.01 && windows > 1 {
			r.LimitedBy = LimitedByWindow
		}
	}
	r.explain(in)
	return r, nil
}

// units returns what starts together, longest first.
func (in PlanInput) units(s *scheduler) []unit {
	groups := make(map[string]*unit)
	var order []string
	for _, name := range slices.Sorted(maps.Keys(in.VMs)) {
		m := in.VMs[name]
		key := "group " + m.MoveGroup
		if m.MoveGroup == "" {
			key = "VM " + name
		}
		u := groups[key]
		if u == nil {
			u = &unit{}
			groups[key] = u
			order = append(order, key)
		}
		v := migration{
			name:          name,
			bits:          in.bits(m, s),
			host:          m.Host,
			datastore:     m.Datastore,
			hostCost:      hostCost,
			datastoreCost: datastoreCost,
		}
		if m.DiskGiB > 0 {
			v.hostCost, v.datastoreCost = hostCostStorage, datastoreCostStorage
		}
		u.members = append(u.members, v)
		u.bits += v.bits
		u.longest = max(u.longest, v.bits)
	}
	units := make([]unit, 0, len(order))
	for _, key := range order {
		units = append(units, *groups[key])
	}
	slices.SortStableFunc(
		units,
		func(a, b unit) int { return cmp.Or(cmp.Compare(b.longest, a.longest), cmp.Compare(b.bits, a.bits)) },
	)
	return units
}

// bits is what a VM sends. Memory that is dirtied meanwhile is sent again, a geometric series whose ratio is the dirty
// rate over the rate of a migration when all that may run do; at most 80 %, to which vCenter slows the guest.
func (in PlanInput) bits(m VM, s *scheduler) float64 {
	ratio := min(sdpsDirtyShare, m.MemoryDirtyMbps*bitsPerMbit/s.rate(s.concurrent))
	return (m.MemoryGiB/(1-ratio) + m.DiskGiB) * bitsPerGiB
}

func (in PlanInput) check() error {
	errs := planInputs.Check(&in, nil)
	if len(in.VMs) == 0 || len(in.VMs) > maxPlanned {
		errs = errs.With(plan.Attr("virtual_machines"), fmt.Errorf("must have 1 to %s VMs", plan.Thousands(maxPlanned, 0)))
	}
	for _, name := range slices.Sorted(maps.Keys(in.VMs)) {
		if v := in.VMs[name]; v.MemoryGiB == 0 && v.DiskGiB == 0 {
			errs = errs.With(plan.Attr("virtual_machines").Key(name).Attr("memory_gib"),
				errors.New("must not be 0 when there is no disk to move either"))
		}
	}
	return errs.Err()
}

func (r *PlanResult) explain(in PlanInput) {
	r.Summary = fmt.Sprintf("%s in %s and %s; no plan is shorter than %s.",
		verb(plan.Count(float64(len(in.VMs)), "VM"), len(in.VMs), "moves", "move"),
		plan.Count(float64(len(r.Waves)), "wave"), quantity.Duration(r.DurationSeconds),
		quantity.Duration(r.LowerBoundSeconds))
	if r.WindowsNeeded != nil {
		r.Summary += fmt.Sprintf(" It takes %s of %s.", plan.Count(float64(*r.WindowsNeeded), "window"),
			hours(*in.WindowHours))
	}
	r.Findings = append(r.Findings, limitReason(r.LimitedBy).Finding(r.Summary))
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
