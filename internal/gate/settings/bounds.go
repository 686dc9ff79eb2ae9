package settings

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"terraform-provider-vsla/internal/gate/schema"
	"terraform-provider-vsla/internal/plan/quantity"
)

// MostRPOMinutes is the longest RPO that can be promised.
const MostRPOMinutes = 1440

// Op is how a limit compares.
type Op string

// Operators of limits.
const (
	Min   Op = "min"
	Max   Op = "max"
	Equal Op = "equal"
)

// Limit is an allowed value.
type Limit struct {
	// Op is Min, Max or Equal.
	Op    Op
	Name  string
	Value any
	Where string
}

// Bounds are the allowed values of the inputs and results with a name.
type Bounds struct {
	Where  string
	Limits []Limit
}

// readPromise decodes the line of a tier.
func (s *Settings) readPromise(tier string, node *yaml.Node) Promise {
	p := Promise{Bounds: Bounds{Where: s.where(node.Line)}, lines: map[string]string{}}
	before := len(s.Problems)
	s.each(node, "promises."+tier, func(name string, value *yaml.Node) bool {
		p.lines[strings.TrimPrefix(name, "max_")] = s.where(value.Line)
		return s.readOfPromise(&p, tier, name, value)
	}, func(name string, value *yaml.Node) {
		p.Limits = append(p.Limits, s.readLimit("promises."+tier, name, value, schema.Tier())...)
	})
	if p.RPO == 0 && tier != AllOthers && len(s.Problems) == before {
		s.problem(node.Line, "promises.%s needs rpo_minutes", tier)
	}
	return p
}

// readOfPromise decodes what the line of a tier contains besides bounds. It returns false if the name is that of a
// bound.
func (s *Settings) readOfPromise(p *Promise, tier, name string, value *yaml.Node) bool {
	var err error
	kind := "a text"
	switch name {
	case "tag":
		if err = value.Decode(&p.Tag); err == nil && strings.Count(p.Tag, "/") != 1 {
			s.problem(value.Line, "promises.%s.tag must be category/name, such as sla/gold", tier)
		}
	case "rpo_minutes", "max_rpo_minutes":
		kind = "a number"
		if err = value.Decode(&p.RPO); err == nil && (p.RPO <= 0 || p.RPO > MostRPOMinutes) {
			s.problem(value.Line, "promises.%s.%s must be more than 0 and at most 1,440", tier, name)
		}
	case "selects":
		kind = "a map"
		if err = value.Decode(&p.Selects); err == nil {
			s.checkFilters(tier, value, p.Selects)
		}
	case "holds_by":
		if err = value.Decode(&p.HoldsBy); err == nil && p.HoldsBy != "bound" {
			s.problem(value.Line, "promises.%s.holds_by must be bound", tier)
		}
	default:
		return false
	}
	if err != nil {
		s.problem(value.Line, "promises.%s.%s must be %s", tier, name, kind)
	}
	return true
}

func (s *Settings) checkFilters(tier string, node *yaml.Node, filters map[string]any) {
	known := schema.Filters
	if _, ok := filters["sha256"]; ok {
		known = schema.FileFilters
	}
	for name := range filters {
		if !slices.Contains(known, name) {
			s.problem(node.Line, "promises.%s.selects has no filter %s, only %s", tier, name,
				quantity.Nearest(known, name))
		}
	}
}

// each calls special for each line of a map, and then other for the lines that special does not handle.
func (s *Settings) each(
	node *yaml.Node, path string, special func(string, *yaml.Node) bool, other func(string, *yaml.Node),
) {
	if node.Kind != yaml.MappingNode {
		s.problem(node.Line, "%s must be a map", path)
		return
	}
	seen := make(map[string]bool)
	for i := 0; i+1 < len(node.Content); i += 2 {
		name, value := node.Content[i].Value, node.Content[i+1]
		if seen[name] {
			s.problem(node.Content[i].Line, "%s.%s is set twice", path, name)
		}
		seen[name] = true
		if !special(name, value) {
			other(name, value)
		}
	}
}

func (s *Settings) readAll(section string, nodes map[string]yaml.Node) map[string]Bounds {
	all := make(map[string]Bounds, len(nodes))
	for name, node := range nodes {
		fields, known := schema.Of(section, name)
		if !known {
			s.problem(
				node.Line,
				"results.%s is not a data source with a result%s",
				name,
				nearest(name, schema.Results()),
			)
			continue
		}
		b := Bounds{Where: s.where(node.Line)}
		s.each(&node, section+"."+name, func(key string, value *yaml.Node) bool {
			return section != "results" && s.readPlans(&b, section+"."+name, key, value)
		},
			func(key string, value *yaml.Node) {
				b.Limits = append(b.Limits, s.readLimit(section+"."+name, key, value, fields)...)
			})
		all[name] = b
	}
	return all
}

// Of returns the bounds of a link or a target, with those of "*" for what it does not state.
func Of(all map[string]Bounds, name string) (Bounds, bool) {
	own, named := all[name]
	others, general := all[AllOthers]
	if !named {
		return others, general
	}
	return own.with(others), true
}

// readPlans decodes how many plans may use a link or a target. It returns false if the key is another one.
func (s *Settings) readPlans(b *Bounds, path, key string, value *yaml.Node) bool {
	if key != Plans {
		return false
	}
	var most int
	if err := value.Decode(&most); err != nil || value.ShortTag() != "!!int" || most < 1 {
		s.problem(value.Line, "%s.%s must be a whole number of 1 or more", path, Plans)
		return true
	}
	b.Limits = append(b.Limits, Limit{Op: Max, Name: Plans, Value: float64(most), Where: s.where(value.Line)})
	return true
}

// readLimit decodes min_NAME, max_NAME or NAME. NAME with a map stands for the limits of the map's elements.
func (s *Settings) readLimit(path, key string, value *yaml.Node, fields []string) []Limit {
	op, name := Equal, key
	if !slices.Contains(fields, key) {
		for _, with := range []Op{Min, Max} {
			if rest, ok := strings.CutPrefix(key, string(with)+"_"); ok {
				op, name = with, rest
			}
		}
	}
	limit := Limit{Op: op, Name: name, Where: s.where(value.Line)}
	if !slices.Contains(fields, name) {
		s.problem(value.Line, "%s has no %s%s", path, key, nearest(key, keysOf(path, fields)))
		return nil
	}
	if isBasis := name == "basis" || name == "throughput_basis"; isBasis &&
		(op != Equal || !slices.Contains(schema.Bases(), value.Value)) {
		s.problem(value.Line, "%s.%s must be one of %s", path, name, strings.Join(schema.Bases(), ", "))
		return nil
	}
	if err := value.Decode(&limit.Value); err != nil {
		s.problem(value.Line, "%s.%s: %s", path, key, err)
		return nil
	}
	limit.Value = plain(limit.Value)
	if op == Equal {
		return []Limit{limit}
	}
	if _, isNumber := limit.Value.(float64); !isNumber {
		s.problem(value.Line, "%s.%s must be a number", path, key)
		return nil
	}
	return []Limit{limit}
}

// with returns the bounds with those of other for names that have none.
func (b Bounds) with(other Bounds) Bounds {
	all := slices.Clone(b.Limits)
	for _, limit := range other.Limits {
		if !slices.ContainsFunc(b.Limits, func(own Limit) bool { return own.Name == limit.Name }) {
			all = append(all, limit)
		}
	}
	return Bounds{b.Where, all}
}

// keysOf returns the keys that a line with bounds of the fields can have.
func keysOf(path string, fields []string) []string {
	keys := slices.Clone(fields)
	for _, field := range fields {
		keys = append(keys, string(Min)+"_"+field, string(Max)+"_"+field)
	}
	if strings.HasPrefix(path, "promises.") {
		keys = append(keys, "tag", "selects", "holds_by")
	}
	if strings.HasPrefix(path, "links.") || strings.HasPrefix(path, "targets.") {
		keys = append(keys, Plans)
	}
	return keys
}

// plain converts numbers to float64, as JSON has them.
func plain(value any) any {
	switch v := value.(type) {
	case int:
		return float64(v)
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = plain(e)
		}
		return list
	case map[string]any:
		all := make(map[string]any, len(v))
		for name, e := range v {
			all[name] = plain(e)
		}
		return all
	}
	return value
}

func nearest(name string, known []string) string {
	if near := schema.Nearest(name, known); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// Fixes reports whether the bounds fix the value of a name.
func (b Bounds) Fixes(name string) bool {
	return slices.ContainsFunc(b.Limits, func(l Limit) bool { return l.Name == name && l.Op == Equal })
}
