// The page as text: configuration and a tiers file.

package whatif

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"terraform-provider-vsla/internal/estate/onlink"
)

// The formats that Write knows.
const (
	FormatHCL   = "hcl"
	FormatTiers = "tiers"
)

// Write returns the page with changes as text. Its first line has the fragment, so that nothing is lost.
func (p *Page) Write(format string, changes Changes) (string, error) {
	kept := p.keep(changes)
	switch {
	case format == FormatHCL:
		return p.head(kept) + p.hcl(kept), nil
	case format == FormatTiers && p.model.TiersFile != nil:
		return p.head(kept) + p.tiersFile(kept), nil
	case format == FormatTiers:
		return "", errors.New("a tiers file is made of one: write the page with --inventory and --tiers")
	}
	return "", fmt.Errorf("there is no format %q", format)
}

func (p *Page) head(changes Changes) string {
	text := "# What if, from " + comment(sourceOf(p.model)) + ".\n"
	if fragment := p.Fragment(changes); fragment != "" {
		text += "# The page with these values: #" + fragment + "\n"
	}
	return text + "\n"
}

// comment makes a text one line.
func comment(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// hcl writes a data source for each calculation.
func (p *Page) hcl(changes Changes) string {
	var b strings.Builder
	b.WriteString("terraform {\n  required_providers {\n    vsla = {\n      source = \"vsla/vsla\"\n    }\n  }\n}\n")
	all, _ := p.calculations(changes, false)
	names := map[string]bool{}
	labels := make([]string, len(all))
	for i, c := range all {
		labels[i] = label(c.Calculator.DataSource(), c.title, names)
	}
	for i, c := range all {
		fmt.Fprintf(&b, "\ndata %q %q {\n", c.Calculator.DataSource(), labels[i])
		for _, f := range c.Calculator.Inputs() {
			v := c.Inputs[f.Name]
			if v == nil {
				continue
			}
			text := hclValue(v, "  ")
			if f.Name == keyThroughput {
				for j, other := range all {
					if other.Calculator.Command == onlink.Link && other.results[keyThroughput] == v {
						text = fmt.Sprintf("data.%s.%s.%s", other.Calculator.DataSource(), labels[j], keyThroughput)
					}
				}
			}
			fmt.Fprintf(&b, "  %s = %s\n", f.Name, text)
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// label returns a name for a block that no other block of the data source has.
func label(kind, title string, taken map[string]bool) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	name := strings.Join(words, "_")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = strings.TrimSuffix("result_"+name, "_")
	}
	for n := 2; taken[kind+"."+name]; n++ {
		name = strings.TrimRight(name, "0123456789") + strconv.Itoa(n)
	}
	taken[kind+"."+name] = true
	return name
}

// hclValue writes a plain value in Terraform's language.
func hclValue(v any, indent string) string {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			return "{}"
		}
		var b strings.Builder
		b.WriteString("{\n")
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if v[key] != nil {
				fmt.Fprintf(&b, "%s  %s = %s\n", indent, quotedKey(key), hclValue(v[key], indent+"  "))
			}
		}
		return b.String() + indent + "}"
	case []any:
		parts := make([]string, len(v))
		for i, e := range v {
			parts[i] = hclValue(e, indent)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case string:
		return quoted(v)
	}
	return scalar(v)
}

// plainKey reports whether a key needs no quotes, in configuration and in YAML of any version.
func plainKey(key string) bool {
	return key != "" && strings.Trim(key, "abcdefghijklmnopqrstuvwxyz_") == "" &&
		!slices.Contains([]string{"for", "true", "false", "null", "yes", "no", "on", "off", "y", "n"}, key)
}

// quotedKey quotes a key that is no plain word, for configuration and YAML.
func quotedKey(key string) string {
	if plainKey(key) {
		return key
	}
	return quoted(key)
}

// quoted quotes a text with the escapes that HCL and YAML have in common, so that nothing in it is a template.
func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case (r == '$' || r == '%') && strings.HasPrefix(s[i+1:], "{"):
			fmt.Fprintf(&b, `\u%04x`, r)
		case !unicode.IsPrint(r) && r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		case !unicode.IsPrint(r):
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + `"`
}

// scalar writes a number, true, false or null.
func scalar(v any) string {
	if n, ok := v.(float64); ok {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return jsonOf(v)
}

// tiersFile writes the tiers file with the changes. Its defaults become inputs of each tier.
func (p *Page) tiersFile(changes Changes) string {
	tree, file := object(p.tree(changes)), maps.Clone(p.model.TiersFile)
	delete(file, "defaults")
	for _, key := range []string{keyThroughput, keyEfficiency, keyBasis, keyLink, keySchedule} {
		delete(file, key)
		if tree[key] != nil {
			file[key] = tree[key]
		}
	}
	maps.Copy(file, object(tree[keyRanges]))
	if tree[keyThroughput] != nil {
		delete(file, keyLink)
	}
	if moves := object(tree[keyMigration]); moves != nil {
		all := maps.Clone(object(file[keyMigration]))
		if all == nil {
			all = map[string]any{}
		}
		maps.DeleteFunc(all, func(key string, _ any) bool { return key != keyTiers && key != "with_storage" })
		maps.Copy(all, moves)
		file[keyMigration] = all
	}
	written, notes := p.tiersIn(list(file[keyTiers]), list(tree[keyTiers]))
	file[keyTiers] = written
	var b strings.Builder
	for _, note := range notes {
		b.WriteString("# " + note + "\n")
	}
	b.WriteString(strings.TrimPrefix(yamlValue(file, ""), "\n") + "\n")
	return b.String()
}

// tiersIn returns the tiers of a file with the inputs of the page, and a note for each whose VMs were changed: a tiers
// file takes them from the inventory.
func (p *Page) tiersIn(file, tree []any) (tiers []any, notes []string) {
	for _, element := range file {
		one := object(element)
		name, _ := one["name"].(string)
		tier := map[string]any{}
		i := slices.IndexFunc(tree, func(t any) bool { return object(t)[keyName] == name })
		if i < 0 {
			tier = maps.Clone(one)
			for key, v := range object(p.model.TiersFile["defaults"]) {
				if tier[key] == nil {
					tier[key] = v
				}
			}
		} else {
			maps.Copy(tier, object(object(tree[i])[keyInputs]))
			maps.Copy(tier, object(object(tree[i])[keyRanges]))
			tier["name"], tier["match"] = name, one["match"]
			for _, key := range []string{keyCount, keySize} {
				if was, is := get(p.model.Tiers, path{keyTiers, i, key}), object(tree[i])[key]; was != is {
					notes = append(notes, fmt.Sprintf("%s: the page has %s = %s. VMs come from the inventory, which has %s.",
						comment(name), key, scalar(is), scalar(was)))
				}
			}
		}
		tiers = append(tiers, tier)
	}
	return tiers, notes
}

// yamlValue writes a plain value as YAML: maps and lists of maps in lines, everything else as JSON.
func yamlValue(v any, indent string) string {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			return " {}"
		}
		var b strings.Builder
		for _, key := range slices.SortedFunc(maps.Keys(v), nameFirst) {
			b.WriteString("\n" + indent + quotedKey(key) + ":" + yamlValue(v[key], indent+"  "))
		}
		return b.String()
	case []any:
		if len(v) == 0 || object(v[0]) == nil {
			parts := make([]string, len(v))
			for i, e := range v {
				parts[i] = strings.TrimSpace(yamlValue(e, ""))
			}
			return " [" + strings.Join(parts, ", ") + "]"
		}
		var b strings.Builder
		for _, e := range v {
			text := strings.TrimLeft(yamlValue(e, indent+"  "), "\n ")
			b.WriteString("\n" + indent + "- " + text)
		}
		return b.String()
	case string:
		return " " + quoted(v)
	}
	return " " + scalar(v)
}

// nameFirst sorts keys, a tier's name first and its match second.
func nameFirst(a, b string) int {
	place := func(key string) int { return slices.Index([]string{"match", "name"}, key) }
	if n := place(b) - place(a); n != 0 {
		return n
	}
	return strings.Compare(a, b)
}
