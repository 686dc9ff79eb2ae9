// Column mappings: the headers of known exports, and user-defined mappings.

package inventoryfile

import (
	"maps"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan/quantity"
)

const (
	fieldName         = "name"
	fieldID           = "id"
	fieldInstanceUUID = "instance_uuid"
	fieldUUID         = "bios_uuid"
	fieldPowerState   = "power_state"
	fieldConnection   = "connection_state"
	fieldTemplate     = "template"
	fieldPlaceholder  = "placeholder"
	fieldCPU          = "cpu_count"
	fieldTracking     = "changed_block_tracking"
	fieldDatacenter   = "datacenter"
	fieldCluster      = "cluster"
	fieldHost         = "host"
	fieldFolder       = "folder"
	fieldServer       = "vcenter"
	fieldServerUUID   = "vcenter_uuid"
	fieldMemory       = "memory"
	fieldProvisioned  = "provisioned"
	fieldUsed         = "used"
	fieldDisk         = "disk"
	fieldGuestUsed    = "guest_used"
)

const (
	kib = int64(1) << 10
	mib = int64(1) << 20
	gib = int64(1) << 30
	tib = int64(1) << 40
	gb  = int64(1e9)
)

// sizes contains the fields that have a unit. Their keys in Options.Columns end in the unit.
var sizes = []string{fieldMemory, fieldProvisioned, fieldUsed, fieldDisk, fieldGuestUsed}

var unitBySuffix = map[string]int64{"_mib": mib, "_gib": gib, "_gb": gb}

var unitlessFields = []string{
	fieldName, fieldID, fieldInstanceUUID, fieldPowerState, fieldConnection, fieldTemplate, fieldPlaceholder, fieldCPU,
	fieldTracking, fieldDatacenter, fieldCluster, fieldHost, fieldFolder, fieldServer,
}

// Fields returns the valid keys of Options.Columns, sorted: name, used_gib, used_mib and so on.
func Fields() []string {
	names := slices.Clone(unitlessFields)
	for _, size := range sizes {
		for suffix := range unitBySuffix {
			names = append(names, size+suffix)
		}
	}
	slices.Sort(names)
	return names
}

// rvtoolsHeaders contains the headers of vInfo by field, in order of preference: those of the user interface in
// versions 4 and 3, then those of the command-line export.
var rvtoolsHeaders = map[string][]string{
	fieldName:         {"VM", "vInfoVMName", "vInfoName"},
	fieldID:           {"VM ID", "Object ID", "vInfoObjectID"},
	fieldUUID:         {"VM UUID", "vInfoUUID"},
	fieldInstanceUUID: {"VM Instance UUID", "vInfoInstanceUUID"},
	fieldPowerState:   {"Powerstate", "vInfoPowerstate"},
	fieldConnection:   {"Connection state", "vInfoConnectionState"},
	fieldTemplate:     {"Template", "vInfoTemplate"},
	fieldPlaceholder:  {"SRM Placeholder", "vInfoSRMPlaceHolder"},
	fieldCPU:          {"CPUs", "vInfoCPUs"},
	fieldTracking:     {"CBT", "vInfoCBT"},
	fieldDatacenter:   {"Datacenter", "vInfoDataCenter"},
	fieldCluster:      {"Cluster", "vInfoCluster"},
	fieldHost:         {"Host", "vInfoHost"},
	fieldFolder:       {"Folder", "vInfoFolder"},
	fieldServer:       {"VI SDK Server", "vInfoVISDKServer"},
	fieldServerUUID:   {"VI SDK UUID", "vInfoVISDKUUID"},
	fieldMemory:       {"Memory", "vInfoMemory"},
	fieldProvisioned:  {"Provisioned MiB", "Provisioned MB", "vInfoProvisioned"},
	fieldUsed:         {"In Use MiB", "In Use MB", "vInfoInUse"},
	fieldDisk:         {"Total disk capacity MiB", "Total disk capacity MB", "vInfoTotalDiskCapacityMiB"},
}

// liveOpticsHeaders contains the headers of the "VMs" sheet. The sheet's "vCenter" column contains a version, so the
// instance UUID distinguishes VMs of different vCenters.
var liveOpticsHeaders = map[string][]string{
	fieldName:         {"VM Name"},
	fieldID:           {"MOB ID", "MOB_ID"},
	fieldInstanceUUID: {"InstanceUUID", "Instance UUID"},
	fieldPowerState:   {"Power State", "PowerState"},
	fieldConnection:   {"Connection State"},
	fieldTemplate:     {"Template"},
	fieldPlaceholder:  {"SRM Placeholder"},
	fieldCPU:          {"Virtual CPU"},
	fieldDatacenter:   {"Datacenter"},
	fieldCluster:      {"Cluster"},
	fieldHost:         {"Host"},
	fieldFolder:       {"Folder"},
	fieldMemory:       {"Provisioned Memory (MiB)", "Provisioned Memory (MB)"},
	fieldProvisioned:  {"Virtual Disk Size (MiB)", "Virtual Disk Size (MB)"},
	fieldUsed:         {"Virtual Disk Used (MiB)", "Virtual Disk Used (MB)"},
	fieldGuestUsed:    {"Guest VM Disk Used (MiB)", "Guest VM Disk Used (MB)"},
}

type column struct {
	index  int
	header string
	// unit is the number of bytes per unit, or 0 if the field has no unit.
	unit int64
}

// layout contains the columns of a sheet by field, in order of preference. A file merged from several versions has both
// "In Use MiB" and "In Use MB", but each row uses only one of them.
type layout map[string][]column

var requiredFields = []string{fieldName, fieldUsed}

func normalize(header string) string {
	return strings.ToLower(strings.Join(strings.Fields(strings.Trim(header, "\ufeff\"")), " "))
}

// matchHeaders maps a header row to the columns of a known export. It also returns the required columns that are
// missing.
func matchHeaders(row []string, headers map[string][]string) (layout, []string) {
	at := map[string]int{}
	for i, cell := range row {
		if _, repeated := at[normalize(cell)]; !repeated {
			at[normalize(cell)] = i
		}
	}
	found := layout{}
	for field, names := range headers {
		for _, name := range names {
			i, ok := at[normalize(name)]
			if !ok {
				continue
			}
			c := column{index: i, header: strings.TrimSpace(strings.Clone(row[i]))}
			if slices.Contains(sizes, field) {
				c.unit = mib
			}
			found[field] = append(found[field], c)
		}
	}
	var missing []string
	for _, field := range requiredFields {
		if len(headers[field]) > 0 && found[field] == nil {
			missing = append(missing, headers[field][0])
		}
	}
	return found, missing
}

func (l layout) isHeaderRow(row []string) bool {
	for _, field := range requiredFields {
		if c := l[field][0]; c.index >= len(row) || normalize(row[c.index]) != normalize(c.header) {
			return false
		}
	}
	return true
}

func hasHeader(row, headers []string) bool {
	for _, cell := range row {
		for _, header := range headers {
			if len(cell) >= len(header) && len(cell) <= len(header)+len("\ufeff\"\"") && normalize(cell) == normalize(header) {
				return true
			}
		}
	}
	return false
}

func mapColumns(row []string, columns map[string]string) (layout, error) {
	found := layout{}
	for _, key := range slices.Sorted(maps.Keys(columns)) {
		field, unit, ok := parseField(key)
		if !ok {
			return nil, fileError("columns contains the unknown field %q; the fields are %s", key,
				strings.Join(Fields(), ", "))
		}
		if other, twice := found[field]; twice {
			return nil, fileError("columns contains %q and %q for the same field, %s", other[0].header, columns[key], field)
		}
		i, err := findColumn(row, columns[key])
		if err != nil {
			return nil, err
		}
		if unit > 0 && !unitFits(row[i], unit) {
			return nil, fileError("the unit is ambiguous: columns maps %s to the column %q", key, row[i])
		}
		found[field] = []column{{index: i, header: strings.TrimSpace(strings.Clone(row[i])), unit: unit}}
	}
	for _, field := range requiredFields {
		if _, ok := found[field]; !ok {
			return nil, fileError("columns must contain the headers of the VM name (name) and of the used storage " +
				"(used_gib, used_mib or used_gb)")
		}
	}
	return found, nil
}

// ownFields returns the headers that are field names. It returns nil if the name or the used storage is missing.
func ownFields(header []string) map[string]string {
	own := map[string]string{}
	for _, text := range nonEmptyHeaders(header) {
		if field := normalize(text); slices.Contains(Fields(), field) {
			own[field] = text
		}
	}
	if own[fieldName] == "" || !slices.ContainsFunc(slices.Collect(maps.Keys(own)), isUsed) {
		return nil
	}
	return own
}

func isUsed(key string) bool {
	field, unit, ok := parseField(key)
	return ok && field == fieldUsed && unit > 0
}

func guessColumns(header []string) map[string]string {
	headers := nonEmptyHeaders(header)
	first := func(words ...string) string {
		for _, word := range words {
			if i := slices.IndexFunc(headers, func(h string) bool { return strings.Contains(normalize(h), word) }); i >= 0 {
				return headers[i]
			}
		}
		return ""
	}
	used := first("in use", "used", "belegt", "usage", "size", "gib", "gb", "mib", "mb", "storage")
	key := fieldUsed + "_gib"
	for suffix, unit := range unitBySuffix {
		if used != "" && unit != gib && strings.Contains(normalize(used), suffix[1:]) {
			key = fieldUsed + suffix
		}
	}
	return map[string]string{fieldName: first("vm name", "name", "vm", "server", "host", "machine"), key: used}
}

func parseField(key string) (field string, unit int64, ok bool) {
	if slices.Contains(unitlessFields, key) {
		return key, 0, true
	}
	for suffix, unit := range unitBySuffix {
		if field, cut := strings.CutSuffix(key, suffix); cut && slices.Contains(sizes, field) {
			return field, unit, true
		}
	}
	return "", 0, false
}

func findColumn(row []string, header string) (int, error) {
	found := -1
	for i, cell := range row {
		if normalize(cell) != normalize(header) {
			continue
		}
		if found >= 0 {
			return 0, fileError("the file has two columns named %q", header)
		}
		found = i
	}
	if found < 0 {
		return 0, fileError("the file has no column %q; its columns are %s", header,
			quantity.Nearest(nonEmptyHeaders(row), header))
	}
	return found, nil
}

// unitFits reports whether a header is compatible with a unit. "GB" can mean 10^9 or 2^30 bytes, depending on the key
// in Options.Columns, but not 2^20 bytes.
func unitFits(header string, unit int64) bool {
	isSeparator := func(r rune) bool { return strings.ContainsRune(" ()_", r) }
	words := strings.FieldsFunc(normalize(header), isSeparator)
	for _, word := range words {
		if bytes := bytesPerUnit[word]; bytes > 0 && bytes != unit && (word != "gb" || unit != gb) {
			return false
		}
	}
	return true
}

var bytesPerUnit = map[string]int64{
	"kb": kib, "kib": kib, "mb": mib, "mib": mib, "gb": gib, "gib": gib, "tb": tib, "tib": tib,
}

func nonEmptyHeaders(row []string) []string {
	var headers []string
	for _, cell := range row {
		if text := strings.TrimSpace(strings.Trim(cell, "\ufeff")); text != "" {
			headers = append(headers, text)
		}
	}
	return headers
}
