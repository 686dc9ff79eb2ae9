package settings_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/gate/schema"
	"terraform-provider-vsla/internal/gate/settings"
)

// TestRead_escaped verifies that characters are accepted that can be seen, or are in a comment.
func TestRead_escaped(t *testing.T) {
	t.Parallel()
	const text = "\ufeffpromises: { gold: { rpo_minutes: 15, selects: { name_regex: \"^d\\u200bb\" } } } # \u26a0\ufe0f"
	s, err := settings.Read(strings.NewReader(text), "policy.yaml")
	require.NoError(t, err)
	assert.Empty(t, s.Problems)
}

func TestRead_problems(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ gold, where, want string }{
		{"{rpo_minutes: 1441}", "policy.yaml:2", "rpo_minutes must be more than 0 and at most 1,440"},
		{"{rpo_minutes: .inf}", "policy.yaml:2", ".inf is not a finite number"},
		{"{rpo_minutes: 15, min_vm_count: -.Inf}", "policy.yaml:2", "-.Inf is not a finite number"},
		{"{rpo_minutes: 15, hourly_weights: [.NaN]}", "policy.yaml:2", ".NaN is not a finite number"},
		{
			"{rpo_minutes: 15}\nholds_months: .inf\nmin_growth_percent_per_year: 0", "policy.yaml:3",
			".inf is not a finite number",
		},
		{"{rpo_minutes: 15}\n---\npromises: {}", "policy.yaml:3", "the settings must be a single YAML document"},
		{"{rpo_minutes: 15, rpo_minutes: 60}", "policy.yaml:2", "promises.gold.rpo_minutes is set twice"},
		{"{rpo_minutes: 15, tag: a/b, tag: c/d}", "policy.yaml:2", "promises.gold.tag is set twice"},
		{
			"{rpo_minutes: 15, selects: {name_regex: ^d\u200bb-}}", "policy.yaml:2",
			"^d<U+200B>b- contains the invisible character U+200B: delete it, or escape it in double quotes",
		},
		{"{rpo_minutes: 15}\n  si\u00adlver: {rpo_minutes: 60}", "policy.yaml:3", "invisible character U+00AD"},
		{"{rpo_minutes: soon}", "policy.yaml:2", "promises.gold.rpo_minutes must be a number"},
		{"[15]", "policy.yaml:2", "promises.gold must be a map"},
		{"{rpo_minute: 15}", "policy.yaml:2", "promises.gold has no rpo_minute; did you mean rpo_minutes?"},
		{
			"{rpo_minutes: 15, min_peak_facto: 3}", "policy.yaml:2",
			"has no min_peak_facto; did you mean min_peak_factor?",
		},
		{"{rpo_minutes: 15, tagg: a/b}", "policy.yaml:2", "promises.gold has no tagg; did you mean tag?"},
		{
			"{rpo_minutes: 15, selects: {name_regx: ^a}}", "policy.yaml:2",
			`has no filter name_regx, only "name_regex", `,
		},
		{
			"{rpo_minutes: 15}\nlinks: {metro: {basis: foo}}", "policy.yaml:3",
			"links.metro.basis must be one of transfer, network, nominal",
		},
		{
			"{rpo_minutes: 15}\nlinks: {metro: {plans: 0}}", "policy.yaml:3",
			"links.metro.plans must be a whole number of 1",
		},
		{
			"{rpo_minutes: 15}\ntargets: {dr: {plans: 1.5}}", "policy.yaml:3",
			"targets.dr.plans must be a whole number of 1",
		},
		{"{rpo_minutes: 15}\nlinks: {metro: {plan: 2}}", "policy.yaml:3", "has no plan; did you mean plans?"},
		{"{rpo_minutes: 15}\nlinks: {metro: {max_plans: 2}}", "policy.yaml:3", "has no max_plans"},
		{"{rpo_minutes: 15}\nlinks: {metro: {min_basis: 3}}", "policy.yaml:3", "links.metro.basis must be one of"},
		{
			"{rpo_minutes: 15}\nresults: {vsla_link_throughpt: {}}", "policy.yaml:3",
			"is not a data source with a result; did you mean vsla_link_throughput?",
		},
		{"{rpo_minutes: 15}\nlink: {}", "policy.yaml:3", "the settings have no link; did you mean links?"},
		{"{rpo_minutes: 15}\ntiers: {}", "policy.yaml:3", "the settings have no tiers"},
		{
			"{rpo_minutes: 15}\nholds_months: 0\nmin_growth_percent_per_year: 0", "policy.yaml:3",
			"holds_months must be more than 0",
		},
		{"{rpo_minutes: 15}\n\nholds_months: 1", "policy.yaml:4", "belong together"},
		{"{rpo_minutes: 15}\nproviders: [' ']", "policy.yaml:3", "providers must be a list of names"},
		{"{rpo_minutes: 15}\nprovider_configs: [' ']", "policy.yaml:3", "provider_configs must be a list of names"},
		{"{rpo_minutes: 15}\nchanges:\n  max_removes: -1", "policy.yaml:4", "changes.max_removes must be 0 or more"},
		{"{rpo_minutes: 15}\nchanges: {max_waiver_days: 400}", "policy.yaml:3", "must be from 1 to 366"},
		{"{rpo_minutes: 15}\nchanges: {max_waiver_days: 0}", "policy.yaml:3", "must be from 1 to 366"},
		{"{rpo_minutes: 15}\nchanges: {approvers: ['']}", "policy.yaml:3", "changes.approvers must be a list of names"},
		{"{rpo_minutes: 15}\nlinks: [5]", "policy.yaml:3", "the value must be a map"},
		{
			"{rpo_minutes: 15}\nchanges:\n  max_remove: 3", "policy.yaml:4",
			"changes has no max_remove; did you mean max_removes?",
		},
		{"{rpo_minutes: 15}\nchanges: {approvers: board}", "policy.yaml:3", `"board" must be a list of names`},
		{
			"{rpo_minutes: 15}\nwaivers: [{name: w, subject: a, code: resync, reson: r, approved_by: b, " +
				`expires: "2026-11-21"}]`, "policy.yaml:3", `but has the key "reson"`,
		},
		{
			"{rpo_minutes: 15}\nwaivers: [{name: w, subject: a, code: resync, approved_by: b, " +
				`expires: "2026-11-21"}]`, "policy.yaml:3", "but reason is missing",
		},
		{
			"{rpo_minutes: 15}\nwaivers: [{name: w, subject: a, code: resync, reason: r, approved_by: b, " +
				"expires: soon}]", "policy.yaml:3", `but expires is "soon"`,
		},
		{
			"{rpo_minutes: 15}\nwaivers: [{name: w, subject: a, code: resynk, reason: r, approved_by: b, " +
				`expires: "2026-11-21"}]`, "policy.yaml:3", `"resynk" cannot be waived, only "resync", `,
		},
	} {
		s, err := settings.Read(strings.NewReader("promises:\n  gold: "+test.gold), "policy.yaml")
		require.NoError(t, err, test.gold)
		require.Len(t, s.Problems, 1, test.gold)
		assert.Equal(t, test.where, s.Problems[0].Subject, test.gold)
		assert.Contains(t, s.Problems[0].Message, test.want, test.gold)
	}
}

// TestRead_tiers verifies that a tiers file is told apart from settings.
func TestRead_tiers(t *testing.T) {
	t.Parallel()
	s, err := settings.Read(strings.NewReader("link: {bandwidth_mbps: 1000}\ntiers: [{name: gold}]"), "tiers.yaml")
	require.NoError(t, err)
	require.Len(t, s.Problems, 1)
	assert.Equal(t, "tiers.yaml:2", s.Problems[0].Subject)
	assert.Contains(t, s.Problems[0].Message, "this is a tiers file")
}

// TestNearest verifies that only a name with few other letters is suggested.
func TestNearest(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"ids":             "id",
		"rpo":             "",
		"siz_gib":         "size_gib",
		"overhead_second": "overhead_seconds",
		"ovrhed_second":   "overhead_seconds",
		"ovrhd_second":    "",
	} {
		assert.Equal(t, want, schema.Nearest(name, []string{"id", "size_gib", "overhead_seconds"}), name)
	}
}
