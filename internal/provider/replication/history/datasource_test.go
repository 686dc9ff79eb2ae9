package history_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/types"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/tagging"
)

const address = "data.vsla_replication_history.x"

func start(t *testing.T, vms, replicated int) (*acctest.Sites, []string) {
	t.Helper()
	s := acctest.StartSites(t, vms, gateway.Switches{})
	s.KeepReplications()
	ids := make([]string, 0, vms)
	for _, vm := range s.Protected.VMs() {
		require.NoError(t, s.Protected.SetPower(vm.ID, types.VirtualMachinePowerStatePoweredOn))
		s.SetUsed(vm.ID, 1e6)
		s.SetChangeRate(vm.ID, 1<<20)
		ids = append(ids, vm.ID)
	}
	require.NoError(t, s.AddReplications(60, ids[:replicated]...))
	return s, ids
}

func config(s *acctest.Sites, arguments ...string) string {
	return s.ProviderAt(s.Protected) + "data \"vsla_replication_history\" \"x\" {\n  " +
		strings.Join(arguments, "\n  ") + "\n}\n"
}

func vmIDs(ids ...string) string {
	quoted := make([]string, 0, len(ids))
	for _, id := range ids {
		quoted = append(quoted, strconv.Quote(id))
	}
	return "vm_ids = [" + strings.Join(quoted, ", ") + "]"
}

func number(attribute string, want, part float64) resource.TestCheckFunc {
	return acctest.CheckNear(address, attribute, want, part)
}

func TestAccReplicationHistory(t *testing.T) {
	t.Parallel()
	s, ids := start(t, 3, 2)
	s.Advance(20 * time.Hour)
	s.RemoteDown(true)
	s.Advance(3 * time.Hour)
	s.RemoteDown(false)
	s.Advance(25 * time.Hour)
	late := 0.0
	for _, r := range s.Replications() {
		for _, v := range r.Violations {
			late += v.End.Sub(v.Start).Minutes()
		}
	}
	of := func(i int, attribute string) string { return "virtual_machines." + ids[i] + "." + attribute }
	checks := resource.ComposeAggregateTestCheckFunc(
		resource.TestCheckResourceAttr(address, "from", s.Now().Add(-48*time.Hour).Format(time.RFC3339)),
		resource.TestCheckResourceAttr(address, "to", s.Now().Format(time.RFC3339)),
		resource.TestCheckResourceAttr(address, "total.violations", "2"),
		number("total.violation_minutes", late, 1e-6),
		number("total.daily_change_gib", 2*86400/1024.0, 0.01),
		number(of(0, "daily_change_gib"), 86400/1024.0, 0.01),
		number(of(0, "violation_minutes"), late/2, 0.01),
		resource.TestCheckResourceAttr(address, of(0, "rpo_minutes"), "60"),
		resource.TestCheckResourceAttr(address, of(0, "full_syncs"), "1"),
		resource.TestCheckResourceAttr(address, of(0, "violations"), "1"),
		resource.TestCheckResourceAttr(address, of(0, "hourly_weights.#"), "24"),
		resource.TestCheckResourceAttrSet(address, of(0, "change_curve.%")),
		resource.TestCheckResourceAttrSet(address, of(0, "compliance_percent")),
		// The third VM is not replicated.
		resource.TestCheckNoResourceAttr(address, of(2, "compliance_percent")),
		resource.TestCheckNoResourceAttr(address, of(2, "rpo_minutes")),
		number(of(2, "unknown_minutes"), 48*60, 1e-9),
		resource.TestCheckResourceAttr(address, "days.#", "2"),
		resource.TestCheckResourceAttr(address, "days.0.date", "2024-01-01"),
		number("days.0.violation_minutes", late, 1e-6),
		number("days.1.violation_minutes", 0, 0),
	)
	s.Run(t,
		resource.TestStep{Config: config(s, vmIDs(ids...), "lookback_hours = 48"), Check: checks},
		resource.TestStep{
			Config: config(s, vmIDs(ids[0]), "vm_details = false"),
			Check: resource.ComposeAggregateTestCheckFunc(
				resource.TestCheckNoResourceAttr(address, "virtual_machines.%"),
				resource.TestCheckResourceAttr(address, "lookback_hours", "720"),
				resource.TestCheckResourceAttr(address, "days.#", "30"),
				// 28 of the 30 days precede the first event.
				resource.TestCheckNoResourceAttr(address, "days.5.compliance_percent"),
				resource.TestCheckResourceAttrSet(address, "days.29.compliance_percent"),
			),
		},
	)
}

func TestAccReplicationHistory_tag(t *testing.T) {
	t.Parallel()
	s, ids := start(t, 2, 1)
	s.Advance(6 * time.Hour)
	category, err := s.Protected.Tags().AddCategory(tagging.Category{Name: "sla", Cardinality: "MULTIPLE"})
	require.NoError(t, err)
	var tags []string
	for _, name := range []string{"gold", "silver"} {
		tag, err := s.Protected.Tags().AddTag(tagging.Tag{Name: name, CategoryID: category})
		require.NoError(t, err)
		tags = append(tags, tag)
	}
	require.NoError(t, s.Protected.Tags().Attach(tags[0], tagging.Object{Type: "VirtualMachine", ID: ids[0]}))
	tag := func(n int) string { return config(s, "tag_id = "+strconv.Quote(tags[n]), "lookback_hours = 5") }
	s.Run(t,
		resource.TestStep{
			Config: tag(0),
			Check: resource.ComposeAggregateTestCheckFunc(
				resource.TestCheckResourceAttr(address, "virtual_machines.%", "1"),
				number("total.compliance_percent", 100, 0),
			),
		},
		resource.TestStep{
			Config: tag(1),
			Check: resource.ComposeAggregateTestCheckFunc(
				resource.TestCheckResourceAttr(address, "virtual_machines.%", "0"),
				resource.TestCheckResourceAttr(address, "event_count", "0"),
				resource.TestCheckNoResourceAttr(address, "total.compliance_percent"),
			),
		},
	)
}

func TestAccReplicationHistory_badInput(t *testing.T) {
	t.Parallel()
	s, ids := start(t, 2, 1)
	refused := func(message string, arguments ...string) resource.TestStep {
		argument, _, _ := strings.Cut(arguments[len(arguments)-1], " =") // the error must refer to the last argument
		return acctest.FailingStep(config(s, arguments...), `\d: `+argument+` =.*`+regexp.QuoteMeta(message))
	}
	s.Run(t,
		acctest.FailingStep(config(s, "lookback_hours = 1"), `one \(and only one\) of \[tag_id\] is required`),
		refused("These VMs do not exist in vCenter, or the user cannot read them: vm-none", vmIDs(ids[0], "vm-none")),
		refused("lookback_hours must be between 1 and 8,760 hours", vmIDs(ids[0]), "lookback_hours = 8761"),
		refused("read_minutes_max must be greater than 0", vmIDs(ids[0]), "read_minutes_max = 0"),
		refused("object does not exist", `tag_id = "urn:vmomi:InventoryServiceTag:none:GLOBAL"`),
	)
}

func TestAccReplicationHistory_fails(t *testing.T) {
	t.Parallel()
	s, ids := start(t, 2, 1)
	s.Advance(3 * time.Hour)
	s.Protected.Traffic().Break(fault.Rule{Kind: "soap:ReadNextEvents", Status: 400})
	s.Run(t, acctest.FailingStep(config(s, vmIDs(ids[0])), "Unable to Read Replication History"))
	assert.Equal(t, 0, s.Protected.Events().Collectors())
}
