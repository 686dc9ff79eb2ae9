package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

func TestCLI_warnsOfVMsLeftOut(t *testing.T) {
	t.Parallel()
	// Of 22 VMs, two are powered off (i = 10 and 21). There is also a template (22), and there are twelve inaccessible
	// VMs (23 to 34).
	lab := acctest.Start(t, vcsim.Config{VMs: 22, Templates: 1, Inaccessible: 12, StatisticsLevel: 2})
	w, dir := acctest.Workspace(t, lab, "examples/data-sources/vsla_change_rates")
	text := `
terraform {
  required_providers {
    vsla = { source = "vsla/vsla" }
  }
}

data "vsla_virtual_machines" "all" {}

data "vsla_change_rates" "all" {
  vm_ids = concat(data.vsla_virtual_machines.all.ids, data.vsla_virtual_machines.all.templates)
}
`
	require.NoError(t, os.WriteFile(filepath.Join(dir, "data-source.tf"), []byte(text), 0o600))
	out := acctest.RunTerraform(t, w, 0, "plan", "-input=false", "-no-color")
	words := strings.Join(strings.Fields(strings.ReplaceAll(out, "│", " ")), " ")
	vm := func(i int) string { return fmt.Sprintf("%s (%s", lab.VMs()[i].ID, lab.VMs()[i].Name) }
	for _, want := range []string{
		"Warning: VMs Excluded", vm(23) + ")", "and 2 more. They are excluded from ids",
		"Warning: VMs Without Statistics", "3 of 23 VMs have no 300-second samples in the last 24 hours",
		vm(10) + ", poweredOff)", vm(21) + ", poweredOff)", vm(22) + ", a template)",
	} {
		assert.Contains(t, words, want, out)
	}
}

func TestCLI_warnsOfLongCalculations(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: 1})
	w, dir := acctest.Workspace(t, lab, "examples/data-sources/vsla_change_rates")
	for _, test := range []struct {
		vms    int
		limit  string // Only plans with a limit of concurrent syncs are simulated.
		warned bool
	}{
		{vms: 50_000, limit: "max_concurrent_syncs = 1000", warned: true},
		{vms: 50_000},
		{vms: 400, limit: "max_concurrent_syncs = 100"},
	} {
		text := fmt.Sprintf(`
terraform {
  required_providers {
    vsla = { source = "vsla/vsla" }
  }
}

data "vsla_sla_plan" "all" {
  links = { metro = { throughput_mbps = 60000 } }
  %s
  tiers = {
    all = { vm_count = %d, vm_size_gib = 100, daily_change_percent = 3, rpo_minutes = 15 }
  }
}
`, test.limit, test.vms)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "data-source.tf"), []byte(text), 0o600))
		out := acctest.RunTerraform(t, w, 0, "validate", "-no-color")
		assert.Equal(t, test.warned, strings.Contains(out, "Warning: Long Calculation"), "%v, %v", test, out)
	}
}
