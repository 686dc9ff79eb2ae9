package estate

import (
	"slices"

	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/registry"
)

// Keys of a tiers file.
const (
	keySize       = "size"
	keyLink       = "link"
	keyDefaults   = "defaults"
	keySchedule   = "schedule"
	keyMigration  = "migration"
	keyExclude    = "exclude"
	keyTiers      = "tiers"
	keyName       = "name"
	keyMatch      = "match"
	keyStorage    = "with_storage"
	keyShare      = "share_percent"
	keyThroughput = "throughput_mbps"
	keyHourly     = "hourly_throughput_mbps"
	keyEfficiency = "efficiency_percent"
	keyBasis      = "throughput_basis"
	keyWeights    = "hourly_weights"
	keyPeak       = "peak_factor"
	keyCurve      = "change_curve"
	keyDaily      = "daily_change_percent"
	keyAssumed    = "assumed_inputs"
	keyLinks      = "links"
	keyTargets    = "targets"
	keyRanges     = "ranges"
	keyNetwork    = "network"
	keyVMs        = "virtual_machines"
	keyChange     = "change"
)

// Keys of a migration.
const (
	keyMethod      = "method"
	keyTransport   = "transport"
	keySwitchover  = "switchover_minutes"
	keyMaxDowntime = "max_downtime_minutes"
	keyProfile     = "profile"
)

var sizes = []string{"used_gib", "guest_used_gib", "provisioned_gib", "disk_gib"}

var migrationKeys = []string{keyMethod, keyTransport, keySwitchover, keyMaxDowntime}

func tierKeys() []string {
	inputs := inputFieldNames(inputFields(keyTiers), keyVMs, "vm_count", "vm_size_gib")
	return append(append(inputs, keyChange), migrationKeys...)
}

func inputFieldNames(fields []calculator.Field, except ...string) []string {
	var all []string
	for _, f := range fields {
		if f.Input && !slices.Contains(except, f.Name) {
			all = append(all, f.Name)
		}
	}
	return all
}

// inputFields returns the inputs of the elements of an input of the SLA plan.
func inputFields(input string) []calculator.Field {
	c, _ := registry.OfCommand("plan")
	f, _ := c.Field(input)
	return f.Fields
}

var tierScheduleKeys = []string{"per_sync_mbps", "target_compliance_percent", "deadline_hours"}

func inputNames(command string, except ...string) []string {
	c, _ := registry.OfCommand(command)
	return inputFieldNames(c.Inputs(), except...)
}

func planKeys() []string { return inputNames("plan", keyTiers) }

func selectKeys(values map[string]any, names []string) map[string]any {
	picked := make(map[string]any)
	for _, name := range names {
		if v := values[name]; v != nil {
			picked[name] = v
		}
	}
	return picked
}
