package estate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/estate"
)

const promises = `category: sla
tiers:
  - name: gold
    rpo_minutes: 15
  - name: silver
    tag: second
    rpo_minutes: 60
    configured_rpo_minutes: 45
  - name: bronze
    tag_id: urn:1
    rpo_minutes: 240
folder: prod
cluster: c1
pairing_id: p
`

func TestReadCompliance(t *testing.T) {
	t.Parallel()
	got, err := estate.ReadCompliance("compliance.yaml", strings.NewReader(promises))
	want := estate.ComplianceFile{
		PairingID: "p",
		Category:  "sla",
		Folder:    "prod",
		Cluster:   "c1",
		Tiers: []estate.PromisedTier{
			{Name: "gold", Tag: "gold", RPOMinutes: 15},
			{Name: "silver", Tag: "second", RPOMinutes: 60, ConfiguredRPOMinutes: 45},
			{Name: "bronze", TagID: "urn:1", RPOMinutes: 240},
		},
	}
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

func TestReadCompliance_problems(t *testing.T) {
	t.Parallel()
	in := func(old, replacement string) string { return strings.Replace(promises, old, replacement, 1) }
	for name, run := range map[string]struct{ text, says string }{
		"empty": {"", "c.yaml: is empty"},
		"unknown key": {
			in("folder: prod", "folders: prod"),
			"c.yaml:12: folders is not a valid key here; valid keys are \"folder\"",
		},
		"a number":      {in("folder: prod", "folder: 7"), `c.yaml:12: folder must be a non-empty string, got "7"`},
		"no tiers":      {"category: sla\n", "c.yaml: tiers must be a list of 1 to 100 tiers"},
		"a text":        {"tiers: [gold]\n", "c.yaml:1: tiers[0] must be a mapping with name and rpo_minutes"},
		"unknown in it": {in("tag: second", "tags: second"), "c.yaml:6: tiers[1].tags is not a valid key here"},
		"no name":       {in("name: gold", "tag: gold"), "tiers[0].name must be a non-empty string"},
		"name twice":    {in("name: silver", "name: gold"), `c.yaml:5: tiers[1].name must be unique, got "gold" twice`},
		"RPO of 0": {
			in("rpo_minutes: 60", "rpo_minutes: 0"),
			"c.yaml:7: tiers[1].rpo_minutes must be between 1 and 1,440 minutes, got 0",
		},
		"half an RPO": {
			in("rpo_minutes: 60", "rpo_minutes: 1.5"),
			"c.yaml:7: tiers[1].rpo_minutes must be a whole number",
		},
		"setting of 0": {
			in("configured_rpo_minutes: 45", "configured_rpo_minutes: 0"),
			"c.yaml:8: tiers[1].configured_rpo_minutes must be between 1 and 1,440 minutes, got 0",
		},
		"no RPO": {in("    rpo_minutes: 60\n", ""), "tiers[1].rpo_minutes must be a number of minutes"},
		"two tags": {
			in("tag_id: urn:1", "tag: x\n    tag_id: urn:1"),
			"tiers[2].tag must not be set together with tag_id",
		},
		"no category": {in("category: sla\n", ""), "tiers[0].tag_id is required unless category is set"},
		"one tag":     {in("tag: second", "tag: gold"), "tiers[1] must have its own tag"},
		"too many": {
			"category: sla\ntiers:" + strings.Repeat("\n  - {name: x, rpo_minutes: 1}", 101),
			"must be a list of 1 to 100 tiers",
		},
	} {
		_, err := estate.ReadCompliance("c.yaml", strings.NewReader(run.text))
		require.Error(t, err, name)
		assert.Contains(t, err.Error(), run.says, name)
	}
}

func TestReadCompliance_firstProblem(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"pairing_id: 1\ncategory: 2\nfolder: 3\ncluster: 4\n": `c.yaml:1: pairing_id must be a non-empty ` +
			`string, got "1"`,
		"tiers: [{name: 1, tag: 2, tag_id: 3, rpo_minutes: 15}]\n": `c.yaml:1: tiers[0].name must be a non-empty ` +
			`string, got "1"`,
	} {
		for range 20 {
			_, err := estate.ReadCompliance("c.yaml", strings.NewReader(text))
			require.Error(t, err)
			require.Equal(t, want, err.Error())
		}
	}
}
