// Plans with the lab that remove tags or protection.

package gatetest_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/snapservice"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/dev/terraformcli"
	"terraform-provider-vsla/internal/gate"
	"terraform-provider-vsla/internal/gate/settings"
	"terraform-provider-vsla/internal/gate/tfplan"
)

type group struct {
	VMs []string `json:"vm_ids"`
	RPO int      `json:"rpo_minutes"`
}

// TestLab detaches a tag from two of three VMs (by shortening the list or by exclusive ownership) or from all three (by
// destroying the association), and moves VMs between protection groups.
func TestLab(t *testing.T) {
	t.Parallel()
	acctest.ForEachCLI(t, func(t *testing.T, cli terraformcli.CLI) {
		t.Helper()
		for name, plan := range labPlans(t, cli) {
			for limit := range 4 {
				want := map[string]string{
					"destroyed":         "destroys partial",
					"to a weaker group": "weaker_than_tier",
					"to no group":       "protection_removed",
				}[name]
				lost := map[string]int{"shorter": 2, "exclusive": 2, "destroyed": 3, "to no group": 1}[name]
				switch {
				case lost > limit && name != "to no group":
					want = strings.TrimSpace(want + " tags_removed")
				case lost <= limit && name == "to no group":
					want = ""
				}
				text := fmt.Sprintf("promises: { \"*\": { max_rpo_minutes: 60 } }\nother_categories: "+
					"[sla]\nchanges: { max_removes: %d }\n", limit)
				s, err := settings.Read(strings.NewReader(text), "policy.yaml")
				require.NoError(t, err)
				got, messages := codes(gate.Evaluate(plan, s, gate.Context{}))
				assert.Equal(t, want, got, "%s, %d removals:\n%s", name, limit, messages)
			}
		}
	})
}

func labPlans(t *testing.T, cli terraformcli.CLI) map[string]*tfplan.Plan {
	t.Helper()
	const association = "vsla_tag_association.gold"
	lab := acctest.Start(t, vcsim.Config{VMs: 6})
	lab.KeepObjects()
	lab.AddProtection(t, snapservice.Config{})
	f := openConfigWithLab(t, cli, lab, testdata+"/lab")
	cluster := lab.Clusters()[0].ID
	first := lab.VMs()[0].ID
	second := lab.VMs()[2].ID // VMs alternate between clusters
	arguments := func(groups map[string]group, more ...string) []string {
		value, err := json.Marshal(groups)
		require.NoError(t, err)
		return append([]string{
			"-var=cluster_id=" + cluster,
			"-var=cluster_pair_id=" + snapservice.PairID(cluster),
			"-var=groups=" + string(value),
		}, more...)
	}
	both := map[string]group{"gold": {[]string{first, second}, 15}, "silver": {[]string{first}, 60}}
	plans := map[string]*tfplan.Plan{"first": f.plan(t, arguments(both)...)}
	f.run(t, 0, "apply", "-input=false", "-no-color", "tfplan")
	moved := func(gold, silver group) *tfplan.Plan {
		return f.plan(t, arguments(map[string]group{"gold": gold, "silver": silver})...)
	}
	plans["no change"] = f.plan(t, arguments(both)...)
	plans["to a weaker group"] = moved(group{[]string{first}, 15}, group{[]string{first, second}, 60})
	plans["to as good a group"] = moved(group{[]string{first}, 15}, group{[]string{first, second}, 15})
	plans["to no group"] = moved(group{[]string{first}, 15}, group{[]string{first}, 60})
	plans["shorter"] = f.plan(t, arguments(both, "-var=vm_count=1")...)
	plans["destroyed"] = f.plan(t, arguments(both, "-destroy", "-target="+association)...)
	f.run(t, 0, "state", "rm", association)
	plans["exclusive"] = f.plan(t, arguments(both, "-var=vm_count=1", "-var=ownership=exclusive")...)
	return plans
}
