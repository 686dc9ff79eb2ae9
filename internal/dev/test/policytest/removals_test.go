// Plans that detach tags.

package policytest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/dev/terraformcli"
)

const gold = "vsla_tag_association.gold"

// TestGate_removals detaches a tag from two of three VMs: by a shorter list, by exclusive ownership of tags that others
// attached, and from all three by destroying the association.
func TestGate_removals(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, cli terraformcli.CLI) {
		t.Helper()
		lab := acctest.Start(t, vcsim.Config{VMs: 4})
		lab.Keep()
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(filepath.Join(root(t), testdata, "removals"))); err != nil {
			t.Fatal(err)
		}
		f := enter(t, cli, dir, "VSPHERE_SERVER="+lab.URL(), "VSPHERE_USER="+lab.User(),
			"VSPHERE_PASSWORD="+lab.Password(), "VSLA_CA_FILE="+lab.CAFile())
		plans := map[string]document{"first": f.plan(t, 0)}
		f.run(t, 0, "apply", "-input=false", "-no-color", "tfplan")
		plans["no change"] = f.plan(t, 0)
		plans["shorter"] = f.plan(t, 0, "-var=vm_count=1")
		plans["destroyed"] = f.plan(t, 0, "-destroy", "-target="+gold)
		f.run(t, 0, "state", "rm", gold)
		plans["exclusive"] = f.plan(t, 0, "-var=vm_count=1", "-var=ownership=exclusive")
		for limit, removed := range []string{
			"shorter exclusive destroyed", "shorter exclusive destroyed", "destroyed", "",
		} {
			gate := document{
				"expected": []any{document{"address": "data.vsla_virtual_machines.all"}},
				"removals": []any{document{"address": gold, "max_removes": limit}},
			}
			want := map[string]string{"destroyed": "destroys partial"}
			for name := range strings.FieldsSeq(removed) {
				want[name] = strings.TrimSpace(want[name] + " tags_removed")
			}
			file := filepath.Join(t.TempDir(), "gate.json")
			write(t, file, document{"gate": gate})
			check(t, plans, want, file)
		}
	})
}
