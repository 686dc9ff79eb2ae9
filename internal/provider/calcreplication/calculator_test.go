package calcreplication_test

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"terraform-provider-vsla/internal/acctest"
)

const published = `
  vm_count             = 15
  vm_size_gib          = provider::vsla::parse_size_gib("102400 MB")
  daily_change_percent = 5
  throughput_mbps      = provider::vsla::parse_rate_mbps("112.625 MB/s")
  rpo_minutes          = 15
`

// TestAccReplicationEstimate_published reads the published example through both doors: 15 * 102,400 MB * 8 bit are
// 12.288e12 bit, at 901e6 bit/s 13,638.1798 s, and 5 % of it 681.9090 s.
func TestAccReplicationEstimate_published(t *testing.T) {
	t.Parallel()
	near := func(want float64) knownvalue.Check { return within{want: want, tolerance: 1e-4} }
	acctest.Offline(t, resource.TestStep{
		Config: `
data "vsla_replication_estimate" "x" {` + published + `}
output "function" {
  value = provider::vsla::replication_estimate({` + published + `})
}`,
		ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
			// Known at plan time: that is where pipelines look.
			plancheck.ExpectKnownOutputValueAtPath("function", tfjsonpath.New("verdict"), knownvalue.StringExact("at_risk")),
		}},
		ConfigStateChecks: []statecheck.StateCheck{
			statecheck.ExpectKnownValue(
				"data.vsla_replication_estimate.x",
				tfjsonpath.New("initial_sync_seconds"),
				near(13638.1798),
			),
			statecheck.ExpectKnownValue(
				"data.vsla_replication_estimate.x",
				tfjsonpath.New("ongoing_sync_seconds"),
				near(681.9090),
			),
			statecheck.ExpectKnownValue(
				"data.vsla_replication_estimate.x",
				tfjsonpath.New("min_rpo_minutes"),
				knownvalue.Int64Exact(23),
			),
			statecheck.ExpectKnownValue("data.vsla_replication_estimate.x", tfjsonpath.New("meets_rpo"), knownvalue.Bool(true)),
			statecheck.ExpectKnownValue(
				"data.vsla_replication_estimate.x",
				tfjsonpath.New("violation_free"),
				knownvalue.Bool(false),
			),
			statecheck.ExpectKnownValue("data.vsla_replication_estimate.x", tfjsonpath.New("reasons"),
				knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact("cycle_exceeds_half_rpo")})),
			statecheck.ExpectKnownOutputValueAtPath("function", tfjsonpath.New("initial_sync_seconds"), near(13638.1798)),
		},
	})
}

type within struct{ want, tolerance float64 }

// CheckValue compares a number of the state.
func (w within) CheckValue(value any) error {
	n, ok := value.(interface{ Float64() (float64, error) })
	if !ok {
		return fmt.Errorf("%v (%T) is not a number", value, value)
	}
	got, err := n.Float64()
	if err != nil || math.Abs(got-w.want) > w.tolerance {
		return fmt.Errorf("got %v, want %v", got, w.want)
	}
	return nil
}

// String describes the check.
func (w within) String() string { return fmt.Sprint(w.want) }

func TestAccReplicationEstimate_badInput(t *testing.T) {
	t.Parallel()
	object := func(extra string) string {
		return "output \"x\" {\n  value = provider::vsla::replication_estimate({vm_count = 15, vm_size_gib = 100, daily_change_percent = 5, throughput_mbps = 901, rpo_minutes = 15" + extra + "})\n}\n"
	}
	data := func(name, value string) string {
		arguments := map[string]string{
			"vm_count":             "15",
			"vm_size_gib":          "100",
			"daily_change_percent": "5",
			"throughput_mbps":      "901",
			"rpo_minutes":          "15",
		}
		arguments[name] = value
		lines := []string{`data "vsla_replication_estimate" "x" {`}
		for n, v := range arguments {
			lines = append(lines, "  "+n+" = "+v)
		}
		return strings.Join(append(lines, "}", ""), "\n")
	}
	var steps []resource.TestStep
	for _, name := range []string{
		"vm_count", "vm_size_gib", "daily_change_percent", "throughput_mbps", "rpo_minutes", "peak_factor",
		"efficiency_percent", "compression_ratio", "seeded_percent", "overhead_seconds",
	} {
		for _, value := range []string{"-1", "1e308"} {
			steps = append(steps, resource.TestStep{
				Config: data(name, value), PlanOnly: true,
				ExpectError: regexp.MustCompile(`(?s)` + name + ` += .*` + name + `\s+must\s+be`),
			})
		}
	}
	steps = append(
		steps,
		resource.TestStep{Config: data("vm_count", "1.5"), ExpectError: regexp.MustCompile(`whole\s+number`)},
		// A value that is not known while validating is checked when it is.
		resource.TestStep{
			Config: "resource \"terraform_data\" \"n\" {\n  input = 0\n}\n" + data(
				"rpo_minutes",
				"terraform_data.n.output",
			),
			ExpectError: regexp.MustCompile(`rpo_minutes\s+must\s+be\s+between\s+1\s+and\s+1,440\s+minutes,\s+got\s+0`),
		},
		resource.TestStep{
			Config:      object(", rpo = 15"),
			ExpectError: regexp.MustCompile(`(?s)there\s+is\s+no\s+attribute\s+"rpo"`),
		},
		resource.TestStep{
			Config:      object(`, verdict = "meets"`),
			ExpectError: regexp.MustCompile(`(?s)part\s+of\s+the\s+result`),
		},
		resource.TestStep{
			Config:      object(", peak_factor = 0.5"),
			ExpectError: regexp.MustCompile(`(?s)peak_factor\s+must\s+be`),
		},
		resource.TestStep{
			Config:      object(`, peak_factor = "high"`),
			ExpectError: regexp.MustCompile(`(?s)"peak_factor":\s+a\s+number\s+is\s+required`),
		},
		resource.TestStep{
			Config:      object(`, peak_factor = [1]`),
			ExpectError: regexp.MustCompile(`(?s)"peak_factor":\s+a\s+number\s+is\s+required`),
		},
		resource.TestStep{
			Config:      "output \"x\" {\n  value = provider::vsla::replication_estimate({})\n}\n",
			ExpectError: regexp.MustCompile(`(?s)"daily_change_percent"\s+is\s+required.*"vm_size_gib"\s+is\s+required`),
		},
		resource.TestStep{
			Config:      "output \"x\" {\n  value = provider::vsla::replication_estimate(15)\n}\n",
			ExpectError: regexp.MustCompile(`(?s)must\s+be\s+an\s+object`),
		},
		// Null and numeric text are taken as a data source would take them.
		resource.TestStep{Config: object(`, peak_factor = null, efficiency_percent = "100"`)},
	)
	steps[len(steps)-1].Check = func(s *terraform.State) error {
		out, ok := s.RootModule().Outputs["x"].Value.(map[string]any)
		if !ok || out["verdict"] != "at_risk" {
			return fmt.Errorf("got %v", s.RootModule().Outputs["x"])
		}
		return nil
	}
	acctest.Offline(t, steps...)
}
