package migration

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"terraform-provider-vsla/internal/plan"
)

const maxPlannedVMs = 50000

// invalid returns the error of one input.
func invalid(at plan.Path, format string, args ...any) plan.InputErrors {
	return plan.InputErrors{}.With(at, fmt.Errorf(format, args...))
}

func (in PlanInput) check() error {
	errs := in.checkSettings()
	if (in.ThroughputMbps == nil) == (in.HourlyThroughputMbps == nil) {
		errs = append(errs, invalid(plan.Attr("throughput_mbps"),
			"or hourly_throughput_mbps must be set, but not both")...)
	}
	vms := plan.Attr("virtual_machines")
	if len(in.VMs) == 0 {
		errs = append(errs, invalid(vms, "must have at least one VM; "+plan.NoVMs)...)
	} else if len(in.VMs) > maxPlannedVMs {
		errs = append(errs, invalid(vms, "must have at most %s VMs, got %s",
			plan.Thousands(maxPlannedVMs, 0), plan.Thousands(float64(len(in.VMs)), 0))...)
	}
	for _, name := range slices.Sorted(maps.Keys(in.VMs)) {
		errs = append(errs, in.VMs[name].check(vms.Key(name))...)
	}
	return errs.Err()
}

// CheckSettings returns the errors of the inputs that depend neither on the VMs nor on the link, as a plan.InputErrors.
func (in PlanInput) CheckSettings() error { return in.checkSettings().Err() }

func (in PlanInput) checkSettings() plan.InputErrors {
	return slices.Concat(planInputs.Check(&in, nil), in.checkWindows(), in.checkCounts(), in.checkFirstDay())
}

func (in PlanInput) checkWindows() plan.InputErrors {
	switch {
	case in.WindowStartHour != nil && in.WindowHours == nil:
		return invalid(plan.Attr("window_start_hour"), "requires window_hours")
	case in.WindowStartHour != nil && *in.WindowHours > hoursPerDay:
		return invalid(plan.Attr("window_hours"), "must be at most 24 if window_start_hour is set, got %s",
			plan.Thousands(*in.WindowHours, -1))
	case in.WindowWeekdays != nil && len(in.WindowWeekdays) == 0:
		return invalid(plan.Attr("window_weekdays"), "must not be empty")
	case len(in.WindowWeekdays) > 0 && in.WindowStartHour == nil:
		return invalid(plan.Attr("window_weekdays"), "requires window_start_hour")
	case in.WindowStartHour == nil && in.WindowHours != nil && (in.HourlyThroughputMbps != nil ||
		in.HourlyDirtyWeights != nil):
		return invalid(plan.Attr("window_start_hour"), "is required for windows with hourly_throughput_mbps or "+
			"hourly_dirty_weights: otherwise, the hour of a window is unknown")
	}
	return nil
}

func (in PlanInput) checkCounts() plan.InputErrors {
	var errs plan.InputErrors
	for name, given := range map[string]*float64{
		"max_windows":          in.MaxWindows,
		"max_moves_per_window": in.MaxMovesPerWindow,
	} {
		if given != nil && in.WindowHours == nil {
			errs = append(errs, invalid(plan.Attr(name), "requires window_hours")...)
		}
	}
	if in.MaxMovesPerWindow != nil && in.Windows().isUnbounded() {
		errs = append(errs, invalid(plan.Attr("max_moves_per_window"),
			"requires windows that close: daily windows of 24 hours never close")...)
	}
	return errs
}

func (in PlanInput) checkFirstDay() plan.InputErrors {
	at := plan.Attr("first_day")
	day, err := time.Parse(time.DateOnly, in.FirstDay)
	switch first := weekdayOf(day); {
	case in.FirstDay == "":
	case err != nil:
		return invalid(at, "must be a date such as 2026-12-05, got %q", in.FirstDay)
	case len(in.WindowWeekdays) > 0 && in.WindowWeekdays[0] != first:
		return invalid(at, "is a %s, but the first of window_weekdays is %s: start on a %[2]s, or list %[1]s first",
			first, in.WindowWeekdays[0])
	}
	return nil
}

func (v VM) check(at plan.Path) plan.InputErrors {
	switch {
	case v.PoweredOff && v.Method != MethodCold:
		return invalid(at.Attr("method"), "must be %s or not set if powered_off is true, got %s", MethodCold, v.Method)
	case v.Method == MethodVMotion && v.MemoryGiB == 0 && v.DiskGiB == 0:
		return invalid(at.Attr("memory_gib"), "must not be 0 if disk_gib is 0")
	case v.Method == MethodReplication && v.DiskGiB == 0:
		return invalid(at.Attr("disk_gib"), "must not be 0 with the method replication, which copies disks")
	case v.Method == MethodVMotion && v.SwitchoverMinutes > 0:
		return invalid(at.Attr("switchover_minutes"),
			"is supported only with the methods cold and replication, got the method vmotion")
	}
	return nil
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
			errs = append(errs, invalid(plan.Attr("virtual_machines").Key(name).Attr("method"),
				"is not supported by the profile %s, got %s", in.Profile, v.Method)...)
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
		f.assume(source, "%s %s", name, plan.Thousands(value, -1))
		return &value
	case maximum && *given > value:
		f.errs = append(f.errs, invalid(plan.Attr(name), "must be at most %s with the profile %s (%s), got %s",
			plan.Thousands(value, -1), f.profile, source, plan.Thousands(*given, -1))...)
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
	lowered := false
	if in.ThroughputMbps != nil && *in.ThroughputMbps > hcxApplianceMbps {
		in.ThroughputMbps, lowered = new(float64(hcxApplianceMbps)), true
	}
	in.HourlyThroughputMbps = slices.Clone(in.HourlyThroughputMbps)
	for h, mbps := range in.HourlyThroughputMbps {
		lowered = lowered || mbps > hcxApplianceMbps
		in.HourlyThroughputMbps[h] = min(mbps, hcxApplianceMbps)
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
