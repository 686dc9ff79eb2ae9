package policytest_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	reviewed "terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/report"
)

// TestExpiredEvents verifies that data source, gate and review call a tier unknown if vCenter has events of 2 of 48
// hours only, although all that is known keeps the promise. `vsla compliance` and its metrics judge no period.
func TestExpiredEvents(t *testing.T) {
	t.Parallel()
	s := acctest.StartSitesOf(t, vcsim.Config{VMs: 1}, gateway.Switches{})
	s.Keep()
	vm := s.Protected.VMs()[0].ID
	category, err := s.Protected.Tags().AddCategory(tagging.Category{Name: "sla", Cardinality: "SINGLE"})
	require.NoError(t, err)
	gold, err := s.Protected.Tags().AddTag(tagging.Tag{Name: "gold", CategoryID: category})
	require.NoError(t, err)
	require.NoError(t, s.Protected.Tags().Attach(gold, tagging.Object{Type: "VirtualMachine", ID: vm}))
	s.SetChangeRate(vm, 1e5)
	require.NoError(t, s.AddReplications(15, vm))
	s.Advance(72 * time.Hour)
	w, dir := acctest.WorkspaceOf(t, first(t), nil, testdata+"/nothing", append(s.Environment(),
		"VSPHERE_SERVER="+s.Protected.URL(), "VSPHERE_USER="+s.Protected.User(),
		"VSPHERE_PASSWORD="+s.Protected.Password())...)
	f := folder{w, dir}.add(t, "main.tf", `
terraform {
  required_providers {
    vsla = { source = "vsla/vsla" }
  }
}
data "vsla_sla_compliance" "main" {
  pairing_id     = "`+s.PairingID()+`"
  lookback_hours = 48
  tiers = { gold = { tag_id = "`+gold+`", rpo_minutes = 15, compliance_percent = 99 } }
}
`)
	const address = "data.vsla_sla_compliance.main"
	gate := filepath.Join(t.TempDir(), "gate.json")
	write(t, gate, document{"gate": document{"expected": []any{
		document{"address": address, "tiers": document{"gold": document{}}},
	}}})
	for _, test := range []struct {
		lost                 time.Duration
		verdict, gate, shown string
	}{{0, "kept", "", "holds"}, {70 * time.Hour, "unknown", "not_measured", "not known"}} {
		s.Protected.Events().Lose(vcsim.Epoch, vcsim.Epoch.Add(test.lost))
		plan := f.plan(t)
		text, err := json.Marshal(plan)
		require.NoError(t, err)
		assert.Contains(t, string(text), `"verdict":"`+test.verdict+`"`)

		file := filepath.Join(t.TempDir(), "plan.json")
		require.NoError(t, os.WriteFile(file, text, 0o600))
		codes, ok := opa.run(t, "eval", "--format=raw", "--data="+kit, "--data="+gate, "--input="+file,
			"concat(\" \", {d.code | some d in data.vsla.deny})")
		require.True(t, ok, codes)
		assert.Equal(t, test.gate, strings.TrimSpace(codes))

		d, err := reviewed.Read(bytes.NewReader(text))
		require.NoError(t, err)
		review := report.Cover{}.Build(d)
		i := slices.IndexFunc(review.Sections, func(s report.Section) bool { return s.ID == "sla" })
		require.GreaterOrEqual(t, i, 0)
		row := review.Sections[i].Tables[0].Rows[0]
		assert.Equal(t, []string{"gold", test.shown}, []string{row[0].Text, row[len(row)-1].Text})
	}
}
