package adopt

import (
	"bytes"
	"embed"
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"terraform-provider-vsla/internal/vsphere"
)

// Names come from vCenter, so they are in JSON or in tokens of hclwrite, never in a template.
//
//go:embed configuration
var configuration embed.FS

// File is a file of the folder.
type File struct {
	Name    string
	Content []byte
}

// Files returns all files, sorted by name and reproducible.
func (c *Configuration) Files() ([]File, error) {
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
	add("categories.json", object(c.categoryEntries()))
	add("virtual_machines.json", object(c.vms))
	add("other_objects.json", list(c.others))
	add("imports.json", object(map[string]map[string]string{
		"categories": c.categoryIDs(), "associations": c.associations, "replications": c.imports,
	}))
	add("ADOPTED.md", c.document())
	slices.SortFunc(files, func(a, b File) int { return bytes.Compare([]byte(a.Name), []byte(b.Name)) })
	return files, nil
}

// tiersFile is the file that users edit: tiers and common settings.
func (c *Configuration) tiersFile() ([]byte, error) {
	file := hclwrite.NewEmptyFile()
	body := file.Body().AppendNewBlock("locals", nil).Body()
	for i, attribute := range []struct {
		comment, name string
		value         any
	}{
		{"The category whose tags are the tiers.", "tier_category", c.TierCategory},
		{"The tiers: rpo_minutes is the RPO of every replication without one in virtual_machines.json.", "tiers", nil},
		{
			"The former names of renamed tags, by category and new name: { sla = { platinum = \"gold\" } }.",
			"renamed_from",
			map[string]any{},
		},
		{
			"ASSUMED: the link of the replications. Enter its rate, and the part of it that replication can use.",
			"link",
			map[string]any{"throughput_mbps": 1000, "efficiency_percent": 70, "throughput_basis": "nominal"},
		},
		{
			"ASSUMED: how much of a VM changes in a day, and how unevenly. The data source vsla_change_rates measures it.",
			"assumed_change",
			map[string]any{"daily_change_percent": 5, "peak_factor": 3},
		},
		{"The vCenter of the VMs, by its instance UUID.", "vcenter_id", c.vcenter},
		{
			"The settings of every replication that has no others in virtual_machines.json.",
			"replication_defaults", c.defaults,
		},
	} {
		if i > 0 {
			body.AppendNewline()
		}
		body.AppendUnstructuredTokens(comment(attribute.comment))
		if attribute.name == "tiers" {
			body.SetAttributeRaw(attribute.name, c.tierTokens())
			continue
		}
		var value ctyjson.SimpleJSONValue
		if err := value.UnmarshalJSON([]byte(textOf(attribute.value))); err != nil {
			return nil, fmt.Errorf("write %s: %w", attribute.name, err)
		}
		body.SetAttributeValue(attribute.name, orObject(value.Value))
	}
	return hclwrite.Format(file.Bytes()), nil
}

func comment(text string) hclwrite.Tokens {
	return hclwrite.Tokens{{Type: hclsyntax.TokenComment, Bytes: []byte("# " + text + "\n")}}
}

// tierTokens is the object of the tiers. The RPO of a tier without replications is a comment.
func (c *Configuration) tierTokens() hclwrite.Tokens {
	tiers := make([]hclwrite.ObjectAttrTokens, 0, len(c.Tiers))
	for _, t := range c.Tiers {
		values := map[string]cty.Value{"description": cty.StringVal(t.Description)}
		if t.RPOMinutes > 0 {
			values[rpoMinutes] = cty.NumberIntVal(t.RPOMinutes)
		}
		value := hclwrite.TokensForValue(cty.ObjectVal(values))
		if t.RPOMinutes == 0 {
			value = slices.Insert(
				value,
				len(value)-1,
				comment("rpo_minutes = 60: set it before VMs of this tier are replicated")...)
		}
		name := hclwrite.TokensForValue(cty.StringVal(t.Name))
		if hclsyntax.ValidIdentifier(t.Name) {
			name = hclwrite.TokensForIdentifier(t.Name)
		}
		tiers = append(tiers, hclwrite.ObjectAttrTokens{Name: name, Value: value})
	}
	return hclwrite.TokensForObject(tiers)
}

func orObject(v cty.Value) cty.Value {
	if v.IsNull() {
		return cty.EmptyObjectVal
	}
	return v
}

// category is an entry of categories.json. Tags of the tier category are in tiers.tf.
type category struct {
	Description     string            `json:"description"`
	Cardinality     string            `json:"cardinality"`
	AssociableTypes []string          `json:"associable_types"`
	Tags            map[string]string `json:"tags,omitzero"`
}

func (c *Configuration) categoryEntries() map[string]category {
	entries := make(map[string]category, len(c.categories))
	for _, one := range c.categories {
		entry := category{Description: one.Description, Cardinality: one.Cardinality, AssociableTypes: sorted(one)}
		if one.Name != c.TierCategory {
			entry.Tags = c.tags[one.Name]
		}
		entries[one.Name] = entry
	}
	return entries
}

// sorted returns the types of a category in a reproducible order.
func sorted(c vsphere.Category) []string {
	return slices.Sorted(slices.Values(c.AssociableTypes))
}

func (c *Configuration) categoryIDs() map[string]string {
	ids := make(map[string]string, len(c.categories))
	for _, one := range c.categories {
		ids[one.Name] = one.ID
	}
	return ids
}

// object encodes a map with one line per entry.
func object[V any](entries map[string]V) []byte {
	var b bytes.Buffer
	b.WriteString("{")
	for i, key := range slices.Sorted(maps.Keys(entries)) {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, "\n  %s: %s", textOf(key), textOf(entries[key]))
	}
	b.WriteString("\n}\n")
	return b.Bytes()
}

// list encodes a list with one line per element.
func list[V any](elements []V) []byte {
	var b bytes.Buffer
	b.WriteString("[")
	for i, element := range elements {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, "\n  %s", textOf(element))
	}
	b.WriteString("\n]\n")
	return b.Bytes()
}
