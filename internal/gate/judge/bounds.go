package judge

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"terraform-provider-vsla/internal/gate/finding"
	"terraform-provider-vsla/internal/gate/schema"
	"terraform-provider-vsla/internal/gate/settings"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/promise"
)

// part is a result or one of its elements, with what the settings allow.
type part struct {
	subject, address string
	kind, path       string
	// values are those of the element. plan are those of the whole result.
	values, plan map[string]any
	bounds       settings.Bounds
}

// checkBounds compares inputs and results with the settings, and finds inputs that flatter the verdict and have no
// bound.
func (j *judge) checkBounds(p part) {
	fields := schema.Fields(p.kind, p.path)
	j.checkLimits(p, fields)
	if p.path == "links" || p.kind == typeEstimate {
		j.checkBasis(p)
	}
	if p.path == "links" {
		j.checkMeasured(p)
	}
	for _, f := range fields {
		if isSpecial(f.Name) || !f.Input || !j.needsBound(p, f) || p.isBounded(f) {
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
		if all := p.breaches(limit, fields); len(all) > 0 {
			j.add(finding.OutOfBounds, p.subject, p.address, "has %s (%s)", explain(all), limit.Where)
		}
	}
}

// breaches returns what a limit does not allow.
func (p part) breaches(limit settings.Limit, fields []calculator.Field) []difference {
	i := slices.IndexFunc(fields, func(f calculator.Field) bool { return f.Name == limit.Name })
	if i < 0 || isSpecial(limit.Name) {
		return nil // has a rule of its own, or is a problem of the settings
	}
	value := effective(p, fields[i])
	hours, _ := value.([]any)
	switch {
	case allows(limit, value, fields[i]):
		return nil
	case limit.Op == settings.Equal:
		return differences(limit.Name, limit.Value, value)
	case !fields[i].Hours || len(hours) == 0:
		return []difference{{path: limit.Name, is: value, must: must(limit)}}
	}
	var all []difference
	for hour, e := range hours {
		all = append(all, outside(fmt.Sprintf("%s[%d]", limit.Name, hour), limit, e)...)
	}
	return all
}

// special lists what has a rule of its own.
var special = []string{
	"rpo_minutes", "basis", "throughput_basis", "assumed_inputs", "links", "targets", "tiers", "measured",
	settings.Plans,
}

func isSpecial(name string) bool { return slices.Contains(special, name) }

// bestIfAbsent lists the inputs whose absence is the best case, so that stating them improves nothing.
var bestIfAbsent = []string{
	"point_in_time", "deadline_hours", "source_read_mbps", "write_mbps", "checksum_mbps", "hourly_moves_percent",
	"outage_minutes", "max_outage_rpo_minutes",
}

// isBestIfAbsent reports whether stating an input improves nothing. A migration plan without a deadline promises
// nothing.
func (p part) isBestIfAbsent(name string) bool {
	return slices.Contains(bestIfAbsent, name) && (p.kind != typeMigration || name != "deadline_hours")
}

// needsBound reports whether the value of an input could improve a verdict, compared with leaving it out.
func (j *judge) needsBound(p part, f calculator.Field) bool {
	effective := effective(p, f)
	switch {
	case effective == nil || f.Direction == calculator.Neutral || p.isBestIfAbsent(f.Name):
		return false
	case f.KeyOf != "":
		return len(j.usersOf(f.KeyOf)) > 1
	case f.Name == "configured_rpo_minutes":
		return p.holdsBy() == promise.ByShare && p.values["target_compliance_percent"] == nil // which has a bound
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

// holdsBy returns how the promise of a tier or of an estimate holds.
func (p part) holdsBy() any {
	if p.path != "tiers" {
		return p.values["holds_by"]
	}
	promises, _ := p.plan["promises"].(map[string]any)
	result, _ := promises[p.subject].(map[string]any)
	return result["holds_by"]
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
	switch direction(f) {
	case calculator.Lower:
		return has(settings.Min)
	case calculator.Higher:
		return has(settings.Max)
	default: // either
		return has(settings.Min) && has(settings.Max)
	}
}

// direction returns the direction of an input whose values are numbers. A map is bounded by its elements.
func direction(f calculator.Field) calculator.Direction {
	if len(f.Fields) > 0 || f.Kind == calculator.NumberMap {
		return calculator.Either
	}
	return f.Direction
}

func write(f calculator.Field) string {
	switch direction(f) {
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
		if own := p.ofTier(f.Name); own != nil {
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

// ofTier returns the value of an input of a tier that its VMs have of their own, that counts its VMs, or that names the
// only link; nil if there is none.
func (p part) ofTier(name string) any {
	value := p.values[name]
	vms, listed := p.values["virtual_machines"].(map[string]any)
	if listed && name == "vm_count" {
		return float64(len(vms))
	}
	if links, _ := p.plan["links"].(map[string]any); name == "link" && value == nil && len(links) == 1 {
		return slices.Collect(maps.Keys(links))[0]
	}
	own := ownValues(vms, name)
	switch {
	case len(own) == 0:
		return nil
	case value != nil:
		return append(own, value)
	}
	return own
}

func allows(limit settings.Limit, value any, f calculator.Field) bool {
	if value == nil && f.AbsentWorst {
		return true
	}
	if limit.Op == settings.Equal {
		return matches(limit.Value, value)
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
