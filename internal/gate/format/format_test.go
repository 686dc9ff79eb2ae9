package format_test

import (
	"encoding/json"
	"encoding/xml"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/dev/hostile"
	"terraform-provider-vsla/internal/gate"
	"terraform-provider-vsla/internal/gate/finding"
	"terraform-provider-vsla/internal/gate/format"
	"terraform-provider-vsla/internal/gate/judge"
	"terraform-provider-vsla/internal/gate/settings"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/wording"
)

const policy = `
promises: { gold: { rpo_minutes: 15 } }
changes: { approvers: [board] }
waivers:
  - { name: x, subject: vm-2, code: resync, reason: moved, approved_by: board, expires: "2026-11-21" }
`

func report(t *testing.T, assessments []judge.Assessment, found ...finding.Finding) format.Report {
	t.Helper()
	s, err := settings.Read(strings.NewReader(policy), "policy.yaml")
	require.NoError(t, err)
	require.Empty(t, s.Problems)
	d := gate.Decide(s, assessments, found, gate.Context{Today: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)})
	return format.Report{Decision: d, Plan: "tfplan.json", Settings: "policy.yaml"}
}

var (
	holds = judge.Assessment{Subject: "gold", Level: plan.Meets, Promise: true, RPOMinutes: 15, VMs: 2}
	risky = judge.Assessment{
		Subject:    "silver",
		Address:    "data.vsla_sla_plan.x",
		Level:      plan.AtRisk,
		Code:       finding.AtRisk,
		Message:    "holds as assumed",
		Promise:    true,
		RPOMinutes: 60,
	}
	longer = finding.Of(finding.Weaker, "vm-1", "vsla_replication.a", "has a longer RPO")
	resync = finding.Of(finding.Resync, "vm-2", "vsla_replication.b", "requires a new initial sync")
	server = finding.Of(finding.ProviderConfig, "provider vsla", "", "takes user from the configuration")
)

func written(t *testing.T, name string, r format.Report) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, format.Formats[name](r, &b))
	return b.String()
}

// TestHeadline verifies that the headline is the worse of the promises and the decision, and agrees with Passes.
func TestHeadline(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name        string
		assessments []judge.Assessment
		found       []finding.Finding
		passes      bool
		headline    string
		comment     string
	}{
		{"holds", []judge.Assessment{holds}, nil, true, "Passes: the promise holds.", "## ✓ Passes"},
		{
			"many hold",
			slices.Repeat([]judge.Assessment{holds}, 1000),
			nil,
			true,
			"Passes: 1,000 of 1,000 promises hold.",
			"## ✓ Passes",
		},
		{"nothing", nil, nil, true, "Passes: nothing is denied, and no promise is in the plan.", "## – Passes"},
		{
			"only one, at risk",
			[]judge.Assessment{risky},
			nil,
			false,
			"Denied: promises are at risk. The promise is at risk.",
			"## ✕ Denied",
		},
		{
			"only one, not known",
			[]judge.Assessment{{Level: plan.Unknown, Code: finding.PromiseUnknown, Promise: true}},
			nil,
			false,
			"Denied: promises are not known. The promise is not known.",
			"## ✕ Denied",
		},
		{
			"only one, missed",
			[]judge.Assessment{{Level: plan.Misses, Code: finding.RPOMissed, Promise: true}},
			nil,
			false,
			"Denied: promises are missed. The promise does not hold.",
			"## ✕ Denied",
		},
		{
			"at risk",
			[]judge.Assessment{holds, risky},
			nil,
			false,
			"Denied: promises are at risk. 1 of 2 promises hold.",
			"## ✕ Denied",
		},
		{
			"holds, but denied",
			[]judge.Assessment{holds},
			[]finding.Finding{longer},
			false,
			"Denied: protection gets weaker. Apart from this, the promise holds.",
			"## ✕ Denied",
		},
		{
			"waived",
			[]judge.Assessment{holds},
			[]finding.Finding{resync},
			true,
			"Passes with 1 waived finding: apart from this, the promise holds.",
			"## ! Passes",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := report(t, test.assessments, test.found...)
			assert.Equal(t, test.passes, r.Passes)
			assert.Equal(t, test.headline, r.Headline)
			assert.True(t, strings.HasPrefix(written(t, "markdown", r), test.comment))
		})
	}
}

func TestFormats(t *testing.T) {
	t.Parallel()
	r := report(t, []judge.Assessment{holds, risky}, longer, resync, server)
	for _, test := range []struct {
		format string
		wants  []string
	}{
		{"text", []string{
			"Protection gets weaker (weaker_than_tier)\n  vm-1 has a longer RPO [vsla_replication.a]\n",
			"Can be waived by board.",
			"provider vsla takes user from the configuration\n  -> Use the environment, or a variable without a " +
				"default. Cannot be waived.",
			"Waived\n  vm-2 requires a new initial sync (x, until 2026-11-21, by board: moved)",
		}},
		{"markdown", []string{
			"**Protection gets weaker** (`weaker_than_tier`).",
			"- `vm-1` has a longer RPO",
			"| silver | at risk | 60 min |",
			"**Waived**\n",
		}},
		{
			"json",
			[]string{`"passes": false`, `"code": "weaker_than_tier"`, `"waivable": true`, `"approved_by": "board"`},
		},
		{"junit", []string{`tests="4" failures="3"`, `<failure message="has a longer RPO" type="weaker_than_tier">`}},
		{
			"sarif",
			[]string{
				`"ruleId": "weaker_than_tier"`, `"fullyQualifiedName": "vsla_replication.a"`,
				`"uri": "policy.yaml"`,
			},
		},
	} {
		t.Run(test.format, func(t *testing.T) {
			t.Parallel()
			text := written(t, test.format, r)
			for _, want := range test.wants {
				assert.Contains(t, text, want)
			}
		})
	}
	assert.True(t, json.Valid([]byte(written(t, "json", r))))
	assert.True(t, json.Valid([]byte(written(t, "sarif", r))))
	assert.NoError(t, xml.Unmarshal([]byte(written(t, "junit", r)), new(struct{})))
}

// TestWriteMarkdown_remedy verifies that a remedy has its code as code.
func TestWriteMarkdown_remedy(t *testing.T) {
	t.Parallel()
	text := written(t, "markdown", report(t, nil, finding.Of(finding.TagsRemoved, "vm-1", "", "loses a tag")))
	assert.Contains(t, text, "Keep them, or raise `changes.max_removes`. Can be waived")
}

// TestWriteSARIF verifies that a result has the line of the settings that its finding names, if it names one.
func TestWriteSARIF(t *testing.T) {
	t.Parallel()
	r := report(t, nil, finding.Of(finding.Settings, "policy.yaml:7", "", "must be a number"),
		finding.Of(finding.OutOfBounds, "gold", risky.Address, "has 3; the settings allow 4 (policy.yaml:12)"), server)
	text := written(t, "sarif", r)
	assert.Contains(t, text, `"startLine": 7`)
	assert.Contains(t, text, `"startLine": 12`)
	assert.Equal(t, 2, strings.Count(text, "region"))
}

// TestWithhold verifies that no format shows the figures of what is marked as sensitive, and no sensitive verdict.
func TestWithhold(t *testing.T) {
	t.Parallel()
	for escape, character := range map[string]string{`\u200b`: "\u200b", `\u202e`: "\u202e", `\n`: "\n"} {
		withholds(t, escape, character)
	}
}

// withholds checks what a report withholds of a result whose address contains a character, which JSON can escape.
func withholds(t *testing.T, escape, character string) {
	t.Helper()
	address, tag := `data.vsla_sla_plan.x["`+escape+`"]`, "vsla_tag_association.x"
	raw := strings.ReplaceAll(address, escape, character)
	risky := judge.Assessment{
		Subject:    "silver",
		Address:    wording.Clean(raw),
		Level:      plan.AtRisk,
		Code:       finding.AtRisk,
		Message:    "4711",
		Promise:    true,
		RPOMinutes: 4712,
		VMs:        4713,
		Configured: 4714,
		HoldsBy:    "4715",
		Reasons:    []string{"4716"},
	}
	r := report(t, []judge.Assessment{risky}, finding.Of(finding.OutOfBounds, "link metro", raw, "has 4717"),
		finding.Of(finding.Unprotected, "vm-4722", raw, "is 4723"),
		finding.Of(finding.Removed, "vm-4718", tag, "loses 4719"))
	r.Noted = []finding.Finding{finding.Of(finding.Removed, "vm-4720", tag, "loses 4721")}
	r.Notes = append(r.Notes, r.Noted[0].Subject+" "+r.Noted[0].Message)
	for _, test := range []struct {
		result, resource       string
		shows, saysRisk, hides string
	}{
		{`{}`, `{}`, "471", "at risk", "withheld"},
		{`{"links": true}`, `{"object_ids": [true]}`, "at risk", "at risk", "47"},
		{`{"verdict": true}`, `{"object_ids": [true]}`, "verdicts are withheld", "", "risk"},
	} {
		d, err := document.Read(strings.NewReader(`{"format_version": "1.0", "terraform_version": "1.11.4", "values": {
			"root_module": {"resources": [{"address": "` + strings.ReplaceAll(address, `"`, `\"`) + `", "mode": "data",
			"type": "vsla_sla_plan", "name": "x", "provider_name": "registry.terraform.io/vsla/vsla",
			"values": {"verdict": "at_risk"}, "sensitive_values": ` + test.result + `},
			{"address": "` + tag + `", "mode": "managed", "type": "vsla_tag_association", "name": "x",
			"provider_name": "registry.terraform.io/vsla/vsla", "values": {"object_ids": ["vm-4718"]},
			"sensitive_values": ` + test.resource + `}]}}}`))
		require.NoError(t, err)
		shown := r.Withhold(d)
		text := written(t, "markdown", shown)
		assert.Contains(t, text, test.shows)
		assert.Contains(t, text, test.saysRisk)
		for name := range format.Formats {
			assert.NotContains(t, written(t, name, shown), test.hides, name)
		}
	}
	assert.Contains(t, written(t, "text", r), "vm-4718 loses 4719", "the report itself changed")
}

// TestMarkdown_hostile verifies that names from outside have no effect in a comment, and that it fits.
func TestMarkdown_hostile(t *testing.T) {
	t.Parallel()
	for _, key := range hostile.Names() {
		text := written(t, "markdown",
			report(t, []judge.Assessment{{Subject: wording.Clean(key), Level: plan.Meets, Promise: true}},
				finding.Of(finding.Weaker, key, `vsla_replication.x["`+key+`"]`, key)))
		assert.Empty(t, hostile.Effect(text), key)
	}
	many := make([]finding.Finding, 0, 5000)
	for i := range 5000 {
		many = append(many,
			finding.Of(finding.Abouts[i%len(finding.Abouts)].Code, "vm", strings.Repeat("x", 500+i), "is"))
	}
	assert.Less(t, len(written(t, "markdown", report(t, nil, many...))), 65536)
}
