package whatif

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/migration"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/wording"
)

// Formats of Write.
const (
	FormatHCL   = "hcl"
	FormatTiers = "tiers"
)

// Write returns the page's inputs as text, with the changes applied. The first lines contain the fragment from which
// the page can be restored.
func (p *Page) Write(format string, changes Changes) (string, error) {
	kept := p.normalize(changes)
	s, problems := p.apply(kept)
	head := "# What if, based on " + wording.Clean(sourceOf(p.model)) + ".\n"
	if fragment := p.Fragment(kept); fragment != "" {
		head += "# Open the page with these values: #" + fragment + "\n"
	}
	switch {
	case len(problems) > 0:
		return "", errInvalidValue
	case format == FormatHCL:
		return head + "\n" + s.hcl(p.model.Name), nil
	case format == FormatTiers && p.model.TiersFile != "":
		text, err := p.tiersFile(&s, kept)
		return head + text, err
	case format == FormatTiers:
		return "", errors.New("a tiers file requires a page that was written from an inventory file")
	}
	return "", fmt.Errorf("unknown format %q", format)
}

func (s *state) hcl(name string) string {
	var b strings.Builder
	b.WriteString("terraform {\n  required_providers {\n    vsla = {\n      source = \"vsla/vsla\"\n    }\n  }\n}\n")
	writeBlock(&b, "sla_plan", name, promise.Definition.Encode(s.plan), promise.Definition.Calculator().Inputs())
	if s.hasMoves() {
		writeBlock(&b, "migration_plan", "moves", migration.PlanDefinition.Encode(s.moves.InputOn(s.plan)),
			migration.PlanDefinition.Calculator().Inputs())
	}
	return b.String()
}

func writeBlock(b *strings.Builder, kind, name string, arguments map[string]any, fields []calculator.Field) {
	fmt.Fprintf(b, "\ndata %q %q {\n", "vsla_"+kind, name)
	for _, f := range fields {
		if v := arguments[f.Name]; v != nil {
			fmt.Fprintf(b, "  %s = %s\n", f.Name, literal(v))
		}
	}
	b.WriteString("}\n")
}

// literal formats a value as JSON that is also a valid HCL expression.
func literal(v any) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("  ", "  ")
	_ = encoder.Encode(v) //nolint:errchkjson // plain values
	text := strings.TrimSuffix(b.String(), "\n")
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		switch next := text[i+1 : min(i+2, len(text))]; {
		case text[i] == '\\' && next == "b":
			out.WriteString(`\u0008`)
			i++
		case text[i] == '\\' && next == "f":
			out.WriteString(`\u000c`)
			i++
		case text[i] == '\\':
			out.WriteString(text[i : i+2])
			i++
		case (text[i] == '$' || text[i] == '%') && next == "{":
			fmt.Fprintf(&out, `\u%04x`, text[i])
		default:
			out.WriteByte(text[i])
		}
	}
	return out.String()
}

// tiersFile returns the tiers file with the changes applied. Changes to VMs are added as comments, because VMs are read
// from the inventory.
func (p *Page) tiersFile(s *state, changes Changes) (string, error) {
	var file yaml.Node
	if err := yaml.Unmarshal([]byte(p.model.TiersFile), &file); err != nil {
		return "", err
	}
	w := tiersWriter{root: file.Content[0], state: s}
	for _, id := range slices.Sorted(maps.Keys(changes)) {
		if id == keyExcluded {
			w.exclude(excludedVMs(changes))
		} else if !w.set(p.byID[id], changes[id]) {
			w.notes = append(
				w.notes,
				fmt.Sprintf("%s: %s on the page. Not set here, because VMs are read from the inventory.",
					p.nameOf(p.byID[id]), p.byID[id].text(changes[id])),
			)
		}
	}
	var b bytes.Buffer
	for _, note := range w.notes {
		b.WriteString("# " + wording.Clean(note) + "\n")
	}
	b.WriteByte('\n')
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	err := encoder.Encode(&file)
	return b.String(), err
}

type tiersWriter struct {
	root  *yaml.Node
	state *state
	notes []string
}

// set writes a changed cell to the file. It returns false if the file has no place for it.
func (w *tiersWriter) set(c *Cell, v any) bool {
	scope := strings.TrimSuffix(c.ID, "/"+c.name)
	kind, name, _ := strings.Cut(scope, "/")
	schedule := valueOf(w.root, "schedule")
	switch kind {
	case "link":
		w.link(name, c.name, v)
	case "target":
		setValue(ensureChild(ensureChild(w.root, "targets"), name), c.name, v, nil)
	case "moves":
		setValue(ensureChild(w.root, "migration"), c.name, v, nil)
	case "plan":
		if at := schedule; at != nil && valueOf(at, c.name) != nil && valueOf(w.root, c.name) == nil {
			setValue(at, c.name, v, nil)
		} else {
			setValue(w.root, c.name, v, nil)
		}
	case "tier":
		return w.tier(name, c, v)
	}
	return true
}

func (w *tiersWriter) link(name, input string, v any) {
	l := w.state.plan.Links[name]
	if links := valueOf(w.root, "links"); links != nil {
		at := ensureChild(links, name)
		switch path, ok := strings.CutPrefix(input, "network."); {
		case ok:
			setValue(ensureChild(at, "network"), path, v, nil)
		case input == "throughput_mbps" && l.HourlyThroughputMbps != nil:
			setValue(at, "hourly_throughput_mbps", l.HourlyThroughputMbps, nil)
		default:
			if input == "throughput_mbps" {
				removeKey(at, "network")
			}
			setValue(at, input, v, rangeOf(l.Ranges, input))
		}
		return
	}
	switch path, ok := strings.CutPrefix(input, "network."); {
	case ok:
		setValue(ensureChild(w.root, "link"), path, v, nil)
	case input == "throughput_mbps" && l.HourlyThroughputMbps != nil:
		setValue(ensureChild(w.root, "schedule"), "hourly_throughput_mbps", l.HourlyThroughputMbps, nil)
	case input == "throughput_mbps":
		removeKey(w.root, "link")
		setValue(w.root, input, v, rangeOf(l.Ranges, input))
	case input == "efficiency_percent" || input == "throughput_basis":
		setValue(w.root, input, v, rangeOf(l.Ranges, input))
	default:
		setValue(ensureChild(w.root, "schedule"), input, v, nil)
	}
}

func (w *tiersWriter) tier(name string, c *Cell, v any) bool {
	t := w.state.plan.Tiers[name]
	if c.name == "vm_count" || c.name == "vm_size_gib" || c.name == keyDaily && hasOwnChange(t) {
		return false
	}
	for _, one := range ensureChild(w.root, "tiers").Content {
		if n := valueOf(one, "name"); n == nil || n.Value != name {
			continue
		}
		if strings.HasPrefix(c.name, "point_in_time.") {
			setValue(one, "point_in_time", promise.PointInTimeInputs.Encode(t.PointInTime, &promise.PointInTime{}), nil)
		} else {
			setValue(one, c.name, v, rangeOf(t.Ranges, c.name))
		}
	}
	return true
}

func (w *tiersWriter) exclude(vms []string) {
	quoted := make([]string, len(vms))
	for i, vm := range vms {
		quoted[i] = regexp.QuoteMeta(vm)
	}
	list := ensureChild(w.root, "exclude")
	list.Kind = yaml.SequenceNode
	list.Tag = "!!seq"
	list.Value = ""
	var entry yaml.Node
	_ = entry.Encode(map[string]string{"name": "^(" + strings.Join(quoted, "|") + ")$"}) // never fails
	list.Content = append(list.Content, &entry)
}

func rangeOf(ranges map[string]calculator.Ends, input string) *promise.Ends {
	if ends, ok := ranges[input]; ok {
		return &ends
	}
	return nil
}

func valueOf(mapping *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return mapping.Content[i+1]
		}
	}
	return nil
}

func ensureChild(mapping *yaml.Node, key string) *yaml.Node {
	if node := valueOf(mapping, key); node != nil {
		if node.Kind == yaml.ScalarNode {
			*node = yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		}
		return node
	}
	var name yaml.Node
	name.SetString(key)
	node := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	mapping.Content = append(mapping.Content, &name, node)
	return node
}

func removeKey(mapping *yaml.Node, key string) {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			mapping.Content = slices.Delete(mapping.Content, i, i+2)
			return
		}
	}
}

func setValue(mapping *yaml.Node, key string, v any, ends *promise.Ends) {
	if all := valueOf(mapping, "ranges"); all != nil && valueOf(all, key) != nil {
		if removeKey(all, key); ends != nil {
			setValue(all, key, map[string]float64{"low": ends.Low, "high": ends.High}, nil)
		}
	} else if likely, ok := v.(float64); ok && ends != nil {
		v = map[string]float64{"low": ends.Low, "likely": likely, "high": ends.High}
	}
	node := ensureChild(mapping, key)
	comment := node.LineComment
	_ = node.Encode(v) // never fails
	node.LineComment = comment
}
