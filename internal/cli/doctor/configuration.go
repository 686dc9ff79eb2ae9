package doctor

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/vsphere"
)

// sampledInventory is the maximum number of VMs whose configuration is read.
const sampledInventory = 200

// Documented datastore types, and keys of replication settings in the extra configuration of VMs. All other values are
// replaced with placeholders.
var (
	datastoreTypes = []string{"VMFS", "NFS", "NFS41", "vsan", "vsanD", "VVOL", "VFFS", "PMEM", "CIFS", "OTHER"}
	filterKeys     = []string{
		"hbr_filter.configGen", "hbr_filter.destination", "hbr_filter.gid", "hbr_filter.netCompression",
		"hbr_filter.netEncryption", "hbr_filter.opp", "hbr_filter.pause", "hbr_filter.port", "hbr_filter.protocol",
		"hbr_filter.quiesce", "hbr_filter.rpo",
	}
)

// reportConfiguration reports the traces that replication has left in the configuration of VMs, and the sizes of their
// files.
func (v *vcenterExaminer) reportConfiguration(ctx context.Context) error {
	vms, total, err := v.client.SampleVMs(ctx, sampledInventory)
	if err != nil {
		return err
	}
	v.report.Replication.add("%s. The configuration of %d was read.", countText(total, "VM", "VMs"), len(vms))
	v.reportTraces(vms)
	v.reportFiles(vms)
	configured := slices.IndexFunc(vms, func(vm vsphere.SampledVM) bool { return vm.Configured })
	if v.replicatedVM == "" && configured >= 0 {
		v.replicatedVM = vms[configured].ID
	}
	return nil
}

func (v *vcenterExaminer) reportTraces(vms []vsphere.SampledVM) {
	holders := make(map[string]int)
	for _, vm := range vms {
		if vm.FilterID != "" {
			holders[vm.FilterID]++
		}
	}
	traces := make(map[string]int)
	for _, vm := range vms {
		traces[traceText(vm, holders[vm.FilterID] > 1)]++
	}
	for _, trace := range slices.Sorted(maps.Keys(traces)) {
		v.report.Replication.add("Traces of replication in %s: %s.", countText(traces[trace], "VM", "VMs"), trace)
	}
}

func (v *vcenterExaminer) reportFiles(vms []vsphere.SampledVM) {
	files := make(map[string]*fileTotals)
	for _, vm := range vms {
		kind := kindOf(vm)
		if files[kind] == nil {
			files[kind] = &fileTotals{bytesByType: make(map[string]int64)}
		}
		files[kind].add(vm)
	}
	for _, kind := range slices.Sorted(maps.Keys(files)) {
		v.report.Replication.add("On %s: %s.", kind, files[kind])
	}
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
