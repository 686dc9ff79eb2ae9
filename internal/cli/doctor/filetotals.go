package doctor

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"terraform-provider-vsla/internal/vsphere"
)

// fileTypes contains the documented file types. All others are replaced with a placeholder.
var fileTypes = []string{
	"config", "extendedConfig", "diskDescriptor", "diskExtent", "digestDescriptor", "digestExtent",
	"diskReplicationState", "log", "stat", "namespaceData", "dataSetsDiskModeStore", "dataSetsVmModeStore", "nvram",
	"snapshotData", "snapshotMemory", "snapshotList", "snapshotManifestList", "suspend", "suspendMemory", "swap",
	"uwswap", "core", "screenshot", "ftMetadata", "guestCustomization",
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
