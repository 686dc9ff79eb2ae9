package slacompliance_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/types"

	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

func TestAccSLACompliance_verdicts(t *testing.T) {
	t.Parallel()
	e := start(t, vcsim.Config{VMs: 16, Templates: 1}, gateway.Switches{})
	for n := range 14 {
		if n != 4 {
			e.tag(t, e.gold, n)
		}
		if n != 1 && n != 8 {
			e.replicate(t, 15, n)
		}
	}
	e.tag(t, e.silver, 3)
	e.tag(t, e.gold, 16) // VM 16 is the template
	e.SetUsed(e.id(8), 3e11)
	e.replicate(t, 15, 8)
	e.SetChangeRate(e.id(11), 100e6) // eight times the throughput of the link
	e.Advance(3 * time.Hour)
	e.ChangeRPO(e.id(2), 60)
	e.PauseReplication(e.id(5), true)
	require.NoError(t, e.Protected.SetPower(e.id(6), types.VirtualMachinePowerStatePoweredOff))
	e.FailReplication(e.id(7), "The replica disk is locked.", "")
	e.SetStatus(e.id(9), "CONFIGURING")
	e.SetRecoveryState(e.id(10), "OK")
	e.ChangeAnswers("getAllReplications", 0, func(answer map[string]any) {
		for _, row := range gateway.Rows(answer) {
			if status, ok := row["status"].(map[string]any); ok && row["vm_id"] == e.VM(12) {
				status["status"] = "WARNING"
			}
		}
	})
	unprotected := []string{e.id(1), e.id(5), e.id(6), e.id(7), e.id(8), e.id(9), e.id(10), e.id(12)}
	slices.Sort(unprotected)
	e.Run(t, resource.TestStep{
		Config: e.config(""),
		Check: resource.ComposeAggregateTestCheckFunc(resource.TestCheckResourceAttr(address, "compliant", "false"),
			e.is(0, "gold", "15", "15", "OK", "compliant"), e.is(1, "gold", "15", "", "", "unprotected"),
			e.is(2, "gold", "15", "60", "OK", "weaker_than_promised"),
			e.is(3, "gold", "15", "15", "OK", "several_tiers"),
			e.is(4, "", "", "15", "OK", "untagged"), e.is(5, "gold", "15", "15", "PAUSED", "paused"),
			e.is(6, "gold", "15", "15", "NOT_ACTIVE", "not_active"), e.is(7, "gold", "15", "15", "ERROR", "error"),
			e.is(8, "gold", "15", "15", "INITIAL_FULL_SYNC", "initial_sync"),
			e.is(9, "gold", "15", "15", "CONFIGURING", "configuring"), e.is(10, "gold", "15", "15", "OK", "recovered"),
			e.is(11, "gold", "15", "15", "SYNC_RPO_VIOLATION", "in_violation"),
			e.is(12, "gold", "15", "15", "WARNING", "unknown_status"), e.is(13, "gold", "15", "15", "OK", "compliant"),
			resource.TestCheckResourceAttr(address, "virtual_machines.%", "14"), holds("unprotected", unprotected...),
			holds("weaker_than_promised", e.id(2)), holds("several_tiers", e.id(3)),
			holds("untagged_but_replicated", e.id(4)),
			holds("templates", e.id(16)), holds("orphaned_replication_ids"), holds("in_violation", e.id(11)),
			resource.TestCheckResourceAttr(address, "vm_count", "13"),
			resource.TestCheckResourceAttr(address, "tier_vm_counts.gold", "13"),
			resource.TestCheckResourceAttr(address, "tier_vm_counts.silver", "0"),
			resource.TestCheckResourceAttr(address, "verdict_counts.unprotected", "1"),
			resource.TestCheckResourceAttr(address, "verdict_counts.initial_sync", "1"),
			resource.TestCheckResourceAttr(address, "verdict_counts.not_found", "0")),
	})
}

// TestAccSLACompliance_otherSide verifies that a VM at the recovery site is reported as unprotected. An incoming
// replication is not attributed to it, even if the source VM has the same managed object ID.
func TestAccSLACompliance_otherSide(t *testing.T) {
	t.Parallel()
	e := start(t, vcsim.Config{VMs: 2, Datastores: 2}, gateway.Switches{Capitals: true})
	e.replicate(t, 15, 0)
	e.settle()
	gold, silver := tags(t, e.Recovery)
	same := e.Recovery.VMs()[0]
	require.Equal(t, e.id(0), same.ID)
	require.NoError(t, e.Recovery.Tags().Attach(gold, tagging.Object{Type: "VirtualMachine", ID: same.ID}))
	e.Run(t, resource.TestStep{
		Config: e.ProviderAt(e.Recovery) + e.dataSource(e.PairingID(), gold, silver, ""),
		Check: resource.ComposeAggregateTestCheckFunc(holds("unprotected", same.ID), holds("untagged_but_replicated"),
			resource.TestCheckResourceAttr(address, "virtual_machines.%", "1"),
			resource.TestCheckResourceAttr(address, "virtual_machines."+same.ID+".verdict", "unprotected")),
	})
}

// TestAccSLACompliance_configured verifies that a VM is weaker than promised if its RPO is within the promise, but
// longer than the one that keeps it.
func TestAccSLACompliance_configured(t *testing.T) {
	t.Parallel()
	e := start(t, vcsim.Config{VMs: 2}, gateway.Switches{Capitals: true})
	e.tag(t, e.gold, 0)
	e.replicate(t, 15, 0)
	e.settle()
	at := func(configured string) string {
		return strings.Replace(
			e.config(""),
			"rpo_minutes = 15",
			"rpo_minutes = 15, configured_rpo_minutes = "+configured,
			1,
		)
	}
	e.Run(t,
		resource.TestStep{Config: at("12"), Check: holds("weaker_than_promised", e.id(0))},
		resource.TestStep{Config: at("15"), Check: holds("weaker_than_promised")},
	)
}

func TestAccSLACompliance_gone(t *testing.T) {
	t.Parallel()
	e := start(t, vcsim.Config{VMs: 6}, gateway.Switches{})
	for n := range 3 {
		e.tag(t, e.gold, n)
	}
	err := e.Protected.Tags().
		Attach(e.gold, tagging.Object{Type: "Datastore", ID: e.Protected.Datastores()[0].ID})
	require.NoError(t, err)
	e.replicate(t, 15, 0, 1, 2)
	e.settle()
	e.ChangeAnswers("getAllReplications", 0, func(answer map[string]any) {
		for _, row := range gateway.Rows(answer) {
			if row["vm_id"] == e.VM(1) {
				row["vm_id"] = nil
			}
			if row["vm_id"] == e.VM(2) { // the RPO cannot be read
				delete(row, "rpo")
			}
		}
	})
	orphan := e.Replications()[1].ID
	e.Run(t, resource.TestStep{
		Config: e.config(""),
		Check: resource.ComposeAggregateTestCheckFunc(e.is(0, "gold", "15", "15", "OK", "compliant"),
			e.is(1, "gold", "15", "", "", "unprotected"), e.is(2, "gold", "15", "", "", "unknown_status"),
			holds("unprotected", e.id(1), e.id(2)), holds("orphaned_replication_ids", orphan),
			resource.TestCheckResourceAttr(address, "virtual_machines.%", "3")),
	})
}

func TestAccSLACompliance_hidden(t *testing.T) {
	t.Parallel()
	e := start(t, vcsim.Config{VMs: 3}, gateway.Switches{})
	e.tag(t, e.gold, 0)
	e.replicate(t, 15, 0)
	e.settle()
	// Delete the VM after vCenter has listed it for the tag and before the VMs are read.
	hidden := e.id(1)
	e.tag(t, e.gold, 1)
	e.Protected.Traffic().Break(removal(e, hidden))
	e.Run(t, resource.TestStep{
		Config: e.config(""),
		Check: resource.ComposeAggregateTestCheckFunc(holds("unprotected", hidden),
			resource.TestCheckResourceAttr(address, "compliant", "false"),
			resource.TestCheckNoResourceAttr(address, "virtual_machines."+hidden+".name"),
			resource.TestCheckResourceAttr(address, "virtual_machines."+hidden+".verdict", "not_found")),
	})
}

// TestAccSLACompliance_requests verifies the number of requests for 3,200 replicated VMs, which must stay below the
// limits of a newly started appliance.
func TestAccSLACompliance_requests(t *testing.T) {
	t.Parallel()
	const n = 3200
	e := start(t, vcsim.Config{Hosts: 4, VMs: n}, gateway.Switches{Limits: gateway.DefaultLimits()})
	var all []int
	for i := range n {
		e.tag(t, e.gold, i)
		all = append(all, i)
	}
	e.SetDatastore(e.Datastore(0), true, "GREEN", 1<<60)
	e.replicate(t, 15, all...)
	e.settle()
	before := e.Now()
	e.Run(t, resource.TestStep{
		Config: e.config(""),
		Check: func(s *terraform.State) error {
			if got := s.RootModule().Resources[address].Primary.Attributes["compliant"]; got != "true" {
				return fmt.Errorf("compliant is %s", got)
			}
			reads := e.Protected.Traffic().Count("POST tag-association:list-attached-objects-on-tags")
			assert.NotEqual(t, 0, reads, "the data source was not read")
			counts := func(kinds map[string]int, of func(string) int) {
				for kind, want := range kinds {
					assert.Equal(t, want*reads, of(kind), kind)
				}
			}
			// vCenter receives one list request for both tags, another one for silver because it has no objects, one
			// for a view, one for each page of 1,000 VMs, and two for the account's permissions.
			counts(map[string]int{
				"POST tag-association:list-attached-objects": 1,
				"soap:CreateContainerView":                   1,
				"soap:RetrievePropertiesEx":                  1 + 2,
				"soap:ContinueRetrievePropertiesEx":          3,
			}, e.Protected.Traffic().Count)
			// The gateway receives one request for each page of 200 replications. The pairing is read before and after
			// the remote login.
			counts(map[string]int{"getAllReplications": 16, "getVrPairing": 2}, e.Traffic().Count)
			total := 0
			for _, count := range e.Traffic().Counts() {
				total += count
			}
			// The other requests log in to both sites and check the remote session.
			assert.LessOrEqual(t, total, 22*reads, "%+v", e.Traffic().Counts())
			return nil
		},
	})
	assert.LessOrEqual(t, e.Now().Sub(before), time.Minute)
}
