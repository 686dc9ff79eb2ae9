package judge

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/gate/finding"
	"terraform-provider-vsla/internal/gate/schema"
	"terraform-provider-vsla/internal/gate/settings"
	"terraform-provider-vsla/internal/gate/tfplan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/quantity"
)

// part is a result or one of its elements, with what the settings allow.
type part struct {
	subject, address string
	kind, path       string
	values           map[string]any
	bounds           settings.Bounds
}

// checkBounds compares inputs and results with the settings, and finds inputs that flatter the verdict and have no
// bound.
func (j *judge) checkBounds(p part) {
	fields := schema.Fields(p.kind, p.path)
	j.checkLimits(p, fields)
	if p.path == "links" {
		j.checkBasis(p)
		j.checkMeasured(p)
	}
	for _, f := range fields {
		if isSpecial(f.Name) || !f.Input || !needsBound(f, p.values[f.Name], effective(p, f)) || p.isBounded(f) {
			continue
		}
		if p.path == "tiers" && slices.Contains([]string{"virtual_machines", "vm_count", "vm_size_gib"}, f.Name) &&
			(p.values["virtual_machines"] != nil || f.Name == "vm_count" && j.countsVMs(p)) {
			continue // confirmed by checkMembers
		}
		j.add(finding.Unbounded, p.subject, p.address, "has %s = %s, which no line of the settings bounds: write %s",
			f.Name, show(effective(p, f)), write(f))
	}
}

// checkLimits finds values that the settings do not allow.
func (j *judge) checkLimits(p part, fields []calculator.Field) {
	for _, limit := range p.bounds.Limits {
		if value, within := p.within(limit, fields); !within {
			j.add(finding.OutOfBounds, p.subject, p.address, "has %s = %s; the settings allow %s (%s)",
				limit.Name, show(value), must(limit), limit.Where)
		}
	}
}

// within returns the value that a limit is about, and whether the limit allows it.
func (p part) within(limit settings.Limit, fields []calculator.Field) (any, bool) {
	i := slices.IndexFunc(fields, func(f calculator.Field) bool { return f.Name == limit.Name })
	if i < 0 || isSpecial(limit.Name) {
		return nil, true // has a rule of its own, or is a problem of the settings
	}
	value := effective(p, fields[i])
	return value, allows(limit, value, fields[i])
}

// special lists what has a rule of its own.
var special = []string{
	"rpo_minutes", "link", "target", "basis", "throughput_basis", "headroom_percent", "configured_rpo_minutes",
	"min_configured_rpo_minutes", "assumed_inputs", "links", "targets", "tiers", "growth_percent_per_year",
	"horizon_months", "measured", settings.Plans,
}

func isSpecial(name string) bool { return slices.Contains(special, name) }

// absenceFlatters lists the inputs whose absence is the best case, so that stating them flatters nothing.
var absenceFlatters = []string{
	"point_in_time", "deadline_hours", "per_sync_mbps", "source_read_mbps", "write_mbps", "checksum_mbps",
	"max_concurrent_syncs", "hourly_moves_percent", "outage_minutes", "outage_start_hours", "max_outage_rpo_minutes",
}

// needsBound reports whether the value of an input could flatter a verdict, compared with leaving it out.
func needsBound(f calculator.Field, value, effective any) bool {
	if value == nil && effective == nil || f.Direction == calculator.Neutral ||
		slices.Contains(absenceFlatters, f.Name) {
		return false
	}
	if isEmpty(effective) || reflect.DeepEqual(effective, f.Default) {
		return false
	}
	number, isNumber := effective.(float64)
	usual, hasUsual := toNumber(f.Default)
	if !isNumber || !hasUsual {
		return true
	}
	switch f.Direction {
	case calculator.Lower:
		return number < usual
	case calculator.Higher:
		return number > usual
	default: // either
		return number != usual
	}
}

func isEmpty(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return false
}

func toNumber(value any) (float64, bool) {
	switch v := value.(type) {
	case float64:
		return v, true
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	}
	return 0, false
}

// isBounded reports whether the settings bound an input in the direction that flatters.
func (p part) isBounded(f calculator.Field) bool {
	has := func(op settings.Op) bool {
		return slices.ContainsFunc(
			p.bounds.Limits,
			func(l settings.Limit) bool { return l.Name == f.Name && l.Op == op },
		)
	}
	if has(settings.Equal) {
		return true
	}
	switch f.Direction {
	case calculator.Lower:
		return has(settings.Min)
	case calculator.Higher:
		// The bound of the throughput bounds the throughput of each hour.
		return has(settings.Max) || f.Name == "hourly_throughput_mbps" && slices.ContainsFunc(p.bounds.Limits,
			func(l settings.Limit) bool { return l.Name == "throughput_mbps" && l.Op == settings.Max })
	default: // either
		return has(settings.Min) && has(settings.Max)
	}
}

func write(f calculator.Field) string {
	switch f.Direction {
	case calculator.Lower:
		return "min_" + f.Name
	case calculator.Higher:
		return "max_" + f.Name
	default: // either
		return f.Name
	}
}

// effective returns the value that counts: what is stated, else the default. In a tier, it includes the values that VMs
// have of their own.
func effective(p part, f calculator.Field) any {
	value := p.values[f.Name]
	if m := p.measured(); m != nil && f.Name == "throughput_mbps" {
		return m["min_throughput_mbps"]
	}
	if p.path == "tiers" {
		vms, listed := p.values["virtual_machines"].(map[string]any)
		if listed && f.Name == "vm_count" {
			return float64(len(vms))
		}
		own := ownValues(vms, f.Name)
		if len(own) > 0 && value != nil {
			own = append(own, value)
		}
		if len(own) > 0 {
			return own
		}
	}
	if objects, ok := value.(map[string]any); ok && f.Kind == calculator.Objects {
		return inputsOf(objects, f.Fields)
	}
	if value != nil {
		return value
	}
	if number, ok := toNumber(f.Default); ok {
		return number
	}
	return f.Default
}

// inputsOf returns objects without their results, which change with everything else.
func inputsOf(objects map[string]any, fields []calculator.Field) map[string]any {
	all := make(map[string]any, len(objects))
	for name, object := range objects {
		values, ok := object.(map[string]any)
		if !ok {
			all[name] = object
			continue
		}
		inputs := make(map[string]any)
		for key, value := range values {
			i := slices.IndexFunc(fields, func(f calculator.Field) bool { return f.Name == key })
			if value != nil && (i < 0 || fields[i].Input) {
				inputs[key] = value
			}
		}
		all[name] = inputs
	}
	return all
}

// ownValues returns the values of an input of a tier that its VMs have of their own.
func ownValues(vms map[string]any, input string) []any {
	name := cmp.Or(map[string]string{"vm_size_gib": "size_gib"}[input], input)
	var own []any
	for _, vm := range vms {
		if values, ok := vm.(map[string]any); ok && values[name] != nil {
			own = append(own, values[name])
		}
	}
	return own
}

func allows(limit settings.Limit, value any, f calculator.Field) bool {
	if limit.Op == settings.Equal {
		return matches(limit.Value, value)
	}
	if value == nil && f.AbsentWorst {
		return true
	}
	least, ok := limit.Value.(float64)
	if !ok {
		return false
	}
	switch v := value.(type) {
	case float64:
		return v >= least == (limit.Op == settings.Min) || v == least
	case []any:
		return len(v) > 0 && !slices.ContainsFunc(v, func(e any) bool { return !allows(limit, e, f) })
	case map[string]any:
		if f.Kind == calculator.Objects || f.Kind == calculator.NumberMap {
			return allows(limit, float64(len(v)), f)
		}
		for _, e := range v {
			if !allows(limit, e, f) {
				return false
			}
		}
		return len(v) > 0
	}
	return false
}

// matches compares a value with what the settings state. Null and what is left out are the same. A map of the settings
// may contain min_NAME and max_NAME for its elements.
func matches(want, is any) bool {
	wanted, isMap := want.(map[string]any)
	given, _ := is.(map[string]any)
	if !isMap {
		return reflect.DeepEqual(want, is)
	}
	open := true
	for name, w := range wanted {
		bounds, ok := w.(map[string]any)
		open = open && (ok && isLimits(bounds) || isLimit(name, w, given))
	}
	for name, value := range given {
		if _, named := wanted[name]; !named && !open && value != nil {
			return false
		}
	}
	for name, w := range wanted {
		if !matchesElement(name, w, given) {
			return false
		}
	}
	return true
}

// matchesElement compares the element of a map with one line of a map of the settings.
func matchesElement(name string, want any, given map[string]any) bool {
	op, rest, _ := strings.Cut(name, "_")
	if isLimit(name, want, given) {
		return allows(settings.Limit{Op: settings.Op(op), Name: rest, Value: want}, given[rest], calculator.Field{})
	}
	bounds, isMap := want.(map[string]any)
	if !isMap || !isLimits(bounds) {
		return matches(want, given[name])
	}
	for op, limit := range bounds {
		if !allows(settings.Limit{Op: settings.Op(op), Value: limit}, given[name], calculator.Field{}) {
			return false
		}
	}
	return true
}

// isLimit reports whether min_NAME or max_NAME of the settings bounds NAME: it is neither a name of its own nor null.
func isLimit(name string, want any, given map[string]any) bool {
	op, _, cut := strings.Cut(name, "_")
	return cut && (op == "min" || op == "max") && want != nil && given[name] == nil
}

// isLimits reports whether a map of the settings is { min: 1, max: 2 }.
func isLimits(m map[string]any) bool {
	for name := range m {
		if name != string(settings.Min) && name != string(settings.Max) {
			return false
		}
	}
	return len(m) > 0
}

func must(limit settings.Limit) string {
	switch limit.Op {
	case settings.Min:
		return "at least " + show(limit.Value)
	case settings.Max:
		return "at most " + show(limit.Value)
	case settings.Equal:
	}
	return "only " + show(limit.Value)
}

func show(value any) string {
	const most = 80
	switch v := value.(type) {
	case nil:
		return "null"
	case []any:
		return "[" + quantity.ListOf(v, namesListed, show) + "]"
	case map[string]any:
		return "{" + quantity.ListOf(slices.Sorted(maps.Keys(v)), namesListed, func(name string) string {
			if _, isMap := v[name].(map[string]any); isMap {
				return name
			}
			return name + " = " + show(v[name])
		}) + "}"
	}
	text := []rune(fmt.Sprint(value))
	if len(text) > most {
		text = append(text[:most], []rune("...")...)
	}
	return string(text)
}

// measured returns what the appliances measured of a link; nil if its throughput has another source.
func (p part) measured() map[string]any {
	m, _ := p.values["measured"].(map[string]any)
	return m
}

func basisOf(p part) string {
	if p.measured() != nil {
		return "network"
	}
	stated, _ := p.values["throughput_basis"].(string)
	return stated
}

const typeReplicationLink = "vsla_replication_link"

// checkMeasured checks that a data source of the plan reports what is said to be measured.
func (j *judge) checkMeasured(p part) {
	m := p.measured()
	if m == nil || slices.ContainsFunc(j.plan.Results(typeReplicationLink), func(r *tfplan.Resource) bool {
		for name, value := range m {
			if !reflect.DeepEqual(value, r.Values[name]) {
				return false
			}
		}
		return true
	}) {
		return
	}
	j.add(finding.OutOfBounds, p.subject, p.address, "has measured = %s, which no %s of the plan reports: refer to "+
		"it, instead of writing values", show(m), typeReplicationLink)
}

// bases orders what is known about a throughput, from the least to the most.
var bases = []string{"", "nominal", "network", "transfer"}

// checkBasis checks that the plan does not claim better evidence of a throughput than the settings.
func (j *judge) checkBasis(p part) {
	stated := basisOf(p)
	allowed := "nominal"
	for _, limit := range p.bounds.Limits {
		if name, ok := limit.Value.(string); ok && (limit.Name == "basis" || limit.Name == "throughput_basis") {
			allowed = name
		}
	}
	if slices.Index(bases, stated) > slices.Index(bases, allowed) {
		j.add(
			finding.OutOfBounds,
			p.subject,
			p.address,
			"has throughput_basis = %s; the settings allow %s: write basis",
			stated,
			allowed,
		)
	}
}
