// Lab plans that remove protection or tags.

package policytest_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/snapservice"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/dev/terraformcli"
)

type group struct {
	VMs []string `json:"vm_ids"`
	RPO int      `json:"rpo_minutes"`
}

// labRows returns plans that detach a tag from two of three VMs (by shortening the list or by exclusive ownership) or
// from all three (by destroying the association). It also returns plans that move VMs between protection groups.
func labRows(t *testing.T, cli terraformcli.CLI) []row {
	t.Helper()
	const association = "vsla_tag_association.gold"
	lab := acctest.Start(t, vcsim.Config{VMs: 6})
	lab.KeepObjects()
	lab.AddProtection(t, snapservice.Config{})
	f := openConfigWithLab(t, cli, lab, testdata+"/lab")
	cluster, first, second := lab.Clusters()[0].ID, lab.VMs()[0].ID, lab.VMs()[2].ID // VMs alternate between clusters
	arguments := func(groups map[string]group, more ...string) []string {
		value, err := json.Marshal(groups)
		require.NoError(t, err)
		return append([]string{
			"-var=cluster_id=" + cluster, "-var=cluster_pair_id=" + snapservice.PairID(cluster), "-var=groups=" + string(value),
		}, more...)
	}
	both := map[string]group{"gold": {[]string{first, second}, 15}, "silver": {[]string{first}, 60}}
	plans := map[string]document{"first": f.plan(t, arguments(both)...)}
	f.run(t, 0, "apply", "-input=false", "-no-color", "tfplan")
	moved := func(gold, silver group) document {
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

	var rows []row
	for limit := range 4 {
		gate := document{
			"expected": []any{document{"address": "data.vsla_virtual_machines.all"}},
			"removals": []any{document{"address": association, "max_removes": limit}},
			"promises": []any{document{"address": "vsla_protection_group.tier", "rpo_minutes": 60}},
		}
		codes := map[string]string{
			"destroyed": "destroys partial", "to a weaker group": "weaker_than_tier", "to no group": "protection_removed",
		}
		if limit < 3 {
			codes["destroyed"] += " tags_removed"
		}
		if limit < 2 {
			codes["shorter"], codes["exclusive"] = "tags_removed", "tags_removed"
		}
		for name, plan := range plans {
			title := fmt.Sprintf("%s, %d removals", name, limit)
			rows = append(rows, row{Name: title, Plan: plan, Gate: gate, Codes: codes[name]})
		}
	}
	return rows
}
