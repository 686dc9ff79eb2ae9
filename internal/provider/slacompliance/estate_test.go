package slacompliance_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/types"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

const address = "data.vsla_sla_compliance.x"

// estate has two sites and the tags of two tiers. gold promises an RPO of 15 minutes, and silver an RPO of 60 minutes.
type estate struct {
	*acctest.Sites
	gold, silver string
}

// start returns an estate in which all VMs are powered on and use 1 MB each, so that an initial sync takes almost no
// time.
func start(t *testing.T, protected vcsim.Config, switches gateway.Switches) *estate {
	t.Helper()
	e := &estate{Sites: acctest.StartSitesWith(t, protected, switches)}
	e.KeepReplications()
	e.gold, e.silver = tags(t, e.Protected)
	for _, vm := range e.Protected.VMs() {
		e.SetUsed(vm.ID, 1e6)
		if vm.PowerState != "poweredOn" && vm.ConnectionState == "connected" && !vm.Template {
			require.NoError(t, e.Protected.SetPower(vm.ID, types.VirtualMachinePowerStatePoweredOn))
		}
	}
	return e
}

func tags(t *testing.T, v *vcsim.VCenter) (gold, silver string) {
	t.Helper()
	category, err := v.Tags().AddCategory(tagging.Category{Name: "sla", Cardinality: "MULTIPLE"})
	require.NoError(t, err)
	gold, err = v.Tags().AddTag(tagging.Tag{Name: "gold", CategoryID: category})
	require.NoError(t, err)
	silver, err = v.Tags().AddTag(tagging.Tag{Name: "silver", CategoryID: category})
	require.NoError(t, err)
	return gold, silver
}

func (e *estate) id(n int) string { return e.Protected.VMs()[n].ID }

func (e *estate) tag(t *testing.T, tag string, n int) {
	t.Helper()
	require.NoError(t, e.Protected.Tags().Attach(tag, tagging.Object{Type: "VirtualMachine", ID: e.id(n)}))
}

func (e *estate) replicate(t *testing.T, rpo int64, vms ...int) {
	t.Helper()
	ids := make([]string, 0, len(vms))
	for _, n := range vms {
		ids = append(ids, e.id(n))
	}
	require.NoError(t, e.AddReplications(rpo, ids...))
}

func (e *estate) settle() { e.Advance(30 * time.Minute) }

func (e *estate) config(lines string) string {
	return e.ProviderAt(e.Protected) + e.dataSource(e.PairingID(), e.gold, e.silver, lines)
}

func (e *estate) dataSource(pairing, gold, silver, lines string) string {
	return fmt.Sprintf(`
data "vsla_sla_compliance" "x" {
  pairing_id = %q
  tiers = {
    gold   = { tag_id = %q, rpo_minutes = 15 }
    silver = { tag_id = %q, rpo_minutes = 60 }
  }
  %s
}
`, pairing, gold, silver, lines)
}

func holds(list string, ids ...string) resource.TestCheckFunc {
	checks := []resource.TestCheckFunc{resource.TestCheckResourceAttr(address, list+".#", strconv.Itoa(len(ids)))}
	for i, id := range ids {
		checks = append(checks, resource.TestCheckResourceAttr(address, fmt.Sprintf("%s.%d", list, i), id))
	}
	return resource.ComposeAggregateTestCheckFunc(checks...)
}

// is checks the attributes of a VM. An empty value means null.
func (e *estate) is(n int, tier, promised, configured, status, verdict string) resource.TestCheckFunc {
	at := "virtual_machines." + e.id(n) + "."
	checks := []resource.TestCheckFunc{resource.TestCheckResourceAttr(address, at+"name", e.Protected.VMs()[n].Name)}
	for attribute, want := range map[string]string{
		"tier":                   tier,
		"promised_rpo_minutes":   promised,
		"configured_rpo_minutes": configured,
		"status":                 status,
		"verdict":                verdict,
	} {
		if want == "" {
			checks = append(checks, resource.TestCheckNoResourceAttr(address, at+attribute))
			continue
		}
		checks = append(checks, resource.TestCheckResourceAttr(address, at+attribute, want))
	}
	return resource.ComposeAggregateTestCheckFunc(checks...)
}
