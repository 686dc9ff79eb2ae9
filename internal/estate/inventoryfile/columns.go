// Column mappings: the headers of known exports, and user-defined mappings.

package inventoryfile

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

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

	// These fields cannot be mapped.
	fieldFaultTolerance = "ft_state"
	fieldHardware       = "hardware_version"
	fieldRaw            = "raw"
	fieldRawMode        = "raw_mode"
	fieldSharing        = "sharing"
	fieldBus            = "bus"
	fieldPath           = "path"
)

const (
	kib = int64(1) << 10
	mib = int64(1) << 20
	gib = int64(1) << 30
	tib = int64(1) << 40
	pib = int64(1) << 50
	gb  = int64(1e9)
	tb  = int64(1e12)
)

// sizes contains the fields that have a unit. Their keys in Options.Columns end in the unit.
var sizes = []string{fieldMemory, fieldProvisioned, fieldUsed, fieldDisk, fieldGuestUsed}

// storageSizes contains the sizes that can be replicated.
var storageSizes = []string{fieldUsed, fieldProvisioned, fieldDisk, fieldGuestUsed}

var unitBySuffix = map[string]int64{
	"_bytes": 1,
	"_kib":   kib,
	"_mib":   mib,
	"_gib":   gib,
	"_tib":   tib,
	"_gb":    gb,
	"_tb":    tb,
}

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

// FieldsText lists the valid keys of Options.Columns for documentation.
func FieldsText() string {
	units := slices.Sorted(maps.Keys(unitBySuffix))
	return strings.Join(slices.Sorted(slices.Values(unitlessFields)), ", ") + "; and the sizes " +
		strings.Join(sizes, ", ") + " with a unit (" + strings.Join(units, ", ") + "; a GB or TB is a power of 10)"
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
	fieldServerUUID:   {"VI SDK UUID", "vInfoVISDKUUID", "vCenter UUID"},
	fieldMemory:       {"Memory", "vInfoMemory"},
	fieldProvisioned:  {"Provisioned MiB", "Provisioned MB", "vInfoProvisioned"},
	fieldUsed:         {"In Use MiB", "In Use MB", "vInfoInUse"},
	fieldDisk:         {"Total disk capacity MiB", "Total disk capacity MB", "vInfoTotalDiskCapacityMiB"},

	fieldFaultTolerance: {"FT State", "vInfoFTState"},
	fieldHardware:       {"HW version", "vInfoHWVersion"},
}

type column struct {
	index  int
	header string
	// unit is the number of bytes per unit, or 0 if the field has no unit.
	unit int64
	// isMapped is set for a column that the user maps. Its cells can contain a unit, such as "1.2 TB".
	isMapped bool
}

// layout contains the columns of a sheet by field, in order of preference. A file merged from several versions has both
// "In Use MiB" and "In Use MB", but each row uses only one of them.
type layout map[string][]column

func normalize(header string) string {
	return strings.ToLower(strings.Join(strings.Fields(strings.Trim(header, "\ufeff\"")), " "))
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
			return 0, twoColumns(header, found, i)
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
	word := unitOf(header)
	bytes, known := bytesPerUnit[word]
	return !known || bytes == unit || word == "gb" && unit == gb || word == "tb" && unit == tb
}

// unitOf returns the unit in a header, such as "gb" in "Used (GB)" or "UsedSpaceGB", or "".
func unitOf(header string) string {
	// "MiB" and "kB" are single words.
	separated := camelCase.ReplaceAllString(unitWord.ReplaceAllStringFunc(header, strings.ToUpper), "$1 $2")
	isSeparator := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for _, word := range slices.Backward(strings.FieldsFunc(strings.ToLower(separated), isSeparator)) {
		if bytesPerUnit[word] > 0 && word != "b" {
			return word
		}
		if found := joinedUnit.FindStringSubmatch(word); found != nil {
			return found[1]
		}
	}
	return ""
}

var (
	unitWord   = regexp.MustCompile(`[KMGTPkmgtp]i?B`)
	camelCase  = regexp.MustCompile(`(\p{Ll})(\p{Lu})`)
	joinedUnit = regexp.MustCompile(
		`^(?:in|used|provisioned|size|space|capacity|disk|memory|storage)+([kmgt]i?b|bytes)$`,
	)
)

var bytesPerUnit = map[string]int64{
	"b":     1,
	"byte":  1,
	"bytes": 1,
	"kb":    kib,
	"kib":   kib,
	"mb":    mib,
	"mib":   mib,
	"gb":    gib,
	"gib":   gib,
	"tb":    tib,
	"tib":   tib,
	"pb":    pib,
	"pib":   pib,
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
