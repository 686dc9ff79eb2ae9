package adopt

import (
	"bytes"
	"embed"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"terraform-provider-vsla/internal/wording"
)

// configuration contains the files that are the same for every vCenter. Names from vCenter are written only as JSON or
// hclwrite tokens, which escape them.
//
//go:embed configuration
var configuration embed.FS

// File is a file of the generated configuration.
type File struct {
	Name    string
	Content []byte
}

// Files returns all files, sorted by name. The output is deterministic.
func (c *Configuration) Files() ([]File, error) {
	imports := len(c.associations) + len(c.imports)
	objects := c.associationCount + c.replicationCount
	if imports != objects {
		return nil, fmt.Errorf("%d associations and replications have only %d different keys; nothing was written",
			objects, imports)
	}
	var files []File
	add := func(name string, content []byte) { files = append(files, File{name, content}) }
	entries, err := configuration.ReadDir("configuration")
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		content, err := configuration.ReadFile(path.Join("configuration", entry.Name()))
		if err != nil {
			return nil, err
		}
		add(entry.Name(), content)
	}
	tiers, err := c.tiersFile()
	if err != nil {
		return nil, err
	}
	add("tiers.tf", tiers)
	add("categories.json", encodeObject(c.categoryEntries()))
	add("virtual_machines.json", encodeObject(c.vms))
	add("other_objects.json", encodeList(c.others))
	add("imports.json", encodeObject(map[string]map[string]string{
		"categories":   c.categoryIDs(),
		"associations": c.associations,
		"replications": c.imports,
	}))
	add("ADOPTED.md", c.adoptedFile())
	slices.SortFunc(files, func(a, b File) int { return bytes.Compare([]byte(a.Name), []byte(b.Name)) })
	return files, nil
}

// tiersFile returns tiers.tf, which contains the tiers and the common settings. Users are expected to edit it.
func (c *Configuration) tiersFile() ([]byte, error) {
	file := hclwrite.NewEmptyFile()
	body := file.Body().AppendNewBlock("locals", nil).Body()
	for i, attribute := range []struct {
		comment, name string
		value         any
	}{
		{"Tag category for tiers.", "tier_category", c.TierCategory},
		{"Tiers. rpo_minutes applies to replications without an RPO in virtual_machines.json.", "tiers", nil},
		{
			"Former names of renamed tags, by category and new name: { sla = { platinum = \"gold\" } }.",
			"renamed_from",
			map[string]any{},
		},
		{
			"ASSUMED: share of a VM that changes per day, and its peak. The data source vsla_change_rates measures " +
				"both. Remove a name from assumed_inputs when its value is known.",
			"assumed_change",
			map[string]any{
				"daily_change_percent": 5,
				"peak_factor":          3,
				"assumed_inputs":       []string{"daily_change_percent", "peak_factor"},
			},
		},
		{"Instance UUID of the vCenter of the VMs.", "vcenter_id", c.vcenter},
		{
			"Default settings of replications. Entries in virtual_machines.json override them.",
			"replication_defaults", c.defaults,
		},
	} {
		if i > 0 {
			body.AppendNewline()
		}
		body.AppendUnstructuredTokens(commentTokens(attribute.comment))
		if attribute.name == "tiers" {
			body.SetAttributeRaw(attribute.name, c.tierTokens())
			continue
		}
		var value ctyjson.SimpleJSONValue
		if err := value.UnmarshalJSON([]byte(wording.EncodeJSON(attribute.value))); err != nil {
			return nil, fmt.Errorf("write %s: %w", attribute.name, err)
		}
		if value.IsNull() {
			value.Value = cty.EmptyObjectVal
		}
		body.SetAttributeValue(attribute.name, value.Value)
	}
	return hclwrite.Format(file.Bytes()), nil
}

func commentTokens(text string) hclwrite.Tokens {
	return hclwrite.Tokens{{Type: hclsyntax.TokenComment, Bytes: []byte("# " + text + "\n")}}
}

// tierTokens returns the tiers as an HCL object. A tier without replications has a comment instead of an RPO.
func (c *Configuration) tierTokens() hclwrite.Tokens {
	tiers := make([]hclwrite.ObjectAttrTokens, 0, len(c.Tiers))
	for _, t := range c.Tiers {
		values := map[string]cty.Value{"description": cty.StringVal(t.Description)}
		if t.RPOMinutes > 0 {
			values[rpoMinutes] = cty.NumberIntVal(t.RPOMinutes)
		}
		value := hclwrite.TokensForValue(cty.ObjectVal(values))
		if t.RPOMinutes == 0 {
			value = slices.Insert(value, len(value)-1,
				commentTokens("rpo_minutes = 60 # Set this before you replicate VMs of this tier.")...)
		}
		name := hclwrite.TokensForValue(cty.StringVal(t.Name))
		if hclsyntax.ValidIdentifier(t.Name) {
			name = hclwrite.TokensForIdentifier(t.Name)
		}
		tiers = append(tiers, hclwrite.ObjectAttrTokens{Name: name, Value: value})
	}
	return hclwrite.TokensForObject(tiers)
}

// category is an entry in categories.json. The tags of the tier category are in tiers.tf instead.
type category struct {
	Description     string            `json:"description"`
	Cardinality     string            `json:"cardinality"`
	AssociableTypes []string          `json:"associable_types"`
	Tags            map[string]string `json:"tags,omitzero"`
}

func (c *Configuration) categoryEntries() map[string]category {
	entries := make(map[string]category, len(c.categories))
	for _, one := range c.categories {
		entry := category{
			Description:     one.Description,
			Cardinality:     one.Cardinality,
			AssociableTypes: slices.Sorted(slices.Values(one.AssociableTypes)),
		}
		if one.Name != c.TierCategory {
			entry.Tags = c.tags[one.Name]
		}
		entries[one.Name] = entry
	}
	return entries
}

func (c *Configuration) categoryIDs() map[string]string {
	ids := make(map[string]string, len(c.categories))
	for _, one := range c.categories {
		ids[one.Name] = one.ID
	}
	return ids
}

func encodeObject[V any](entries map[string]V) []byte {
	var b bytes.Buffer
	b.WriteString("{")
	for i, key := range slices.Sorted(maps.Keys(entries)) {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, "\n  %s: %s", wording.EncodeJSON(key), wording.EncodeJSON(entries[key]))
	}
	b.WriteString("\n}\n")
	return b.Bytes()
}

func encodeList[V any](elements []V) []byte {
	var b bytes.Buffer
	b.WriteString("[")
	for i, element := range elements {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, "\n  %s", wording.EncodeJSON(element))
	}
	b.WriteString("\n]\n")
	return b.Bytes()
}

func (c *Configuration) adoptedFile() []byte {
	var b bytes.Buffer
	b.WriteString("# Adopted\n\n`terraform apply` imports the objects below and changes nothing. Then delete " +
		"`imports.tf` and `imports.json`.\n\n")
	c.write(&b, len(c.Disagreements), joinNames)
	return b.Bytes()
}

// omissions maps reasons to the names of the objects omitted for that reason.
type omissions map[string][]string

func (l omissions) add(reason string, names ...string) { l[reason] = append(l[reason], names...) }

func (l omissions) lines(names func([]string) string) []string {
	var list []string
	for _, reason := range slices.Sorted(maps.Keys(l)) {
		sorted := slices.Sorted(slices.Values(l[reason]))
		list = append(list, fmt.Sprintf("%s (%d): %s", reason, len(sorted), names(sorted)))
	}
	return list
}

// maxNames is the maximum number of names in an error message or a line of output.
const maxNames = 10

func joinFirstNames(names []string) string {
	if len(names) <= maxNames {
		return joinNames(names)
	}
	return fmt.Sprintf("%s and %d more", joinNames(names[:maxNames]), len(names)-maxNames)
}

func joinNames(names []string) string { return strings.Join(printableNames(names), ", ") }

func printableNames(names []string) []string {
	replaced := make([]string, 0, len(names))
	for _, name := range names {
		replaced = append(replaced, printable(name))
	}
	return replaced
}

func printable(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) {
			return '\ufffd'
		}
		return r
	}, name)
}
