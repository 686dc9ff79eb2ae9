package whatif

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/migration"
	"terraform-provider-vsla/internal/plan/promise"
)

// The formats that Write knows.
const (
	FormatHCL   = "hcl"
	FormatTiers = "tiers"
)

// Write returns the page with changes as text. Its first lines have the fragment, so that nothing is lost.
func (p *Page) Write(format string, changes Changes) (string, error) {
	kept := p.keep(changes)
	s, wrong := p.apply(kept)
	head := "# What if, from " + comment(sourceOf(p.model)) + ".\n"
	if fragment := p.Fragment(kept); fragment != "" {
		head += "# The page with these values: #" + fragment + "\n"
	}
	switch {
	case len(wrong) > 0:
		return "", errWrong
	case format == FormatHCL:
		return head + "\n" + s.hcl(p.model.Name), nil
	case format == FormatTiers && p.model.TiersFile != "":
		text, err := p.tiersFile(&s, kept)
		return head + text, err
	case format == FormatTiers:
		return "", errors.New("a tiers file is made of one: write the page with --inventory and --tiers")
	}
	return "", fmt.Errorf("there is no format %q", format)
}

func comment(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// hcl writes a data source for the plan, and one for its moves.
func (s *state) hcl(name string) string {
	var b strings.Builder
	b.WriteString("terraform {\n  required_providers {\n    vsla = {\n      source = \"vsla/vsla\"\n    }\n  }\n}\n")
	plan := promise.Defaults()
	block(&b, "sla_plan", name, promise.Definition.Inputs.Encode(&s.plan, &plan),
		promise.Definition.Calculator().Inputs())
	if s.moves != nil && len(s.moves.Input.VMs) > 0 {
		in, defaults := s.moves.On(s.plan), migration.PlanDefaults()
		block(&b, "migration_plan", "moves", migration.PlanDefinition.Inputs.Encode(&in, &defaults),
			migration.PlanDefinition.Calculator().Inputs())
	}
	return b.String()
}

func block(b *strings.Builder, kind, name string, arguments map[string]any, fields []calculator.Field) {
	fmt.Fprintf(b, "\ndata %q %q {\n", "vsla_"+kind, name)
	for _, f := range fields {
		if v := arguments[f.Name]; v != nil {
			fmt.Fprintf(b, "  %s = %s\n", f.Name, literal(v))
		}
	}
	b.WriteString("}\n")
}

// literal writes a plain value in Terraform's language, of which JSON is a part but for templates and two escapes.
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
