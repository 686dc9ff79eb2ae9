package provider_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"terraform-provider-vsla/internal/dev/acctest"
)

// TestAccCalculators_badInput verifies that bad inputs cause attribute errors. Without the provider's own validation,
// some of them would make Terraform or the framework panic or report a provider bug.
func TestAccCalculators_badInput(t *testing.T) {
	t.Parallel()
	group := func(kind, arguments string) string {
		return "data \"" + kind + "\" \"x\" {\n  vm_count = 15\n  vm_size_gib = 100\n  rpo_minutes = 15\n  " +
			strings.ReplaceAll(arguments, "; ", "\n  ") + "\n}\n"
	}
	refused := func(config string, words ...string) resource.TestStep {
		return resource.TestStep{
			Config:      config,
			PlanOnly:    true,
			ExpectError: acctest.ErrorPattern(strings.Join(words, " ")),
		}
	}
	const large = `got\s+a\s+number\s+that\s+is\s+too\s+large`
	acctest.RunOffline(t,
		refused(group("vsla_replication_estimate", "daily_change_percent = 5; throughput_mbps = 1e999"),
			"throughput_mbps", "must", "be", "between", ".*"+large),
		// In the configuration, these map keys are written as numbers.
		refused(group("vsla_replication_estimate", "change_curve = { 15 = -1 }; throughput_mbps = 500"),
			`change_curve = \{ 15 = -1 \}.*change_curve\["15"\]`, "must", "be", "between"),
		refused(group("vsla_replication_estimate", "change_curve = { 15 = 2, 30 = 1 }; throughput_mbps = 500"),
			`change_curve\["30"\]`, "must", "be", "at", "least", "2", "GiB"),
		refused("data \"vsla_replication_estimate\" \"x\" {\n  vm_count = 0\n  vm_size_gib = 10\n  rpo_minutes = 15\n"+
			"  daily_change_percent = 5\n  throughput_mbps = 500\n}\n",
			"vm_count", "must", "be", "between", ".*got", "0;", "if", "the", "value", "is", "from",
			"vsla_virtual_machines"),
		refused("data \"vsla_migration_plan\" \"x\" {\n  throughput_mbps = 1000\n"+
			"  virtual_machines = { 1 = { memory_gib = -1 } }\n}\n",
			`virtual_machines\["1"\]\.memory_gib`, "must", "be", "between"),
	)
}
