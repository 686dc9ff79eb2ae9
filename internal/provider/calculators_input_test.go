package provider_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"terraform-provider-vsla/internal/dev/acctest"
)

// TestAccCalculators_badInput verifies that invalid input results in an attribute error. Terraform or the framework
// would report a provider bug or panic.
func TestAccCalculators_badInput(t *testing.T) {
	t.Parallel()
	group := func(kind, arguments string) string {
		return "data \"" + kind + "\" \"x\" {\n  vm_count = 15\n  vm_size_gib = 100\n  rpo_minutes = 15\n  " +
			strings.ReplaceAll(arguments, "; ", "\n  ") + "\n}\n"
	}
	refused := func(config string, words ...string) resource.TestStep {
		return resource.TestStep{
			Config: config, PlanOnly: true, ExpectError: acctest.Says(strings.Join(words, " ")),
		}
	}
	const large = `got\s+a\s+number\s+too\s+large\s+to\s+compute\s+with`
	acctest.Offline(t,
		refused(group("vsla_replication_estimate", "daily_change_percent = 5; throughput_mbps = 1e999"),
			"throughput_mbps", "must", "be", "between", ".*"+large),
		refused(group("vsla_replication_confidence",
			"daily_change_percent = 5; throughput_mbps = { low = 1, likely = 5, high = 1e999 }"),
			`throughput_mbps\.high`, "must", "be", "between", ".*"+large),
		refused(group("vsla_replication_confidence",
			"daily_change_percent = 5; throughput_mbps = { low = 10, likely = 5, high = 20 }"),
			`throughput_mbps\.low`, "must", "be", "at", "most", "the", "likely", "5,", "got", "10"),
		refused(group("vsla_replication_confidence", "daily_change_percent = 5; throughput_mbps = { low = 1, high = 2 }"),
			`throughput_mbps\.likely`, "is", "required"),
		refused(group("vsla_replication_confidence", "daily_change_percent = 5; throughput_mbps = [1, 2, 3]"),
			"throughput_mbps", "must", "be", "a", "number,", "got", "a", "list"),
		// Map keys that are not strings in the configuration.
		refused(group("vsla_replication_estimate", "change_curve = { 15 = -1 }; throughput_mbps = 500"),
			`change_curve = \{ 15 = -1 \}.*change_curve\["15"\]`, "must", "be", "between"),
		refused(group("vsla_replication_estimate", "change_curve = { 15 = 2, 30 = 1 }; throughput_mbps = 500"),
			`change_curve\["30"\]`, "must", "be", "at", "least", "the", "2", "GiB"),
		refused("data \"vsla_replica_storage\" \"x\" {\n  vm_count = 0\n  used_gib = 10\n  rpo_minutes = 15\n"+
			"  daily_change_percent = 5\n}\n",
			"vm_count", "must", "be", "between", ".*got", "0;", "if", "it", "comes", "from", "vsla_virtual_machines"),
		refused("data \"vsla_migration_plan\" \"x\" {\n  throughput_mbps = 1000\n"+
			"  virtual_machines = { 1 = { memory_gib = -1 } }\n}\n",
			`virtual_machines\["1"\]\.memory_gib`, "must", "be", "between"),
	)
}
