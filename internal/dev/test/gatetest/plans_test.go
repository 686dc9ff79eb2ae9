// Plans of every CLI, and the gate's decisions.

package gatetest_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/terraformcli"
	"terraform-provider-vsla/internal/gate"
	"terraform-provider-vsla/internal/gate/judge"
	"terraform-provider-vsla/internal/gate/settings"
	"terraform-provider-vsla/internal/gate/tfplan"
)

const (
	testdata = "internal/dev/test/gatetest/testdata"
	example  = "examples/policy/plan"
	policy   = "examples/policy/policy.yaml"
)

type planned struct {
	Name               string
	From               string
	Settings           string
	Codes              string
	Says               string
	Needs              string // minimum version of Terraform
	Without, Add, Args []string
	Exit               int
	Applied            bool
}

func decide(t *testing.T, plan *tfplan.Plan, file string) gate.Decision {
	t.Helper()
	s, err := settings.Read(strings.NewReader(read(t, file)), file)
	require.NoError(t, err)
	return gate.Evaluate(plan, s, gate.Context{Today: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)})
}

// codes returns the codes of a decision, and its messages.
func codes(d gate.Decision) (found, messages string) {
	var all, texts []string
	for _, f := range d.Denied {
		all = append(all, string(f.Code))
		texts = append(texts, string(f.Code)+": "+f.Subject+" "+f.Message)
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), " "), strings.Join(texts, "\n")
}

func TestPlans(t *testing.T) {
	t.Parallel()
	acctest.ForEachCLI(t, func(t *testing.T, cli terraformcli.CLI) {
		t.Helper()
		folders := map[string]config{}
		for _, p := range loadYAML[[]planned](t, testdata, "planned.yaml") {
			if p.Needs != "" && !cli.AtLeast(p.Needs) {
				continue
			}
			key := strings.Join(slices.Concat([]string{p.From}, p.Without, p.Add), " ")
			if p.Applied {
				key += " applied"
			}
			f, made := folders[key]
			if !made {
				f = openConfig(t, cli, p.From, p.Without...).with(t, p.Add...)
				f.run(t, 0, "get")
				if p.Applied {
					f.run(t, 0, "apply", "-auto-approve", "-input=false", "-no-color")
				}
				folders[key] = f
			}
			want := slices.Sorted(strings.FieldsSeq(p.Codes))
			assert.Contains(t, flat(f.runPlan(t, p.Exit, p.Args...)), p.Says, p.Name)
			got, messages := codes(decide(t, f.planned(t), p.Settings))
			assert.Equal(t, strings.Join(want, " "), got, "%s:\n%s", p.Name, messages)
		}
	})
}

// TestInitial verifies that a plan passes with the settings that are made from it.
func TestInitial(t *testing.T) {
	t.Parallel()
	acctest.ForEachCLI(t, func(t *testing.T, cli terraformcli.CLI) {
		t.Helper()
		plan := openConfig(t, cli, example).plan(t)
		initial, err := judge.Initial(plan)
		require.NoError(t, err)
		s, err := settings.Read(bytes.NewReader(initial), policy)
		require.NoError(t, err)
		_, messages := codes(gate.Evaluate(plan, s, gate.Context{}))
		assert.Empty(t, messages)
	})
}
