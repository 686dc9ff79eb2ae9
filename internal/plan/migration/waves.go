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
	"terraform-provider-vsla/internal/plan/quantity"
)

// vCenter's resource costs (vSphere 6.7 documentation, limits on simultaneous migrations): a migration takes this
// much of the room of each resource that it touches.
const (
	hostCost, hostCostStorage           = 1, 4
	datastoreCost, datastoreCostStorage = 1, 16
	networkCost                         = 1

	// DefaultHostRoom and DefaultDatastoreRoom are vCenter's; the network's is 4 below 10 Gbit/s, and 8 from there up.
	DefaultHostRoom      = 8
	DefaultDatastoreRoom = 128
	slowNetworkRoom      = 4
	fastNetworkRoom      = 8
	fastNetworkMbps      = 10000

	secondsPerHour = 3600
	maxPlanned     = 50000
)

// The ranges of the inputs of a plan.
var (
	RangeRoom          = plan.Range{Min: 1, Max: 1e6, Whole: true}
	RangeMaxConcurrent = plan.Range{Min: 1, Max: 1e6, Whole: true, Unit: "migrations"}
	RangeWindowHours   = plan.Range{Min: 1e-3, Max: 1e6, Unit: "hours"}
	RangePlanMemoryGiB = plan.Range{Min: 0, Max: 1e9, Unit: "GiB"}
)

// What limits a plan.
const (
	LimitedByLink      = "link"
	LimitedByHost      = "host"
	LimitedByNetwork   = "network"
	LimitedByDatastore = "datastore"
	LimitedByMigration = "longest_migration"
	LimitedByWindow    = "window"
)

// VM is a VM to move.
type Machine struct {
	// MemoryGiB and DiskGiB are what has to be sent, in GiB (2^30 bytes); MemoryDirtyMbps makes a part of the memory be
	// sent again.
	MemoryGiB, MemoryDirtyMbps, DiskGiB float64
	// Host and Datastore name what it touches; empty for neither. MoveGroup names VMs that start together.
	Host, Datastore, MoveGroup string
}

// PlanInput is what has to move, and over what.
type PlanInput struct {
	Machines map[string]Machine
	// ThroughputMbps is what the link carries; PerMigrationMbps is what one migration gets of it at most, nil for no
	// limit.
	ThroughputMbps   float64
	PerMigrationMbps *float64
	// MaxConcurrent is how many migrations run at a time; nil is no limit beside the rooms.
	MaxConcurrent *float64
	// HostRoom, NetworkRoom and DatastoreRoom are the resources' rooms; nil is vCenter's.
	HostRoom, NetworkRoom, DatastoreRoom *float64
	// WindowHours is how long a maintenance window is; nil is no windows. What starts in a window ends in it.
	WindowHours *float64
}

// Wave is what starts together.
type Wave struct {
	Number int64
	// VMs are sorted.
	Machines []string
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
	// LowerBoundSeconds is what no plan can beat: the longest single migration, the work on each resource over its room,
	// and all bytes over the link. LimitedBy names the largest of them, or the window when it adds to the duration.
	LowerBoundSeconds float64
	LimitedBy         string
	Summary           string
	Findings          []plan.Finding
}

// unit is a move group, or a VM on its own.
type unit struct {
	members []mover
	bits    float64
	longest float64
}

type mover struct {
	name            string
	bits            float64
	host, datastore string
	hostCost        int
	datastoreCost   int
}

// Plan makes a plan by list scheduling, the longest first: at each moment every unit starts for which all resources
// have room. The error is a plan.InputErrors; one names a group that has no room even alone, or is longer than a
// window.
func Plan(in PlanInput) (PlanResult, error) {
	if err := in.check(); err != nil {
		return PlanResult{}, err
	}
	s := newYard(in)
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
func (in PlanInput) units(s *yard) []unit {
	groups := make(map[string]*unit)
	var order []string
	for _, name := range slices.Sorted(maps.Keys(in.Machines)) {
		m := in.Machines[name]
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
		v := mover{
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
func (in PlanInput) bits(m Machine, s *yard) float64 {
	ratio := min(sdpsDirtyShare, m.MemoryDirtyMbps*bitsPerMbit/s.rate(s.concurrent))
	return (m.MemoryGiB/(1-ratio) + m.DiskGiB) * bitsPerGiB
}

func (in PlanInput) check() error {
	var errs plan.InputErrors
	errs = errs.With(plan.Attr("throughput_mbps"), RangeThroughputMbps.Check(in.ThroughputMbps))
	for _, optional := range []struct {
		name  string
		value *float64
		r     plan.Range
	}{
		{"per_migration_mbps", in.PerMigrationMbps, RangeThroughputMbps},
		{"max_concurrent", in.MaxConcurrent, RangeMaxConcurrent},
		{"host_room", in.HostRoom, RangeRoom},
		{"network_room", in.NetworkRoom, RangeRoom},
		{"datastore_room", in.DatastoreRoom, RangeRoom},
		{"window_hours", in.WindowHours, RangeWindowHours},
	} {
		if optional.value != nil {
			errs = errs.With(plan.Attr(optional.name), optional.r.Check(*optional.value))
		}
	}
	if len(in.Machines) == 0 || len(in.Machines) > maxPlanned {
		errs = errs.With(plan.Attr("virtual_machines"), fmt.Errorf("must have 1 to %s VMs", plan.Thousands(maxPlanned, 0)))
	}
	for _, name := range slices.Sorted(maps.Keys(in.Machines)) {
		m, at := in.Machines[name], plan.Attr("virtual_machines").Key(name)
		errs = errs.With(at.Attr("memory_gib"), RangePlanMemoryGiB.Check(m.MemoryGiB))
		errs = errs.With(at.Attr("memory_dirty_mbps"), RangeMemoryDirtyMbps.Check(m.MemoryDirtyMbps))
		errs = errs.With(at.Attr("disk_gib"), RangeDiskGiB.Check(m.DiskGiB))
		if m.MemoryGiB == 0 && m.DiskGiB == 0 {
			errs = errs.With(at.Attr("memory_gib"), errors.New("must not be 0 when there is no disk to move either"))
		}
	}
	return errs.Err()
}

func (r *PlanResult) explain(in PlanInput) {
	r.Summary = fmt.Sprintf(
		"%s VMs move in %s waves and %s; no plan is shorter than %s.",
		plan.Thousands(float64(len(in.Machines)), 0),
		plan.Thousands(
			float64(len(r.Waves)),
			0,
		),
		quantity.Duration(r.DurationSeconds),
		quantity.Duration(r.LowerBoundSeconds),
	)
	if r.WindowsNeeded != nil {
		r.Summary += fmt.Sprintf(" It takes %d windows of %s hours.", *r.WindowsNeeded, plan.Thousands(*in.WindowHours, -1))
	}
	r.Findings = append(r.Findings, plan.Finding{Code: "limited_by_" + r.LimitedBy, Sentence: r.Summary})
}
