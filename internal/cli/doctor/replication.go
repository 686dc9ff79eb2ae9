package doctor

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"terraform-provider-vsla/internal/vsphere"
)

const (
	sampledInventory = 200 // maximum number of VMs whose configuration is read
)

var replicationReads = []struct {
	about string
	ask   func(*vcenterExaminer, context.Context) error
}{
	{"The statistics settings", (*vcenterExaminer).reportStatistics},
	{"The VM configurations", (*vcenterExaminer).reportConfiguration},
	{"The event types", (*vcenterExaminer).reportEventTypes},
	{"The events", (*vcenterExaminer).reportEvents},
}

// examineReplication runs all replicationReads, even if some of them fail.
func (v *vcenterExaminer) examineReplication(ctx context.Context) {
	for _, q := range replicationReads {
		if ctx.Err() != nil {
			return
		}
		if err := q.ask(v, ctx); err != nil {
			v.report.Replication.add("%s could not be read: %s.", q.about, reason(err))
		}
		v.countStep()
	}
	v.addUndecided(eventChecks)
}

var eventChecks = []string{"event-types", "event-order", "event-vm", "violation-repeats"}

func (s *session) addUndecided(ids []string) {
	for _, id := range ids {
		if !slices.ContainsFunc(s.report.Checks, func(c Check) bool { return c.ID == id }) {
			s.report.addCheck(id, Unknown, "There is no data for this check.")
		}
	}
}

func (v *vcenterExaminer) reportStatistics(ctx context.Context) error {
	intervals, counters, err := v.client.StatisticsSettings(ctx)
	for _, i := range intervals {
		kept := "disabled"
		if i.Enabled {
			kept = "kept for " + countText(int(i.RetentionSeconds/secondsOfHour), "hour", "hours")
		}
		v.report.Replication.add("Statistics interval of %s: %s, level %d.",
			countText(int(i.Seconds), "second", "seconds"), kept, i.Level)
	}
	for _, c := range counters {
		v.report.Replication.add("`%s` is collected from level %d, per device from level %d.",
			c.Name, c.Level, c.PerDeviceLevel)
	}
	if err == nil && len(counters) == 0 {
		v.report.Replication.add("vCenter has no write counters.")
	}
	return err
}

const secondsOfHour = 3600

// Documented datastore types, keys of replication settings in the extra configuration of VMs, and file types. All other
// values are replaced with placeholders.
var (
	datastoreTypes = []string{"VMFS", "NFS", "NFS41", "vsan", "vsanD", "VVOL", "VFFS", "PMEM", "CIFS", "OTHER"}
	filterKeys     = []string{
		"hbr_filter.configGen", "hbr_filter.destination", "hbr_filter.gid", "hbr_filter.netCompression",
		"hbr_filter.netEncryption", "hbr_filter.opp", "hbr_filter.pause", "hbr_filter.port", "hbr_filter.protocol",
		"hbr_filter.quiesce", "hbr_filter.rpo",
	}
	fileTypes = []string{
		"config", "extendedConfig", "diskDescriptor", "diskExtent", "digestDescriptor", "digestExtent",
		"diskReplicationState", "log", "stat", "namespaceData", "dataSetsDiskModeStore", "dataSetsVmModeStore", "nvram",
		"snapshotData", "snapshotMemory", "snapshotList", "snapshotManifestList", "suspend", "suspendMemory", "swap",
		"uwswap", "core", "screenshot", "ftMetadata", "guestCustomization",
	}
)

// reportConfiguration counts VMs by the traces that replication has left in their configuration, and adds up the sizes
// of their files.
func (v *vcenterExaminer) reportConfiguration(ctx context.Context) error {
	vms, total, err := v.client.SampleVMs(ctx, sampledInventory)
	if err != nil {
		return err
	}
	v.report.Replication.add("%s. The configuration of %d was read.", countText(total, "VM", "VMs"), len(vms))
	holders := make(map[string]int)
	for _, vm := range vms {
		if vm.FilterID != "" {
			holders[vm.FilterID]++
		}
	}
	traces := make(map[string]int)
	files := make(map[string]*fileTotals)
	for _, vm := range vms {
		traces[traceText(vm, holders[vm.FilterID] > 1)]++
		kind := kindOf(vm)
		if files[kind] == nil {
			files[kind] = &fileTotals{bytesByType: make(map[string]int64)}
		}
		files[kind].add(vm)
		if v.replicatedVM == "" && vm.Configured {
			v.replicatedVM = vm.ID
		}
	}
	for _, trace := range slices.Sorted(maps.Keys(traces)) {
		v.report.Replication.add("Traces of replication in %s: %s.", countText(traces[trace], "VM", "VMs"), trace)
	}
	for _, kind := range slices.Sorted(maps.Keys(files)) {
		v.report.Replication.add("On %s: %s.", kind, files[kind])
	}
	return nil
}

func traceText(vm vsphere.SampledVM, repeated bool) string {
	var traces []string
	for key, isSet := range vm.Filter {
		trace := "`" + knownOr(filterKeys, key, "hbr_filter.{key}") + "`"
		if !isSet {
			trace += " (empty)"
		}
		traces = append(traces, trace)
	}
	if vm.Configured {
		traces = append(traces, "`config.repConfig`")
	}
	if repeated {
		traces = append(traces, "a `gid` that another VM also has")
	}
	if len(traces) == 0 {
		return "none"
	}
	slices.Sort(traces)
	return strings.Join(slices.Compact(traces), ", ")
}

func kindOf(vm vsphere.SampledVM) string {
	kinds := make([]string, 0, len(vm.DatastoreTypes))
	for _, kind := range vm.DatastoreTypes {
		kinds = append(kinds, knownOr(datastoreTypes, kind, "{type}"))
	}
	power := "powered off"
	if vm.Running {
		power = "powered on"
	}
	return cmp.Or(strings.Join(kinds, " and "), "no datastore") + ", " + power
}

type fileTotals struct {
	vms         int
	committed   int64
	bytesByType map[string]int64
	swap        int64 // sum of uniqueSize
}

func (f *fileTotals) add(vm vsphere.SampledVM) {
	f.vms++
	f.committed += vm.CommittedBytes
	f.swap += vm.UniqueBytes["swap"]
	for kind, bytes := range vm.FileBytes {
		f.bytesByType[knownOr(fileTypes, kind, "{type}")] += bytes
	}
}

func (f *fileTotals) String() string {
	parts := []string{countText(f.vms, "VM", "VMs"), "committed " + gib(f.committed)}
	for _, kind := range slices.Sorted(maps.Keys(f.bytesByType)) {
		part := kind + " " + gib(f.bytesByType[kind])
		if kind == "swap" {
			part += " (uniqueSize " + gib(f.swap) + ")"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

func gib(bytes int64) string { return strconv.FormatFloat(float64(bytes)/(1<<30), 'f', 1, 64) + " GiB" }
