package report_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/terraformcli"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/report"
	"terraform-provider-vsla/internal/report/chart"
)

const scenarios = "internal/report/testdata/scenarios/"

func workspace(t *testing.T, scenario string) *terraformcli.Workspace {
	t.Helper()
	w, dir := acctest.Workspace(t, nil, scenarios+scenario)
	modules, err := filepath.Glob(filepath.Join("testdata", "scenarios", scenario, "*", "main.tf"))
	require.NoError(t, err)
	for _, module := range modules {
		from := filepath.Dir(module)
		to := filepath.Join(dir, filepath.Base(from))
		require.NoError(t, os.Mkdir(to, 0o700))
		require.NoError(t, terraformcli.CopyFiles(from, to))
	}
	if len(modules) > 0 {
		acctest.RunTerraform(t, w, 0, "get")
	}
	return w
}

func inline(t *testing.T, config string) *terraformcli.Workspace {
	t.Helper()
	w, dir := acctest.Workspace(t, nil, scenarios+"tiers/branch")
	text := "terraform {\n  required_providers {\n    vsla = {\n      source = \"vsla/vsla\"\n    }\n  }\n}\n" + config
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.tf"), []byte(text), 0o600))
	return w
}

func show(t *testing.T, w *terraformcli.Workspace, file ...string) []byte {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := w.Command(t.Context(), append([]string{"show", "-json"}, file...)...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	require.NoError(t, cmd.Run(), errs.String())
	return out.Bytes()
}

func planned(t *testing.T, w *terraformcli.Workspace, code int, args ...string) []byte {
	t.Helper()
	acctest.RunTerraform(t, w, code, append([]string{"plan", "-input=false", "-out=tfplan"}, args...)...)
	return show(t, w, "tfplan")
}

func build(t *testing.T, text []byte) *report.Review {
	t.Helper()
	d, err := document.Read(bytes.NewReader(text))
	require.NoError(t, err)
	return report.Cover{}.Build(t.Context(), d)
}

func subjects(r *report.Review) map[string]report.Subject {
	all := make(map[string]report.Subject)
	for _, section := range r.Sections {
		for _, s := range section.Subjects {
			all[s.Address] = s
		}
	}
	return all
}

func html(t *testing.T, r *report.Review) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, r.WriteHTML(&b))
	return b.String()
}

func drawn(t *testing.T, r *report.Review, want int) {
	t.Helper()
	figures := 0
	check := func(all []report.Figure) {
		for _, f := range all {
			figures++
			for _, width := range []float64{chart.Narrow, chart.Wide} {
				d := f.Chart.Draw(width)
				for _, problem := range d.Problems() {
					t.Errorf("%s at %v: %s", f.Title, width, problem)
				}
			}
			require.NotEmpty(t, f.Data.Rows)
			assert.NotEmpty(t, f.Description)
		}
	}
	for _, section := range r.Sections {
		check(section.Figures)
		for _, s := range section.Subjects {
			check(s.Figures)
			for _, note := range s.Notes {
				assert.NotContains(t, note, "could not be confirmed", s.Address)
			}
		}
	}
	assert.Equal(t, want, figures)
}

// tiersHeadline is the headline of the scenario tiers. Neither the peak of gold nor that of the first site is known: at
// the worst, a day's changes within 15 minutes are 715.8 Mbit/s, and those of the site within 30 minutes, compressed,
// are 91.6 Mbit/s. Of unmeasured links of 901 and 200 Mbit/s, 337.3 and 74.9 Mbit/s can be relied on.
const tiersHeadline = "Of 9 results with a verdict, 1 does not hold, 2 are at risk, 6 hold."

func TestScenarios(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		headline string
		figures  int
		levels   map[string]plan.Level
		says     []string
	}{
		{
			// One chart for each of the eight estimates with inputs.
			"tiers", tiersHeadline, 8,
			map[string]plan.Level{
				`data.vsla_replication_estimate.tier["gold"]`:          plan.AtRisk,
				`data.vsla_replication_estimate.tier["backlog"]`:       plan.Misses,
				`module.branch.data.vsla_replication_estimate.site[1]`: plan.Meets,
				"data.vsla_link_throughput.wan":                        plan.Neutral,
				"data.vsla_configuration_limits.replication":           plan.Meets,
			},
			[]string{
				"holds while the busiest time changes at most 40.7 times the daily mean, then with 6 minutes",
				">now 901 Mbit/s</text>", "1,479",
			},
		},
		{
			// Two charts for each of the three vMotions, and one for the plan.
			"move", "Of 4 results with a verdict, 2 do not hold, 1 is at risk, 1 holds.", 3*2 + 1,
			map[string]plan.Level{
				"data.vsla_vmotion_estimate.database":      plan.Meets,
				"data.vsla_vmotion_estimate.busy_cache":    plan.AtRisk,
				"data.vsla_vmotion_estimate.branch_office": plan.Misses,
				"data.vsla_configuration_limits.target":    plan.Misses,
				"data.vsla_migration_plan.datacentre":      plan.Neutral,
			},
			[]string{
				"vSphere requires 250 Mbit/s", "app-000.production.example.com",
				"time since the window opens",
			},
		},
		{
			// Three charts for the first estimate, two for the second, and one for the windows.
			"planning", "Every result with a verdict holds.", 3 + 2 + 1,
			map[string]plan.Level{
				"data.vsla_replication_estimate.measured": plan.Meets,
				"data.vsla_replication_estimate.guessed":  plan.Meets,
				"data.vsla_migration_plan.nights":         plan.Meets,
			},
			[]string{
				// The second estimate is that of TestBuild_growth. Of the first, 8 GiB change within 5 minutes. With 5
				// minutes configured, it needs 254.5 / 0.7 * 1.87 = 679.9 Mbit/s, so it holds for 12 ln(901 / 679.9) /
				// ln 1.25 months.
				">at risk after 24.1 months</text>",
				">at risk after 15.1 months</text>",
				"one cycle: 1.6 GiB in 15m",
				"day 2, 22:00",
				">window 1</text>",
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			text := planned(t, workspace(t, test.name), 0)
			r := build(t, text)
			assert.Equal(t, test.headline, r.Headline)
			all := subjects(r)
			for address, level := range test.levels {
				got, ok := all[address]
				require.True(t, ok, "%s is %q, want %q", address, got.Level, level)
				assert.Equal(t, level, got.Level, address)
			}
			drawn(t, r, test.figures)
			page := html(t, r)
			for _, says := range test.says {
				assert.Contains(t, page, says)
			}
			assert.Equal(t, page, html(t, build(t, text)), "the same plan has another page")
			checkPage(t, page)
			inspect(t, page)
		})
	}
}

func TestState(t *testing.T) {
	t.Parallel()
	w := workspace(t, "tiers")
	before := build(t, planned(t, w, 0))
	acctest.RunTerraform(t, w, 0, "apply", "-input=false", "tfplan")
	after := build(t, show(t, w))
	require.Equal(t, "state", after.Source.Kind)
	assert.Equal(t, "plan", before.Source.Kind)
	assert.Equal(t, before.Headline, after.Headline)
	assert.Len(t, after.Sections, len(before.Sections))
	drawn(t, after, 8)

	destroy := build(t, planned(t, w, 0, "-destroy"))
	assert.Equal(t, tiersHeadline, destroy.Headline)
}

const estimateArguments = `
  vm_count             = 15
  vm_size_gib          = 100
  daily_change_percent = 5
  rpo_minutes          = 15
  peak_factor          = 96
  throughput_basis     = "transfer"
`

func TestNotKnown(t *testing.T) {
	t.Parallel()
	w := inline(t, `
resource "terraform_data" "rate" {
  input = 901
}
data "vsla_replication_estimate" "unknown" {`+estimateArguments+`
  throughput_mbps = terraform_data.rate.output
}
data "vsla_replication_estimate" "pending" {`+estimateArguments+`
  throughput_mbps = 901
  depends_on      = [terraform_data.rate]
}
check "nested" {
  data "vsla_replication_estimate" "nested" {`+estimateArguments+`
    throughput_mbps = 440
  }
  assert {
    condition     = data.vsla_replication_estimate.nested.meets_rpo
    error_message = "The link is too slow."
  }
}
`)
	r := build(t, planned(t, w, 0))
	all := subjects(r)
	const estimate = "data.vsla_replication_estimate."
	unknown := all[estimate+"unknown"]
	pending := all[estimate+"pending"]
	nested := all[estimate+"nested"]
	assert.Equal(t, plan.Unknown, unknown.Level, "an unknown argument")
	assert.Contains(t, unknown.Summary, "known after apply", "an unknown argument")
	assert.Contains(t, unknown.Notes, "Inputs not known yet: throughput_mbps.", "an unknown argument")
	assert.Empty(t, unknown.Figures, "an unknown argument")
	assert.Equal(t, plan.Unknown, pending.Level, "a pending dependency")
	assert.Contains(t, pending.Summary, "depends_on", "a pending dependency")
	assert.Len(t, pending.Facts, 7, "a pending dependency")
	require.Equal(t, plan.Misses, nested.Level)
	assert.Len(t, nested.Figures, 1)
	require.Len(t, all, 3)
	assert.Equal(t, "Of 3 results with a verdict, 1 does not hold, 2 are not known.", r.Headline)
	assert.Contains(t, r.Notes, "Check of check.nested: The link is too slow.")
	assert.True(t, r.Fails(plan.Misses), "a miss does not fail")
	assert.True(t, r.Fails(plan.Unknown), "a miss does not fail")
	checkPage(t, html(t, r))
	acctest.RunTerraform(t, w, 0, "apply", "-input=false", "tfplan")
	state := build(t, show(t, w))
	assert.Equal(t, plan.AtRisk, subjects(state)["data.vsla_replication_estimate.unknown"].Level)
	destroy := build(t, planned(t, w, 0, "-destroy"))
	assert.True(t, destroy.Source.Destroys, "a destroy plan: %+v", destroy.Source)
	assert.True(t,
		slices.ContainsFunc(destroy.Notes, func(note string) bool { return strings.Contains(note, "destroys") }),
		"a destroy plan: %+v", destroy.Source)
}

func TestErrored(t *testing.T) {
	t.Parallel()
	w := inline(t, `
data "vsla_replication_estimate" "gold" {`+estimateArguments+`
  throughput_mbps = 440
}
resource "terraform_data" "promise" {
  lifecycle {
    precondition {
      condition     = data.vsla_replication_estimate.gold.violation_free
      error_message = "Tier gold cannot be promised."
    }
  }
}
`)
	r := build(t, planned(t, w, 1))
	assert.True(t, r.Source.Errored, "%+v, %q", r.Source, r.Notes)
	require.Len(t, r.Notes, 2)
	assert.Contains(t, r.Notes[1], "ended with an error")
	assert.Equal(t, "Check of terraform_data.promise: Tier gold cannot be promised.", r.Notes[0])
	got := subjects(r)["data.vsla_replication_estimate.gold"]
	require.Equal(t, plan.Misses, got.Level)
	assert.Len(t, got.Reasons, 1)

	w = inline(t, `
data "vsla_replication_estimate" "gold" {`+estimateArguments+`
  throughput_mbps = 2000
}
data "vsla_replication_estimate" "silver" {`+estimateArguments+`
  throughput_mbps = 1
  lifecycle {
    precondition {
      condition     = !var.fails
      error_message = "Not measured."
    }
  }
}
variable "fails" {
  type = bool
}
`)
	failed := planned(t, w, 1, "-var=fails=true")
	partial := planned(t, w, 0, "-var=fails=false", "-target=data.vsla_replication_estimate.gold")
	for text, want := range map[*[]byte]string{&failed: "ended with an error", &partial: "is partial"} {
		r := build(t, *text)
		require.NotEmpty(t, r.Notes)
		assert.Contains(t, r.Notes[len(r.Notes)-1], want)
		assert.Equal(t, plan.Unknown, r.Verdict)
		assert.True(t, r.Fails(plan.AtRisk), want)
		assert.False(t, r.Fails(plan.Misses), want)
	}
}
