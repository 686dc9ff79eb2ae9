package whatif

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/link"
	"terraform-provider-vsla/internal/plan/migration"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/plan/replication"
	"terraform-provider-vsla/internal/wording"
)

// Cell is an input on the page.
type Cell struct {
	ID    string `json:"id"`
	Label string `json:"label"`
	Unit  string `json:"unit,omitempty"`
	Doc   string `json:"doc"`
	// Kind is "number", "choice", "choices", "bool" or "text". It is "shown" for a read-only value.
	Kind    string   `json:"kind"`
	Min     float64  `json:"min"`
	Max     float64  `json:"max"`
	Whole   bool     `json:"whole,omitempty"`
	OneOf   []string `json:"one_of,omitempty"`
	Default any      `json:"default,omitempty"`
	// Source is the cell's value in the source of the page; nil if it is not given.
	Source any `json:"source,omitempty"`

	name    string
	primary bool
	get     func(s *state) any
	set     func(s *state, v any) error
}

// cellGroup is a part of a plan whose fields are cells, such as a tier or a link. edit calls change with a copy of the
// part and stores the copy. ranges returns the ranges of the part's inputs; it is nil if the part has none.
type cellGroup[I any] struct {
	scope    string
	prefix   string
	rows     calculator.Inputs[I]
	defaults I
	edit     func(s *state, change func(*I))
	ranges   func(*I) *map[string]calculator.Ends
}

var unitNames = map[calculator.Unit]string{
	calculator.GiB:     "GiB",
	calculator.Mbps:    "Mbit/s",
	calculator.Months:  "months",
	calculator.Hours:   "h",
	calculator.Minutes: "min",
	calculator.Seconds: "s",
	calculator.Millis:  "ms",
	calculator.Percent: "%",
	calculator.KiB:     "KiB",
	calculator.Bytes:   "bytes",
}

var primaryInputs = []string{
	"vm_count", "vm_size_gib", keyDaily, "peak_factor", "rpo_minutes", "link", "target", "throughput_mbps",
	"throughput_basis", "efficiency_percent", "free_gib", "write_mbps", "growth_percent_per_year", "window_hours",
	"window_weekdays", "max_windows",
}

const (
	keyDaily      = "daily_change_percent"
	keyThroughput = "throughput_mbps"
)

func (p cellGroup[I]) cells(source *state, exclude ...string) []*Cell {
	var all []*Cell
	for _, row := range p.rows {
		kind := kindOf(row.Field)
		if kind == "" || slices.Contains(exclude, row.Name) {
			continue
		}
		c := newCell(p.scope+"/"+p.prefix+row.Name, row.Field, kind)
		c.get = func(s *state) any {
			var v any
			p.edit(&state{s.plan, s.moves}, func(in *I) { v = row.Given(in) })
			return v
		}
		c.set = func(s *state, v any) error {
			var err error
			p.edit(s, func(in *I) {
				was, _ := row.Given(in).(float64)
				if err = row.Put(in, &p.defaults, v); err == nil && p.ranges != nil {
					scaleRange(p.ranges(in), row.Field, was, row.Given(in))
				}
			})
			return err
		}
		if kind != "choices" && kind != "shown" {
			c.Default = row.Given(&p.defaults)
		}
		if c.Source = c.get(source); c.Kind == "shown" {
			if c.Source == nil {
				continue
			}
			c.Source = readOnlyText(c.Source)
		}
		c.primary = slices.Contains(primaryInputs, row.Name) ||
			c.Source != nil && !reflect.DeepEqual(c.Source, c.Default)
		all = append(all, c)
	}
	return all
}

func scaleRange(ranges *map[string]calculator.Ends, f calculator.Field, was float64, is any) {
	ends, ok := (*ranges)[f.Name]
	if !ok {
		return
	}
	*ranges = maps.Clone(*ranges)
	v, given := is.(float64)
	if !given || was <= 0 {
		delete(*ranges, f.Name)
		return
	}
	(*ranges)[f.Name] = calculator.Ends{
		Low:  min(v, max(f.Range.Min, ends.Low*v/was)),
		High: max(v, min(f.Range.Max, ends.High*v/was)),
	}
}

func kindOf(f calculator.Field) string {
	switch f.Kind {
	case calculator.Number:
		return "number"
	case calculator.Bool:
		return "bool"
	case calculator.Text:
		if len(f.OneOf) > 0 || f.KeyOf != "" {
			return "choice"
		}
		return "text"
	case calculator.Texts:
		return "choices"
	case calculator.Numbers, calculator.NumberMap:
		return "shown"
	default:
		return ""
	}
}

func readOnlyText(v any) string {
	var numbers []float64
	if m, ok := v.(map[string]any); ok {
		v = slices.Collect(maps.Values(m))
	}
	list, _ := v.([]any)
	for _, e := range list {
		n, _ := e.(float64)
		numbers = append(numbers, n)
	}
	if len(numbers) == 0 {
		return wording.None
	}
	return strconv.Itoa(len(numbers)) + " values, " + wording.Decimal(slices.Min(numbers)) + " to " +
		wording.Decimal(slices.Max(numbers))
}

func newCell(id string, f calculator.Field, kind string) *Cell {
	name := id[strings.LastIndexByte(id, '/')+1:]
	_, unit := wording.UnitOf(name)
	words := strings.Split(name, ".")
	for i, word := range words {
		words[i] = wording.Label(word)
	}
	c := &Cell{
		ID:    id,
		name:  name,
		Label: strings.Join(words, ": "),
		Unit:  unitNames[unit],
		Doc:   wording.Plain(f.Documentation()),
		Kind:  kind,
		OneOf: f.OneOf,
	}
	if r := f.Range; r != nil {
		c.Min = r.Min
		c.Max = r.Max
		c.Whole = r.Whole
	}
	return c
}

func numberCell(id string, r plan.Range, doc string, get func(*state) float64, put func(*state, float64)) *Cell {
	f := calculator.Field{Name: id, Doc: doc, Kind: calculator.Number, Range: &r, Input: true}
	c := newCell(id, f, "number")
	c.primary, c.get = true, func(s *state) any { return get(s) }
	c.set = func(s *state, v any) error {
		n, ok := v.(float64)
		if !ok {
			return plan.InputErrors{}.With(plan.Attr(c.name), errNumber)
		}
		if err := r.Check(n); err != nil {
			return plan.InputErrors{}.With(plan.Attr(c.name), err)
		}
		put(s, n)
		return nil
	}
	return c
}

func (c *Cell) text(v any) string {
	switch v := v.(type) {
	case nil:
		return "not set"
	case float64:
		name := c.name[strings.LastIndexByte(c.name, '.')+1:]
		return wording.Value(name, v)
	case []any:
		return wording.Listed(v, len(v))
	}
	return wording.Value("", v)
}

var errNumber = errors.New("must be a number")

// keyExcluded is the key of the excluded VMs in Changes. It has no cell.
const keyExcluded = "without"

func sortedNames[V any](elements map[string]V) []string {
	return slices.SortedFunc(maps.Keys(elements), wording.Natural)
}

func newCells(s *state) []*Cell {
	var all []*Cell
	for _, name := range sortedNames(s.plan.Links) {
		all = append(all, linkCells(s, name)...)
	}
	for _, name := range sortedNames(s.plan.Targets) {
		all = append(all, cellGroup[promise.Target]{
			scope:    "target/" + name,
			rows:     promise.TargetInputs(),
			defaults: promise.TargetDefaults(),
			edit: func(s *state, change func(*promise.Target)) {
				t := s.plan.Targets[name]
				change(&t)
				s.plan.Targets[name] = t
			},
		}.cells(s)...)
	}
	for _, name := range sortedNames(s.plan.Tiers) {
		all = append(all, tierCells(s, name)...)
	}
	all = append(all, cellGroup[promise.Plan]{
		scope:    "plan",
		rows:     promise.Definition.Inputs,
		defaults: promise.Defaults(),
		edit:     func(s *state, change func(*promise.Plan)) { change(&s.plan) },
	}.cells(s)...)
	if s.moves != nil {
		all = append(all, moveCells(s)...)
	}
	return all
}

func linkCells(s *state, name string) []*Cell {
	scope := "link/" + name
	edit := func(s *state, change func(*promise.Link)) {
		l := s.plan.Links[name]
		change(&l)
		s.plan.Links[name] = l
	}
	// The cell contains the mean of hourly throughputs, or the throughput computed for a network.
	all := []*Cell{
		numberCell(
			scope+"/throughput_mbps",
			replication.RangeThroughputMbps,
			"Throughput of the link: the daily mean, or the throughput of its path. A change scales the hours and "+
				"the range.",
			func(s *state) float64 { return s.plan.Links[name].MeanMbps() },
			func(s *state, mbps float64) { s.plan = s.plan.WithThroughput(name, mbps) },
		),
	}
	all[0].Source = all[0].get(s)
	exclude := []string{"throughput_mbps", "max_age_days"}
	switch l := s.plan.Links[name]; {
	case l.Network != nil:
		exclude = append(exclude, "efficiency_percent", "throughput_basis")
	case l.Measured != nil:
		exclude = append(exclude, "throughput_basis")
	}
	all = append(all, cellGroup[promise.Link]{
		scope:    scope,
		rows:     promise.LinkInputs(),
		defaults: promise.LinkDefaults(),
		edit:     edit,
		ranges:   func(l *promise.Link) *map[string]calculator.Ends { return &l.Ranges },
	}.cells(s, exclude...)...)
	if s.plan.Links[name].Network == nil {
		return all
	}
	return append(cellGroup[link.Input]{
		scope:    scope,
		prefix:   "network.",
		rows:     link.Definition.Inputs,
		defaults: link.Defaults(),
		edit: func(s *state, change func(*link.Input)) {
			edit(s, func(l *promise.Link) {
				if l.Network != nil {
					path := *l.Network
					change(&path)
					l.Network = &path
				}
			})
		},
	}.cells(s), all...)
}

func tierCells(s *state, name string) []*Cell {
	scope, source := "tier/"+name, s.plan.Tiers[name]
	edit := func(s *state, change func(*promise.Tier)) {
		t := s.plan.Tiers[name]
		change(&t)
		s.plan.Tiers[name] = t
	}
	var exclude []string
	var all []*Cell
	if source.VMCount == nil {
		exclude = []string{"vm_count", "vm_size_gib"}
		all = append(all, vmCells(scope, edit)...)
		if hasOwnChange(source) {
			exclude = append(exclude, keyDaily)
		}
	}
	all = append(all, cellGroup[promise.Tier]{
		scope:    scope,
		rows:     promise.TierInputs(),
		defaults: promise.TierDefaults(),
		edit:     edit,
		ranges:   func(t *promise.Tier) *map[string]calculator.Ends { return &t.Ranges },
	}.cells(s, exclude...)...)
	if hasOwnChange(source) {
		all = append(all, meanChangeCell(scope, edit))
	}
	if source.PointInTime != nil {
		all = append(all, cellGroup[promise.PointInTime]{
			scope:  scope,
			prefix: "point_in_time.",
			rows:   promise.PointInTimeInputs,
			edit: func(s *state, change func(*promise.PointInTime)) {
				edit(s, func(t *promise.Tier) {
					kept := *t.PointInTime
					change(&kept)
					t.PointInTime = &kept
				})
			},
		}.cells(s)...)
	}
	for _, c := range all {
		if c.Source == nil {
			c.Source = c.get(s)
		}
		switch c.name {
		case "link":
			c.OneOf, c.primary = sortedNames(s.plan.Links), len(s.plan.Links) > 1
		case "target":
			c.OneOf, c.primary = sortedNames(s.plan.Targets), len(s.plan.Targets) > 1
		}
	}
	return all
}

func moveCells(s *state) []*Cell {
	edit := func(s *state, change func(*migration.PlanInput)) {
		s.changeMoves(func() { change(&s.moves.Input) })
	}
	// A migration on a link of the plan uses the link's throughput, so it has no cells for a throughput of its own.
	var exclude []string
	switch {
	case s.moves.Link != "":
		exclude = []string{"throughput_mbps", "hourly_throughput_mbps"}
	case s.moves.Input.HourlyThroughputMbps != nil:
		exclude = []string{"throughput_mbps"}
	}
	all := cellGroup[migration.PlanInput]{
		scope:    "moves",
		rows:     migration.PlanDefinition.Inputs,
		defaults: migration.PlanDefaults(),
		edit:     edit,
	}.cells(s, exclude...)
	share := numberCell("moves/share_percent", plan.Range{Max: 100, Above: true, Unit: "percent"},
		"Share of the link that the moves can use.", func(s *state) float64 { return s.moves.SharePercent },
		func(s *state, percent float64) { s.changeMoves(func() { s.moves.SharePercent = percent }) })
	share.Source = share.get(s)
	return append(all, share)
}

// changeMoves changes the migration and the hourly shares that it takes from its link. It keeps larger shares that the
// link has for other migrations.
func (s *state) changeMoves(change func()) {
	was := s.moves.HourlyPercent()
	change()
	l, ok := s.plan.Links[s.moves.Link]
	if !ok || l.HourlyMovesPercent == nil {
		return
	}
	l.HourlyMovesPercent = slices.Clone(l.HourlyMovesPercent)
	for h, percent := range s.moves.HourlyPercent() {
		if at := &l.HourlyMovesPercent[h]; *at == was[h] {
			*at = percent
		} else {
			*at = max(*at, percent)
		}
	}
	s.plan.Links[s.moves.Link] = l
}
