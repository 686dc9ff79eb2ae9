package settings_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/gate/settings"
)

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
	} {
		s, err := settings.Read(strings.NewReader("promises:\n  gold: "+test.gold), "policy.yaml")
		require.NoError(t, err, test.gold)
		require.Len(t, s.Problems, 1, test.gold)
		assert.Equal(t, test.where, s.Problems[0].Subject, test.gold)
		assert.Contains(t, s.Problems[0].Message, test.want, test.gold)
	}
}
