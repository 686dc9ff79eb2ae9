package provider_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/provider/kit/connection"
)

// TestAccCalculator_errorAtTier verifies that the error of a nested attribute quotes its element, and not the first
// line of the block.
func TestAccCalculator_errorAtTier(t *testing.T) {
	t.Parallel()
	tier := func(link string) string {
		return `
data "vsla_sla_plan" "p" {
  links = { metro = { throughput_mbps = 1000 } }
  tiers = {
    gold = {
      vm_count = 10, vm_size_gib = 100, rpo_minutes = 60, daily_change_percent = 5
      ` + link + `
    }
  }
}
`
	}
	acctest.RunOffline(
		t,
		acctest.FailingStep(tier(`link = "metr"`), `\d: gold = \{.*tiers\["gold"\].link must be the name of a link`),
		acctest.FailingStep(
			tier(`link = "metro", peak_factor = 0`),
			`\d: gold = \{.*tiers\["gold"\].peak_factor must be`,
		),
	)
}

func TestCalculator_fractions(t *testing.T) {
	t.Parallel()
	server, err := acctest.Server(&connection.Sessions{})()
	require.NoError(t, err)
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	require.NoError(t, err)
	vm := map[string]any{"size_gib": 100.0, "daily_change_percent": 0.05}
	for name, test := range map[string]struct {
		efficiency, change float64
		want               []string
	}{
		"percentages":    {70, 5, nil},
		"low percentage": {1, 0.5, nil},
		"fractions": {0.7, 0.05, []string{
			`links["metro"].efficiency_percent Looks Like a Fraction: The number is in percent: 0.7 means 0.7 %. ` +
				`If 70 % is meant, write 70.`,
			`tiers["gold"].daily_change_percent Looks Like a Fraction: The number is in percent: 0.05 means 0.05 %. ` +
				`If 5 % is meant, write 5.`,
		}},
	} {
		config := acctest.Object(t, schemas.DataSourceSchemas["vsla_sla_plan"], map[string]any{
			"links": map[string]any{"metro": map[string]any{
				"throughput_mbps":    1000.0,
				"efficiency_percent": test.efficiency,
			}},
			"tiers": map[string]any{"gold": map[string]any{
				"virtual_machines":     map[string]any{"a": vm},
				"link":                 "metro",
				"rpo_minutes":          60.0,
				"daily_change_percent": test.change,
			}},
		})
		answer, err := server.ReadDataSource(t.Context(),
			&tfprotov6.ReadDataSourceRequest{TypeName: "vsla_sla_plan", Config: config})
		require.NoError(t, err)
		var got []string
		for _, d := range answer.Diagnostics {
			assert.Equal(t, tfprotov6.DiagnosticSeverityWarning, d.Severity, d.Detail)
			got = append(got, d.Summary+": "+d.Detail)
		}
		slices.Sort(got)
		assert.Equal(t, test.want, got, name)
	}
}

func TestAccReplication_mistakes(t *testing.T) {
	t.Parallel()
	const group = `
resource "vsla_protection_group" "g" {
  cluster_id = "domain-c9"
  name       = "g"
  vm_ids     = ["vm-1"]
  timeouts   = { create = "-1m" }
}
`
	acctest.RunOffline(t,
		acctest.FailingStep(`
provider "vsla" {
  replication = {
    server          = "https://gateway.example"
    user            = "u"
    password        = "p"
    remote_user     = "r"
    remote_password = ""
  }
}
data "vsla_replication_pairing" "p" {}
`, `Remote Password Is Empty.*remote_password = "".*VSLA_REPLICATION_REMOTE_PASSWORD`),
		acctest.FailingStep(group, `\d: timeouts .*timeouts.create is -1m, but must be positive`),
		acctest.FailingStep(strings.Replace(group, "-1m", "0s", 1), `timeouts.create is 0s, but must be positive`),
	)
}
