// Tables of VMs: the sheets of a workbook, the CSV files of a folder or an archive, or a single CSV file.

package inventoryfile

import (
	"errors"
	"regexp"
	"slices"
	"strings"
)

// Some exports have a title above the header row.
const maxHeaderRow = 10

// errStop ends the reading of a table early.
var errStop = errors.New("stop")

type tables interface {
	// names returns the names of all tables. A single CSV file has the name "".
	names() []string
	// read calls visit for each row with a filled cell. The cells are valid until the next row.
	read(table string, visit func(cells []string, number int) error) error
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

// vmTables contains the names of the VM table by format. RVTools names its CSV files tabvInfo, and some scripts use
// this as a sheet name.
var vmTables = []struct {
	format  string
	names   []string
	headers map[string][]string
}{
	{RVTools, []string{"vInfo", "tabvInfo"}, rvtoolsHeaders},
	{LiveOptics, []string{"VMs"}, liveOpticsHeaders},
}

// RVTools tables of disks and file systems.
var (
	diskTables       = []string{"vDisk", "tabvDisk"}
	fileSystemTables = []string{"vPartition", "tabvPartition"}
)

var rvtoolsFile = regexp.MustCompile(`(?i)tabv[a-z]+`)

// findTable returns the table with one of the names, or "". The name of a CSV file can contain more, such as a date.
func findTable(t tables, names []string) string {
	for _, table := range t.names() {
		name, isCSV := strings.CutSuffix(strings.ToLower(table), csvExtension)
		if found := rvtoolsFile.FindString(name); isCSV && found != "" {
			name = found
		}
		if slices.ContainsFunc(names, func(other string) bool { return normalize(other) == normalize(name) }) {
			return table
		}
	}
	return ""
}

func readTables(t tables, o Options) (Inventory, error) {
	if text, ok := t.(*textTables); ok {
		text.mapped = o.Columns
	}
	if len(o.Columns) > 0 {
		return readMapped(t, o)
	}
	names := t.names()
	if len(names) == 1 && (names[0] == "" || strings.HasSuffix(strings.ToLower(names[0]), csvExtension)) {
		b := newBuilder(o, names[0])
		return b.read(t, textHeaders(o))
	}
	if o.Format == CSV {
		return Inventory{}, fileError("format %q requires columns, which maps fields to headers in the file", CSV)
	}
	for _, known := range vmTables {
		table := findTable(t, known.names)
		if table == "" || o.Format != known.format && o.Format != Auto && o.Format != "" {
			continue
		}
		b := newBuilder(o, table)
		return b.read(t, []headerKind{{format: known.format, headers: known.headers}})
	}
	return Inventory{}, &FileError{
		Detail: "the file has no VM table (vInfo in RVTools, VMs in Live Optics); its sheets are " + quoted(names) +
			". For other files, set columns, or name the columns as RVTools does",
		Columns: suggestColumns(t, o),
	}
}

func readMapped(t tables, o Options) (Inventory, error) {
	var nearest error
	widest := -1
	for _, table := range t.names() {
		b := newBuilder(o, table)
		inventory, err := b.read(t, []headerKind{{format: CSV, columns: o.Columns}})
		if err == nil || b.layout != nil {
			return inventory, err
		}
		if b.widest > widest {
			nearest, widest = err, b.widest
		}
	}
	return Inventory{}, nearest
}

// read reads the VM table and the tables of disks and file systems.
func (b *builder) read(t tables, kinds []headerKind) (Inventory, error) {
	a, isWorkbook := t.(*archive)
	if isWorkbook && len(b.options.KeepColumns) > 0 {
		if err := a.readPercentStyles(); err != nil {
			return Inventory{}, err
		}
		b.kept.percent = a.percentColumns
	}
	disks, fileSystems := findTable(t, diskTables), findTable(t, fileSystemTables)
	b.sizesElsewhere = disks != "" || fileSystems != ""
	if err := b.readTable(t, kinds); err != nil {
		return Inventory{}, err
	}
	if b.format != RVTools {
		disks, fileSystems = "", ""
	}
	diskParts, err := b.readDisks(t, disks)
	if err != nil {
		return Inventory{}, err
	}
	fileSystemParts, err := b.readFileSystems(t, fileSystems)
	if err != nil {
		return Inventory{}, err
	}
	if err := b.readOthers(t); err != nil {
		return Inventory{}, err
	}
	inventory, err := b.build(diskParts, fileSystemParts)
	if text, ok := t.(*textTables); ok {
		inventory.Encoding = text.encodings[b.table]
	}
	return inventory, err
}

// readTable reads the VM table, whose header row is one of the first rows.
func (b *builder) readTable(t tables, kinds []headerKind) error {
	headers := 0
	var nearest error
	err := t.read(b.table, func(cells []string, number int) error {
		if b.layout != nil {
			return b.add(cells, number)
		}
		if headers++; headers > maxHeaderRow {
			return errStop
		}
		return b.matchHeaders(kinds, cells, &nearest)
	})
	switch {
	case err != nil && !errors.Is(err, errStop):
		return err
	case b.layout != nil && b.numRows == 0:
		return fileError(
			"%sthere are headers but no rows; the file is damaged, or the export is incomplete",
			b.prefix(),
		)
	case b.layout != nil:
		return nil
	case nearest == nil && b.table == "":
		return fileError("the file has no headers")
	case nearest == nil:
		return fileError("%sthe sheet is empty", b.prefix())
	}
	detail := &FileError{Detail: b.prefix() + nearest.Error()}
	if len(b.options.Columns) == 0 {
		detail.Columns = suggestColumns(t, b.options)
	}
	return detail
}

// matchHeaders sets the layout if a row is the header row of one of the kinds. Otherwise it sets nearest to the problem
// of the widest such row so far.
func (b *builder) matchHeaders(kinds []headerKind, cells []string, nearest *error) error {
	for _, kind := range kinds {
		found, err := kind.match(cells, b.sizesElsewhere)
		if err != nil {
			return fileError("%s%v", b.prefix(), err)
		}
		if found.layout != nil {
			b.kind, b.format = kind, kind.format
			return b.setLayout(found.layout, cells)
		}
		if found.problem != nil && (*nearest == nil || len(cells) > b.widest) {
			b.widest, *nearest = len(cells), found.problem
		}
	}
	return nil
}

// prefix returns the beginning of an error of the table.
func (b *builder) prefix() string {
	if b.table == "" {
		return ""
	}
	return "sheet " + quote(b.table) + ": "
}

func quoted(names []string) string {
	const most = 20
	shown := make([]string, 0, most)
	for _, name := range names[:min(len(names), most)] {
		shown = append(shown, quote(name))
	}
	if len(names) > most {
		shown = append(shown, "and more")
	}
	return strings.Join(shown, ", ")
}
