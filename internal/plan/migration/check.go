package migration

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"terraform-provider-vsla/internal/plan"
)

const maxPlannedVMs = 50000

func (in PlanInput) check() error {
	errs := planInputs.Check(&in, nil)
	if (in.ThroughputMbps == nil) == (in.HourlyThroughputMbps == nil) {
		errs = errs.With(
			plan.Attr("throughput_mbps"),
			errors.New("or hourly_throughput_mbps must be set, but not both"),
		)
	}
	errs = append(errs, in.checkWindows()...)
	if len(in.VMs) == 0 {
		errs = errs.With(plan.Attr("virtual_machines"), errors.New("must have at least one VM; "+plan.NoVMs))
	} else if len(in.VMs) > maxPlannedVMs {
		errs = errs.With(plan.Attr("virtual_machines"), fmt.Errorf("must have at most %s VMs, got %s",
			plan.Thousands(maxPlannedVMs, 0), plan.Thousands(float64(len(in.VMs)), 0)))
	}
	for _, name := range slices.Sorted(maps.Keys(in.VMs)) {
		errs = append(errs, in.VMs[name].check(plan.Attr("virtual_machines").Key(name))...)
	}
	return errs.Err()
}

func (in PlanInput) checkWindows() plan.InputErrors {
	var errs plan.InputErrors
	switch {
	case in.WindowStartHour != nil && in.WindowHours == nil:
		errs = errs.With(plan.Attr("window_start_hour"), errors.New("requires window_hours"))
	case in.WindowStartHour != nil && *in.WindowHours > hoursPerDay:
		errs = errs.With(plan.Attr("window_hours"),
			fmt.Errorf("must be at most 24 if window_start_hour is set, got %s", plan.Thousands(*in.WindowHours, -1)))
	case in.WindowWeekdays != nil && len(in.WindowWeekdays) == 0:
		errs = errs.With(plan.Attr("window_weekdays"), errors.New("must not be empty"))
	case len(in.WindowWeekdays) > 0 && in.WindowStartHour == nil:
		errs = errs.With(plan.Attr("window_weekdays"), errors.New("requires window_start_hour"))
	case in.WindowStartHour == nil && in.WindowHours != nil && (in.HourlyThroughputMbps != nil ||
		in.HourlyDirtyWeights != nil):
		errs = errs.With(plan.Attr("window_start_hour"), errors.New("is required for windows with "+
			"hourly_throughput_mbps or hourly_dirty_weights: otherwise, the hour of a window is unknown"))
	}
	return slices.Concat(errs, in.checkCounts(), in.checkFirstDay())
}

func (in PlanInput) checkCounts() plan.InputErrors {
	var errs plan.InputErrors
	for name, given := range map[string]*float64{
		"max_windows":          in.MaxWindows,
		"max_moves_per_window": in.MaxMovesPerWindow,
	} {
		if given != nil && in.WindowHours == nil {
			errs = errs.With(plan.Attr(name), errors.New("requires window_hours"))
		}
	}
	if in.MaxMovesPerWindow != nil && in.Windows().isUnbounded() {
		errs = errs.With(plan.Attr("max_moves_per_window"),
			errors.New("requires windows that close: daily windows of 24 hours never close"))
	}
	return errs
}

func (in PlanInput) checkFirstDay() plan.InputErrors {
	if in.FirstDay == "" {
		return nil
	}
	at := plan.Attr("first_day")
	day, err := time.Parse(time.DateOnly, in.FirstDay)
	switch first := weekdayOf(day); {
	case err != nil:
		return plan.InputErrors{}.With(at, fmt.Errorf("must be a date such as 2026-12-05, got %q", in.FirstDay))
	case len(in.WindowWeekdays) > 0 && in.WindowWeekdays[0] != first:
		return plan.InputErrors{}.With(at, fmt.Errorf("is a %s, but the first of window_weekdays is %s: start on a "+
			"%[2]s, or list %[1]s first", first, in.WindowWeekdays[0]))
	}
	return nil
}

func (v VM) check(at plan.Path) plan.InputErrors {
	var errs plan.InputErrors
	switch {
	case v.PoweredOff && v.Method != MethodCold:
		errs = errs.With(at.Attr("method"),
			fmt.Errorf("must be %s or not set if powered_off is true, got %s", MethodCold, v.Method))
	case v.Method == MethodVMotion && v.MemoryGiB == 0 && v.DiskGiB == 0:
		errs = errs.With(at.Attr("memory_gib"), errors.New("must not be 0 if disk_gib is 0"))
	case v.Method == MethodReplication && v.DiskGiB == 0:
		errs = errs.With(
			at.Attr("disk_gib"),
			errors.New("must not be 0 with the method replication, which copies disks"),
		)
	case v.Method == MethodVMotion && v.SwitchoverMinutes > 0:
		errs = errs.With(at.Attr("switchover_minutes"),
			errors.New("is supported only with the methods cold and replication, got the method vmotion"))
	}
	return errs
}

// Values of Profile.
const (
	ProfileHCXVMotion = "hcx_vmotion"
	ProfileHCXBulk    = "hcx_bulk"
)

const (
	hcxVMotionMbps   = 100
	hcxMigrationMbps = 1000
	hcxApplianceMbps = 1600
	hcxConcurrent    = 200

	// defaultSyncMinutes is the interval at which HCX syncs a VM that is waiting for its switchover.
	defaultSyncMinutes = 120

	sourceHCXVMotion = "VMware HCX user guide, HCX vMotion and cold migration, checked 2026-11-23"
	sourceHCXBulk    = "VMware HCX 4.7 user guide, bulk migration, checked 2026-11-23"
	sourceHCXScale   = "Broadcom KB 321604, HCX 4.7 to 4.9, checked 2026-11-23"
)

// withProfileDefaults returns the input with the defaults of its profile applied, and a list of the applied values with
// their sources. The error is a plan.InputErrors.
func (in PlanInput) withProfileDefaults() (PlanInput, []string, error) {
	method := MethodVMotion
	if in.Profile == ProfileHCXBulk {
		method = MethodReplication
	}
	vms, replaced := make(map[string]VM, len(in.VMs)), 0
	var errs plan.InputErrors
	for _, name := range slices.Sorted(maps.Keys(in.VMs)) {
		v := in.VMs[name]
		if in.Profile == ProfileHCXBulk && v.Method == MethodVMotion ||
			in.Profile == ProfileHCXVMotion && v.Method == MethodReplication {
			errs = errs.With(plan.Attr("virtual_machines").Key(name).Attr("method"),
				fmt.Errorf("is not supported by the profile %s, got %s", in.Profile, v.Method))
		}
		switch {
		case v.Method != "":
		case v.PoweredOff:
			v.Method = MethodCold
		default:
			v.Method = method
			replaced++
		}
		v.Transport = cmp.Or(v.Transport, in.ColdTransport)
		vms[name] = v
	}
	in.VMs = vms
	filled, f := in.withProfile(replaced)
	if errs = append(errs, f.errs...); len(errs) > 0 {
		return in, nil, errs.Err()
	}
	return filled, f.assumed, filled.check()
}

type profileDefaults struct {
	profile string
	assumed []string
	errs    plan.InputErrors
}

func (f *profileDefaults) orDefault(name string, given *float64, value float64, maximum bool, source string) *float64 {
	switch {
	case given == nil:
		f.assumed = append(f.assumed, fmt.Sprintf("%s %s (%s)", name, plan.Thousands(value, -1), source))
		return &value
	case maximum && *given > value:
		f.errs = f.errs.With(plan.Attr(name), fmt.Errorf("must be at most %s with the profile %s (%s), got %s",
			plan.Thousands(value, -1), f.profile, source, plan.Thousands(*given, -1)))
	}
	return given
}

func (f *profileDefaults) assume(source, format string, args ...any) {
	f.assumed = append(f.assumed, fmt.Sprintf(format, args...)+" ("+source+")")
}

// withProfile applies the rates and limits of the profile. methods is the number of VMs that use the profile's default
// method.
func (in PlanInput) withProfile(methods int) (PlanInput, profileDefaults) {
	f := profileDefaults{profile: in.Profile}
	switch in.Profile {
	case ProfileHCXVMotion:
		in.MaxConcurrent = f.orDefault("max_concurrent", in.MaxConcurrent, 1, true, sourceHCXVMotion)
		f.assume(sourceHCXVMotion, "at least %d Mbit/s for each migration instead of %d", hcxVMotionMbps,
			minMbpsPerMigration)
	case ProfileHCXBulk:
		if methods > 0 {
			f.assume(sourceHCXBulk, "method replication")
		}
		in.SyncIntervalMinutes = f.orDefault("sync_interval_minutes", in.SyncIntervalMinutes, defaultSyncMinutes, false,
			sourceHCXBulk)
		in.PerMigrationMbps = f.orDefault(
			"per_migration_mbps",
			in.PerMigrationMbps,
			hcxMigrationMbps,
			true,
			sourceHCXScale,
		)
		if in.MaxConcurrent != nil {
			f.orDefault("max_concurrent", in.MaxConcurrent, hcxConcurrent, true, sourceHCXScale)
		} else {
			f.assume(sourceHCXScale, "at most %d migrations at a time", hcxConcurrent)
		}
		if capAtAppliance(&in) {
			f.assume(sourceHCXScale, "one interconnect appliance, %s Mbit/s", plan.Thousands(hcxApplianceMbps, 0))
		}
	}
	return in, f
}

func capAtAppliance(in *PlanInput) bool {
	over := func(mbps float64) bool { return mbps > hcxApplianceMbps }
	lowered := slices.ContainsFunc(in.HourlyThroughputMbps, over)
	if in.ThroughputMbps != nil && over(*in.ThroughputMbps) {
		in.ThroughputMbps, lowered = new(float64(hcxApplianceMbps)), true
	}
	in.HourlyThroughputMbps = slices.Clone(in.HourlyThroughputMbps)
	for h, hour := range in.HourlyThroughputMbps {
		in.HourlyThroughputMbps[h] = min(hour, hcxApplianceMbps)
	}
	return lowered
}

func (in PlanInput) mostConcurrent() int {
	if in.Profile == ProfileHCXBulk {
		return hcxConcurrent
	}
	return math.MaxInt
}

func (in PlanInput) minMbpsPerVM() float64 {
	if in.Profile == ProfileHCXVMotion {
		return hcxVMotionMbps
	}
	return minMbpsPerMigration
}

func (in PlanInput) setupSeconds() float64 { return *cmp.Or(in.SetupSeconds, new(0.0)) }
