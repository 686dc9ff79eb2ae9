// Package waves writes migration plans as a CSV file with one row per VM.
package waves

import (
	"cmp"
	"encoding/csv"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/migration"
	"terraform-provider-vsla/internal/plan/quantity"
)

// DataSource is the Terraform data source type of migration plans.
const DataSource = "vsla_migration_plan"

// Moves contains the inputs and results of a migration plan.
type Moves = calculator.Answer[migration.PlanInput, migration.PlanResult]

// Plan is a named migration plan.
type Plan struct {
	Name  string
	Moves Moves
}

var columns = []string{
	"window", "window_opens", "wave", "start", "off_from", "end", "virtual_machine", "method", "downtime_seconds",
	"note",
}

// Write writes the plans. If there are several plans, each row contains the name of its plan. VMs are sorted by end
// time, and unplanned VMs come last. If the first day is known, times are dates; otherwise, they are durations since
// the start. Write returns the first write error.
func Write(w io.Writer, plans []Plan) error {
	out := csv.NewWriter(w)
	header := columns
	if len(plans) > 1 {
		header = append([]string{"plan"}, columns...)
	}
	_ = out.Write(header) // out.Error returns the first error
	for _, p := range plans {
		for _, row := range p.rows() {
			if len(plans) > 1 {
				row = append([]string{escapeCell(p.Name)}, row...)
			}
			_ = out.Write(row)
		}
	}
	out.Flush()
	return out.Error()
}

func (p Plan) rows() [][]string {
	windows, r := p.Moves.Input.Windows(), p.Moves.Result
	waveByVM := map[string]int64{}
	for _, wave := range r.Waves {
		for _, name := range wave.VMs {
			waveByVM[name] = wave.Number
		}
	}
	var rows [][]string
	for _, name := range slices.SortedFunc(maps.Keys(r.Moves), func(a, b string) int {
		return cmp.Or(compare(r.Moves[a].EndSeconds, r.Moves[b].EndSeconds),
			compare(r.Moves[a].StartSeconds, r.Moves[b].StartSeconds), cmp.Compare(a, b))
	}) {
		m := r.Moves[name]
		if m.EndSeconds == nil {
			rows = append(rows, []string{"", "", "", "", "", "", escapeCell(name), m.Method, "", unplannedNote(m)})
			continue
		}
		row := []string{
			"", "", strconv.FormatInt(waveByVM[name], 10), formatTime(windows, *m.StartSeconds), "",
			formatTime(windows, *m.EndSeconds), escapeCell(name), m.Method, "", "",
		}
		if m.Window != nil {
			row[0], row[1] = strconv.FormatInt(*m.Window, 10), windows.OpeningText(int(*m.Window))
		}
		switch off := m.DowntimeSeconds; {
		case off != nil:
			row[4] = formatTime(windows, *m.EndSeconds-*off)
			row[8] = plan.Number(plan.Up.Round(*off, 2))
		case m.Method == migration.MethodCold:
			row[9] = "already powered off"
		default:
			row[9] = "downtime unknown: the change rate is unknown"
		}
		rows = append(rows, row)
	}
	return rows
}

func compare(a, b *float64) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	return cmp.Compare(*a, *b)
}

func formatTime(windows migration.Windows, seconds float64) string {
	return cmp.Or(windows.DateText(seconds), quantity.Duration(seconds).String())
}

func unplannedNote(m migration.Move) string {
	if m.NeededWindowHours == nil {
		return "not planned: the copy never completes"
	}
	return "not planned: requires a window of " + plan.Thousands(*m.NeededWindowHours, -1) + " hours"
}

func escapeCell(name string) string {
	if strings.ContainsAny(name[:min(len(name), 1)], "=+-@\t\r") {
		return "'" + name
	}
	return name
}
