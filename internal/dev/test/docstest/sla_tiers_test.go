package docstest_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/dev/terraformcli"
)

const tiersExample = "examples/sla-tiers"

// impatient raises the request limit so that the provider does not wait. The lab has no limit.
const impatient = "provider \"vsla\" {\n  replication = {\n    requests_per_minute = 6000\n  }\n}\n"

// tiersLab returns a lab with two VMs for each tier of the example and very short initial syncs.
func tiersLab(t *testing.T) (*acctest.Lab, *gateway.Gateway) {
	t.Helper()
	lab := acctest.Start(t, vcsim.Config{VMs: 8})
	g := lab.AddReplication(t, gateway.Config{})
	g.StepPerPoll(20 * time.Second)
	for _, vm := range lab.VMs() {
		g.SetUsed(vm.ID, 1e6)
	}
	return lab, g
}

func TestTiers_terraformTest(t *testing.T) {
	t.Parallel()
	root, err := acctest.Root()
	require.NoError(t, err)
	acctest.ForEachCLI(t, func(t *testing.T, cli terraformcli.CLI) {
		t.Helper()
		lab, _ := tiersLab(t)
		w, dir := acctest.WorkspaceWithCLI(t, cli, lab, tiersExample)
		require.NoError(t, os.CopyFS(filepath.Join(dir, "tests"), os.DirFS(filepath.Join(root, tiersExample, "tests"))))
		write(t, dir, "provider.tf", impatient)
		out := acctest.RunTerraform(t, w, 0, "test", "-no-color")
		assert.Contains(t, out, "9 passed, 0 failed")
	})
}

type complianceOutput struct {
	Compliant             bool              `json:"compliant"`
	Summary               string            `json:"summary"`
	Count                 int               `json:"vm_count"`
	Unprotected           []string          `json:"unprotected"`
	Weaker                []string          `json:"weaker_than_promised"`
	InViolation           []string          `json:"in_violation"`
	SeveralTiers          []string          `json:"several_tiers"`
	UntaggedButReplicated []string          `json:"untagged_but_replicated"`
	Verdicts              map[string]string `json:"verdicts"`
}

func planned(t *testing.T, w *terraformcli.Workspace, code int) (complianceOutput, string) {
	t.Helper()
	said := acctest.RunTerraform(t, w, code, "plan", "-detailed-exitcode", "-out=tfplan", "-input=false", "-no-color")
	cmd := w.Command(t.Context(), "show", "-json", "tfplan")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, io.Discard
	require.NoError(t, cmd.Run())
	var plan struct {
		Values struct {
			Outputs struct {
				Compliance struct {
					Value complianceOutput `json:"value"`
				} `json:"compliance"`
			} `json:"outputs"`
		} `json:"planned_values"`
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &plan))
	return plan.Values.Outputs.Compliance.Value, said
}

func TestTiers_drift(t *testing.T) {
	t.Parallel()
	acctest.ForEachCLI(t, func(t *testing.T, cli terraformcli.CLI) {
		t.Helper()
		lab, g := tiersLab(t)
		w, dir := acctest.WorkspaceWithCLI(t, cli, lab, tiersExample)
		write(t, dir, "provider.tf", impatient)
		acctest.RunTerraform(t, w, 0, "apply", "-auto-approve", "-input=false", "-no-color")
		id := make(map[string]string)
		for _, vm := range lab.VMs() {
			id[vm.Name] = vm.ID
		}
		db := id["db-0003"]
		app := id["app-0002"]
		other := id["web-0001"]
		gold := tagID(t, lab, "gold")

		// The first plan after the apply refreshes all resources, so only the output changes.
		now, said := planned(t, w, 0)
		if !now.Compliant || now.Count != 4 || len(now.Verdicts) > 0 ||
			now.Summary != "All promises are met for 4 VMs." {
			t.Fatalf("%+v\n%s", now, said)
		}
		want := complianceOutput{
			Count:                 4,
			Unprotected:           []string{},
			Weaker:                []string{},
			InViolation:           []string{},
			SeveralTiers:          []string{},
			UntaggedButReplicated: []string{},
			Verdicts:              map[string]string{},
		}
		for _, step := range []struct {
			what   string
			do     func()
			expect func()
		}{
			{"the tag is taken off", func() {
				require.NoError(t, lab.Tags().Detach(gold, tagging.Object{Type: "VirtualMachine", ID: id["db-0007"]}))
			}, func() {
				want.Compliant, want.Count = true, 3
				want.UntaggedButReplicated = []string{id["db-0007"]}
				want.Verdicts[id["db-0007"]] = "untagged"
			}},
			{"the RPO is weakened", func() { g.ChangeRPO(db, 240) }, func() {
				want.Compliant = false
				want.Weaker, want.Verdicts[db] = []string{db}, "weaker_than_promised"
			}},
			{"a replication is paused", func() { g.PauseReplication(app, true) }, func() {
				want.Unprotected, want.Verdicts[app] = []string{app}, "paused"
			}},
			{"a VM is tagged by hand", func() {
				require.NoError(t, lab.Tags().Attach(gold, tagging.Object{Type: "VirtualMachine", ID: other}))
			}, func() {
				want.Count = 4
				want.Unprotected, want.Verdicts[other] = []string{other, app}, "unprotected"
			}},
		} {
			step.do()
			step.expect()
			got, said := planned(t, w, 2)
			want.Summary = got.Summary
			assert.Equal(t, want, got, step.what)
			assert.NotEqual(t, want.Compliant, strings.Contains(said, "Check block assertion failed"),
				"%v, %v", step.what, said)
		}
		// The apply repairs the tag and the RPO. It does not resume the paused replication or remove the tag attached
		// by hand.
		acctest.RunTerraform(t, w, 0, "apply", "-auto-approve", "-input=false", "-no-color")
		got, _ := planned(t, w, 2)
		want.Count = 5
		want.Weaker = []string{}
		want.UntaggedButReplicated = []string{}
		want.Verdicts = map[string]string{app: "paused", other: "unprotected"}
		want.Summary = got.Summary
		assert.Equal(t, want, got)
		require.NoError(t, lab.Tags().Detach(gold, tagging.Object{Type: "VirtualMachine", ID: other}))
		acctest.RunTerraform(t, w, 0, "destroy", "-auto-approve", "-input=false", "-no-color")
		assert.Empty(t, g.Replications())
	})
}

func tagID(t *testing.T, lab *acctest.Lab, name string) string {
	t.Helper()
	for _, tag := range lab.Tags().Tags() {
		if tag.Name == name {
			return tag.ID
		}
	}
	t.Fatalf("there is no tag %q", name)
	return ""
}

func read(t *testing.T, path ...string) []byte {
	t.Helper()
	root, err := acctest.Root()
	require.NoError(t, err)
	content, err := os.ReadFile(filepath.Join(root, filepath.Join(path...)))
	require.NoError(t, err)
	return content
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
}
