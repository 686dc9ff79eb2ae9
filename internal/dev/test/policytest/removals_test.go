// Plans that take tags off.

package policytest_test

import (
	"path/filepath"
	"slices"
	"testing"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/dev/terraformcli"
)

const gold = "vsla_tag_association.gold"

// TestGate_removals takes a tag off two of three VMs: by a shorter list, by exclusive ownership of what others have
// tagged, and all three by destroying the association.
func TestGate_removals(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, cli terraformcli.CLI) {
		t.Helper()
		lab := acctest.Start(t, vcsim.Config{VMs: 4})
		lab.Keep()
		f := openWith(t, cli, []string{
			"VSPHERE_SERVER=" + lab.URL(), "VSPHERE_USER=" + lab.User(), "VSPHERE_PASSWORD=" + lab.Password(),
			"VSLA_CA_FILE=" + lab.CAFile(),
		}, "internal/dev/test/policytest/testdata/removals")
		plans := map[string]document{"first": f.plan(t, 0)}
		f.run(t, 0, "apply", "-input=false", "-no-color", "tfplan")
		plans["no change"] = f.plan(t, 0)
		plans["shorter"] = f.plan(t, 0, "-var=vm_count=1")
		plans["destroyed"] = f.plan(t, 0, "-destroy", "-target="+gold)
		f.run(t, 0, "state", "rm", gold)
		plans["exclusive"] = f.plan(t, 0, "-var=vm_count=1", "-var=ownership=exclusive")
		for limit, want := range map[int]map[string]bool{
			0: {"shorter": true, "exclusive": true, "destroyed": true},
			1: {"shorter": true, "exclusive": true, "destroyed": true},
			2: {"destroyed": true},
			3: {},
		} {
			file := filepath.Join(t.TempDir(), "gate.json")
			gate := document{"expected": []any{document{"address": "data.vsla_virtual_machines.all"}}}
			if limit > 0 {
				gate["removals"] = []any{document{"address": gold, "max_removes": limit}}
			}
			write(t, file, document{"gate": gate})
			for name, got := range ask(t, plans, file) {
				if denied := slices.Contains(got.denied, "tags_removed "+gold); denied != want[name] {
					t.Errorf("%s with a limit of %d: denied %q", name, limit, got.denied)
				}
				if whole := name != "destroyed"; whole && !want[name] && len(got.denied) > 0 {
					t.Errorf("%s with a limit of %d: denied %q", name, limit, got.denied)
				}
			}
		}
	})
}
