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
// destroying the association), and moves VMs between protection groups. The columns of wants are the findings if 0, 1,
// 2 and 3 removals are allowed.
func TestLab(t *testing.T) {
	t.Parallel()
	wants := map[string][4]string{
		"first":              {"", "", "", ""},
		"no change":          {"", "", "", ""},
		"to as good a group": {"", "", "", ""},
		"to a weaker group":  {"weaker_than_tier", "weaker_than_tier", "weaker_than_tier", "weaker_than_tier"},
		"to no group":        {"protection_removed", "", "", ""},
		"shorter":            {"tags_removed", "tags_removed", "", ""},
		"exclusive":          {"tags_removed", "tags_removed", "", ""},
		"destroyed": {
			"destroys partial tags_removed",
			"destroys partial tags_removed",
			"destroys partial tags_removed",
			"destroys partial",
		},
	}
	acctest.ForEachCLI(t, func(t *testing.T, cli terraformcli.CLI) {
		t.Helper()
		plans := labPlans(t, cli)
		require.Len(t, plans, len(wants))
		for name, want := range wants {
			require.Contains(t, plans, name)
			for limit := range want {
				text := fmt.Sprintf("promises: { \"*\": { max_rpo_minutes: 60 } }\nother_categories: "+
					"[sla]\nchanges: { max_removes: %d }\n", limit)
				s, err := settings.Read(strings.NewReader(text), "policy.yaml")
				require.NoError(t, err)
				got, messages := codes(gate.Evaluate(plans[name], s, gate.Context{}))
				assert.Equal(t, want[limit], got, "%s, %d removals:\n%s", name, limit, messages)
			}
		}
	})
}

// estate is a configuration of a tag association and protection groups, with the cluster and two VMs of its lab.
type estate struct {
	config
	cluster, first, second string
}

func openEstate(t *testing.T, cli terraformcli.CLI) estate {
	t.Helper()
	lab := acctest.Start(t, vcsim.Config{VMs: 6})
	lab.KeepObjects()
	lab.AddProtection(t, snapservice.Config{})
	return estate{
		config:  openConfigWithLab(t, cli, lab, testdata+"/lab"),
		cluster: lab.Clusters()[0].ID,
		first:   lab.VMs()[0].ID,
		second:  lab.VMs()[2].ID, // VMs alternate between clusters
	}
}

// planGroups makes a plan with the groups gold and silver.
func (e estate) planGroups(t *testing.T, gold, silver group, more ...string) *tfplan.Plan {
	t.Helper()
	groups, err := json.Marshal(map[string]group{"gold": gold, "silver": silver})
	require.NoError(t, err)
	return e.plan(t, append([]string{
		"-var=cluster_id=" + e.cluster,
		"-var=cluster_pair_id=" + snapservice.PairID(e.cluster),
		"-var=groups=" + string(groups),
	}, more...)...)
}

// planStart makes a plan with the groups as they are first applied.
func (e estate) planStart(t *testing.T, more ...string) *tfplan.Plan {
	t.Helper()
	return e.planGroups(t, group{[]string{e.first, e.second}, 15}, group{[]string{e.first}, 60}, more...)
}

func labPlans(t *testing.T, cli terraformcli.CLI) map[string]*tfplan.Plan {
	t.Helper()
	const association = "vsla_tag_association.gold"
	e := openEstate(t, cli)
	plans := map[string]*tfplan.Plan{"first": e.planStart(t)}
	e.run(t, 0, "apply", "-input=false", "-no-color", "tfplan")
	gold, both := group{[]string{e.first}, 15}, []string{e.first, e.second}
	plans["no change"] = e.planStart(t)
	plans["to a weaker group"] = e.planGroups(t, gold, group{both, 60})
	plans["to as good a group"] = e.planGroups(t, gold, group{both, 15})
	plans["to no group"] = e.planGroups(t, gold, group{[]string{e.first}, 60})
	plans["shorter"] = e.planStart(t, "-var=vm_count=1")
	plans["destroyed"] = e.planStart(t, "-destroy", "-target="+association)
	e.run(t, 0, "state", "rm", association)
	plans["exclusive"] = e.planStart(t, "-var=vm_count=1", "-var=ownership=exclusive")
	return plans
}
