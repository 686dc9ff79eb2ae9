package tfplan

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Configuration is the configuration in the JSON of a plan. It contains references, but not what expressions do with
// them.
type Configuration struct {
	Providers map[string]ProviderBlock `json:"provider_config"`
	Root      *ConfigModule            `json:"root_module"`
}

// ProviderBlock configures a provider.
type ProviderBlock struct {
	FullName    string         `json:"full_name"`
	Expressions map[string]any `json:"expressions"`
}

// ConfigModule is a module of the configuration.
type ConfigModule struct {
	Resources []*ConfigBlock          `json:"resources"`
	Outputs   map[string]ConfigOutput `json:"outputs"`
	Calls     map[string]*ModuleCall  `json:"module_calls"`
	// Variables contains the settings of each variable. A default of null is a default.
	Variables map[string]map[string]any `json:"variables"`
}

// ConfigOutput is an output of a module.
type ConfigOutput struct {
	Expression any `json:"expression"`
}

// ModuleCall calls a module.
type ModuleCall struct {
	Module      *ConfigModule  `json:"module"`
	Expressions map[string]any `json:"expressions"`
}

// ConfigBlock is a resource or a data source in the configuration.
type ConfigBlock struct {
	Address      string         `json:"address"`
	Mode         string         `json:"mode"`
	Type         string         `json:"type"`
	Provider     string         `json:"provider_config_key"`
	Expressions  map[string]any `json:"expressions"`
	ForEach      any            `json:"for_each_expression"`
	Provisioners []any          `json:"provisioners"`
}

// Placed is a block with the path of its module, such as "module.a.".
type Placed struct {
	*ConfigBlock

	Module string
}

// Full returns the address of a block in the whole configuration.
func (b Placed) Full() string { return b.Module + b.Address }

// Blocks returns all blocks of the configuration.
func (p *Plan) Blocks() []Placed {
	var found []Placed
	if p.Configuration != nil {
		p.Configuration.Root.collect("", &found)
	}
	return found
}

func (m *ConfigModule) collect(path string, found *[]Placed) {
	if m == nil {
		return
	}
	for _, block := range m.Resources {
		if block != nil {
			*found = append(*found, Placed{block, path})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m.Calls)) {
		if call := m.Calls[name]; call != nil {
			call.Module.collect(path+"module."+name+".", found)
		}
	}
}

// References returns the references in an expression or in a block of them.
func References(expression any) []string {
	var found []string
	switch e := expression.(type) {
	case []any:
		for _, inner := range e {
			found = append(found, References(inner)...)
		}
	case map[string]any:
		if list, ok := e["references"].([]any); ok {
			for _, reference := range list {
				if text, isText := reference.(string); isText {
					found = append(found, text)
				}
			}
		}
		for _, name := range slices.Sorted(maps.Keys(e)) {
			if name != "references" && name != "constant_value" {
				found = append(found, References(e[name])...)
			}
		}
	}
	return found
}

// module returns the module at a path such as "module.a.module.b.", and the call of it.
func (p *Plan) module(path string) (*ConfigModule, *ModuleCall) {
	if p.Configuration == nil {
		return nil, nil
	}
	module, call := p.Configuration.Root, (*ModuleCall)(nil)
	steps := strings.Split(strings.TrimSuffix(path, "."), ".")
	for i := 1; i < len(steps) && module != nil; i += 2 {
		call = module.Calls[steps[i]]
		if call == nil {
			return nil, nil
		}
		module = call.Module
	}
	return module, call
}

// IsTyped reports whether an expression of a block refers to nothing but variables whose values are typed as well: no
// data source, resource or local value.
func (p *Plan) IsTyped(b Placed, expression any) bool {
	return !slices.ContainsFunc(References(expression), func(reference string) bool {
		kind, rest, _ := strings.Cut(reference, ".")
		switch {
		case reference == "each.key", kind == "count", kind == "path":
			return false
		case kind == "each":
			return b.ForEach == nil || !p.IsTyped(Placed{&ConfigBlock{}, b.Module}, b.ForEach)
		case kind != "var":
			return true
		}
		_, call := p.module(b.Module)
		return call != nil && !p.IsTyped(Placed{&ConfigBlock{}, outer(b.Module)}, call.Expressions[variableName(rest)])
	})
}

// variableName returns the name at the start of a reference: ids for ids["gold"].x.
func variableName(reference string) string {
	name, _, _ := strings.Cut(strings.ReplaceAll(reference, "[", "."), ".")
	return name
}

// Source is a resource that an expression refers to: a block, and the key of the instance.
type Source struct {
	Block string
	Key   any
}

var (
	resourceReference = regexp.MustCompile(`^((?:data\.)?[a-z0-9_]+\.[^.\[]+)((?:\.ids)?(?:\["((?:[^"\\]|\\.)*)"\])?)`)
	moduleReference   = regexp.MustCompile(`^module\.([^.\[]+)(?:\["(?:[^"\\]|\\.)*"\])?` +
		`\.([^.\[]+)(?:\["((?:[^"\\]|\\.)*)"\])?`)
)

// Trace follows the references in an argument of an instance to the resource that it takes its value from, through
// variables, outputs and for_each. It returns false if there is not exactly one such resource.
func (p *Plan) Trace(address string, index any, argument string) (Source, bool) {
	path := Block(ModuleOf(address))
	module, _ := p.module(path)
	if module == nil {
		return Source{}, false
	}
	local := strings.TrimPrefix(Block(address), path)
	at := slices.IndexFunc(module.Resources, func(b *ConfigBlock) bool { return b != nil && b.Address == local })
	if at < 0 {
		return Source{}, false
	}
	t := &trace{plan: p, found: map[Source]bool{}}
	t.follow(scope{path, index, module.Resources[at].ForEach}, module.Resources[at].Expressions[argument], maxSteps)
	if t.stranger || len(t.found) != 1 {
		return Source{}, false
	}
	for source := range t.found {
		return source, true
	}
	return Source{}, false
}

const maxSteps = 20

type trace struct {
	plan     *Plan
	found    map[Source]bool
	stranger bool
}

// scope is where an expression stands: its module, the key of the instance, and for_each of the block.
type scope struct {
	module  string
	key     any
	forEach any
}

func (t *trace) follow(in scope, expression any, steps int) {
	references := References(expression)
	if steps == 0 || len(references) == 0 {
		t.stranger = true
		return
	}
	usesKey := slices.Contains(references, "each.key")
	for _, reference := range withoutPrefixes(references) {
		t.one(in, reference, usesKey, steps)
	}
}

// withoutPrefixes removes the references that another one continues: Terraform lists both vsla_tag.x.id and vsla_tag.x.
func withoutPrefixes(references []string) []string {
	return slices.DeleteFunc(slices.Clone(references), func(r string) bool {
		return slices.ContainsFunc(references, func(other string) bool {
			return strings.HasPrefix(other, r+".") || strings.HasPrefix(other, r+"[")
		})
	})
}

func (t *trace) one(in scope, reference string, usesKey bool, steps int) {
	name, isVariable := strings.CutPrefix(reference, "var.")
	switch {
	case reference == "each.key", strings.HasPrefix(reference, "path."):
	case strings.HasPrefix(reference, "each.value"):
		t.follow(scope{in.module, in.key, nil}, in.forEach, steps-1)
	case isVariable:
		_, call := t.plan.module(in.module)
		if call == nil {
			t.stranger = true
			return
		}
		t.follow(scope{outer(in.module), in.key, nil}, call.Expressions[variableName(name)], steps-1)
	case strings.HasPrefix(reference, "module."):
		t.output(in, reference, steps)
	case strings.HasPrefix(reference, "local."), strings.HasPrefix(reference, "count."):
		t.stranger = true
	default:
		found := resourceReference.FindStringSubmatch(reference)
		if found == nil {
			t.stranger = true
			return
		}
		source := Source{Block: in.module + found[1]}
		switch {
		case found[3] != "":
			source.Key = found[3]
		case usesKey || in.forEach == nil && in.key != nil:
			source.Key = in.key
		}
		t.found[source] = true
	}
}

func (t *trace) output(in scope, reference string, steps int) {
	found := moduleReference.FindStringSubmatch(reference)
	if found == nil {
		t.stranger = true
		return
	}
	path := in.module + "module." + found[1] + "."
	module, _ := t.plan.module(path)
	if module == nil {
		t.stranger = true
		return
	}
	if found[3] != "" {
		in.key = found[3]
	}
	t.follow(scope{path, in.key, nil}, module.Outputs[found[2]].Expression, steps-1)
}

func outer(path string) string {
	steps := strings.Split(strings.TrimSuffix(path, "."), ".")
	if len(steps) <= 2 {
		return ""
	}
	return strings.Join(steps[:len(steps)-2], ".") + "."
}

// Created returns the change of the resource that an argument takes its value from, or nil if it cannot be told. Of
// the instances in several module instances, it is the one in the same module instance.
func (p *Plan) Created(address string, index any, argument string) *Change {
	source, ok := p.Trace(address, index, argument)
	if !ok {
		return nil
	}
	var found []*Change
	for _, c := range p.Changes {
		if Block(c.Address) == source.Block && c.Deposed == "" && (c.Index == nil || c.Index == source.Key) {
			found = append(found, c)
		}
	}
	if len(found) > 1 {
		home := ModuleOf(address)
		found = slices.DeleteFunc(found, func(c *Change) bool { return ModuleOf(c.Address) != home })
	}
	if len(found) != 1 {
		return nil
	}
	return found[0]
}
