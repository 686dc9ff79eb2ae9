package slacompliance_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

func removal(e *estate, id string) fault.Rule {
	return fault.Rule{
		Kind:   "soap:RetrievePropertiesEx",
		Times:  1,
		Before: func(*http.Request) { _ = e.Protected.DestroyVM(id) },
	}
}

// good returns a compliant estate, so that a test fails if a fault is ignored.
func good(t *testing.T) *estate {
	t.Helper()
	e := start(t, vcsim.Config{VMs: 4}, gateway.Switches{})
	e.tag(t, e.gold, 0)
	e.tag(t, e.silver, 1)
	e.replicate(t, 15, 0)
	e.replicate(t, 60, 1)
	e.settle()
	return e
}

var compliant = resource.TestCheckResourceAttr(address, "compliant", "true")

func TestAccSLACompliance_faults(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault func(*estate)
		want  string
	}{
		"partial data, not announced": {
			fault: func(e *estate) {
				e.ChangeAnswers("getAllReplications", 0, func(answer map[string]any) {
					for _, row := range gateway.Rows(answer) {
						delete(row, "rpo")
						delete(row, "vm_id")
					}
				})
			},
			want: "returned an incomplete response",
		},
		"vCenter's tagging down": {
			fault: func(e *estate) {
				e.Protected.Traffic().Break(fault.Rule{
					Kind:   "POST tag-association:list-attached-objects-on-tags",
					Status: http.StatusServiceUnavailable,
				})
			},
			want: "vCenter could not be reached",
		},
		"vCenter's inventory down": {
			fault: func(e *estate) {
				e.Protected.Traffic().Break(fault.Rule{
					Kind:   "soap:RetrievePropertiesEx",
					Status: http.StatusServiceUnavailable,
				})
			},
			want: "vCenter could not be reached",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := good(t)
			e.Run(t,
				acctest.After(func() { test.fault(e) }, acctest.FailingStep(e.config(""), test.want)),
				acctest.After(func() {
					e.Traffic().Mend()
					e.Protected.Traffic().Mend()
					e.MendAnswers()
					e.settle()
				}, resource.TestStep{Config: e.config(""), Check: compliant}),
			)
		})
	}
}

func TestAccSLACompliance_noRemoteUser(t *testing.T) {
	t.Parallel()
	e := good(t)
	var lines []string
	for line := range strings.Lines(e.config("")) {
		if !strings.Contains(line, "remote_") {
			lines = append(lines, line)
		}
	}
	e.Run(t, acctest.FailingStep(strings.Join(lines, ""), "remote_user and remote_password"))
}

// TestAccSLACompliance_slowEvents verifies that the read fails only if a page of events takes longer than
// read_minutes_max.
func TestAccSLACompliance_slowEvents(t *testing.T) {
	t.Parallel()
	e := good(t)
	e.Protected.Traffic().Break(fault.Rule{
		Kind:   "soap:ReadNextEvents",
		Before: func(*http.Request) { e.Advance(2 * time.Minute) },
	})
	within := func(minutes int) string {
		return e.config(fmt.Sprintf("lookback_hours = 1\n  read_minutes_max = %d", minutes))
	}
	e.Run(t,
		acctest.FailingStep(within(1), "increase read_minutes_max"),
		resource.TestStep{Config: within(600), Check: resource.TestCheckResourceAttr(address, "periods.%", "2")},
	)
}

func TestAccSLACompliance_arguments(t *testing.T) {
	t.Parallel()
	other, err := vcsim.Start(t.Context(),
		vcsim.Config{Site: 7, VMs: 2}) // started before the estate, so that it is closed after the estate's session
	require.NoError(t, err)
	t.Cleanup(func() { _ = other.Close() })
	e := good(t)
	gone := strings.Replace(e.gold, e.gold[len("urn:vmomi:InventoryServiceTag:"):len(e.gold)-len(":GLOBAL")],
		"00000000-0000-4000-8000-000000000000", 1)
	for name, test := range map[string]struct{ config, want string }{
		"a tag that is gone": {
			e.ProviderAt(e.Protected) + e.dataSource(e.PairingID(), e.gold, gone, ""),
			`object does not exist in vCenter.*Tier "silver"`,
		},
		"no such pairing": {
			e.ProviderAt(e.Protected) + e.dataSource("5b0c7f0c-0000-4000-8000-000000000000", e.gold, e.silver, ""),
			"pairing does not exist",
		},
		"two tiers, one tag": {
			e.ProviderAt(e.Protected) + e.dataSource(e.PairingID(), e.gold, e.gold, ""),
			"Duplicate Tier Tag",
		},
		"a period is missing": {
			strings.Replace(e.config(""), "rpo_minutes = 15 }", "rpo_minutes = 15, compliance_percent = 99 }", 1),
			"lookback_hours is not set",
		},
		"half a minute": {
			strings.Replace(e.config(""), "rpo_minutes = 60", "rpo_minutes = 12.5", 1),
			`tiers\["silver"\].rpo_minutes must be a whole number, got 12.5`,
		},
		"no promise": {strings.Replace(e.config(""), "rpo_minutes = 60", "rpo_minutes = 0", 1), "between 1 and 1440"},
		"no tiers": {
			e.ProviderAt(e.Protected) + `data "vsla_sla_compliance" "x" { 
pairing_id = "` + e.PairingID() + `" 
tiers = {}
}`,
			"at least 1",
		},
		"another vCenter": {
			strings.Replace(e.config(""), "vsphere_server = \""+e.Protected.URL()+"\"",
				"vsphere_server = \""+other.URL()+"\"\n  allow_unverified_ssl = true", 1),
			"connects two other vCenters",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e.Run(t, acctest.FailingStep(test.config, test.want))
		})
	}
}
