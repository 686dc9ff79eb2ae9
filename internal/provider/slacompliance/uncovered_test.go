package slacompliance_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi/vim25/types"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

func (e *estate) sorted(numbers ...int) []string {
	ids := make([]string, 0, len(numbers))
	for _, n := range numbers {
		ids = append(ids, e.id(n))
	}
	slices.Sort(ids)
	return ids
}

func (e *estate) power(t *testing.T, n int, state types.VirtualMachinePowerState) {
	t.Helper()
	require.NoError(t, e.Protected.SetPower(e.id(n), state))
}

func (e *estate) reconfigure(t *testing.T, n int, change func(*types.VirtualMachineConfigInfo)) {
	t.Helper()
	require.NoError(t, e.Protected.Reconfigure(e.id(n), change))
}

func (e *estate) setExtraConfig(t *testing.T, n int, key, value string) {
	t.Helper()
	e.reconfigure(t, n, func(config *types.VirtualMachineConfigInfo) {
		config.ExtraConfig = append(config.ExtraConfig, &types.OptionValue{Key: key, Value: value})
	})
}

// TestAccSLACompliance_uncovered verifies that exactly seven of 64 VMs are listed as uncovered. Six more VMs have
// neither a tier nor a replication, but are excluded for other reasons. Of the remaining VMs, the even-numbered ones
// have a tier, and the odd-numbered ones have a replication.
func TestAccSLACompliance_uncovered(t *testing.T) {
	t.Parallel()
	const n = 64
	planted := []int{3, 19, 39, 40, 41, 55, n - 1}
	const off, suspended, extra, spec, agent, placeholder, template, unreachable = 20, 21, 30, 31, 33, 34, n, n + 1
	e := start(t, vcsim.Config{Hosts: 4, VMs: n, Templates: 1, Inaccessible: 2, Page: 20}, gateway.Switches{})
	without := append([]int{off, suspended, extra, spec, agent, placeholder}, planted...)
	var replicated []int
	for i := range n {
		switch {
		case slices.Contains(without, i):
		case i%2 == 0:
			e.tag(t, e.gold, i)
		default:
			replicated = append(replicated, i)
		}
	}
	e.SetDatastore(e.Datastore(0), true, "GREEN", 1<<60)
	e.replicate(t, 15, replicated...)
	e.power(t, off, types.VirtualMachinePowerStatePoweredOff)
	e.power(t, suspended, types.VirtualMachinePowerStateSuspended)
	e.setExtraConfig(t, extra, "hbr_filter.destination", "10.0.0.7")
	e.reconfigure(t, spec, func(config *types.VirtualMachineConfigInfo) {
		config.RepConfig = &types.ReplicationConfigSpec{Destination: "10.0.0.7", Rpo: 15}
	})
	e.setExtraConfig(t, agent, "HDCS.agent", "true")
	e.reconfigure(t, placeholder, func(config *types.VirtualMachineConfigInfo) {
		config.ManagedBy = &types.ManagedByInfo{ExtensionKey: "com.vmware.vcDr", Type: "placeholderVm"}
	})
	e.power(t, template, types.VirtualMachinePowerStatePoweredOn) // otherwise, it would be excluded as powered off
	e.Run(t, resource.TestStep{
		Config: e.config(""),
		Check: resource.ComposeTestCheckFunc(
			holds("uncovered", e.sorted(planted...)...),
			holds("replicated_elsewhere", e.sorted(spec)...),
			holds("uncovered_unknown", e.sorted(extra, unreachable, unreachable+1)...),
			func(*terraform.State) error {
				traffic := e.Protected.Traffic()
				reads := traffic.Count("POST tag-association:list-attached-objects-on-tags")
				if reads == 0 {
					return errors.New("the data source was not read")
				}
				// vCenter returns 67 VMs in four pages of 20, and the configurations of the replicated VMs and the
				// uncovered powered-on VMs in two pages. Two requests read the account's permissions.
				for kind, want := range map[string]int{
					"soap:CreateContainerView":          1,
					"soap:RetrievePropertiesEx":         1 + 1 + 2,
					"soap:ContinueRetrievePropertiesEx": 3 + 1,
					"soap:DestroyView":                  1,
				} {
					if got := traffic.Count(kind); got != want*reads {
						return fmt.Errorf("%d reads took %d requests %s, want %d for each", reads, got, kind, want)
					}
				}
				return nil
			},
		),
	})
}

// TestAccSLACompliance_uncoveredIn verifies that folder and cluster restrict the list of uncovered VMs, but not the VMs
// that are evaluated. The lab distributes 12 VMs across folders by i mod 3, and across hosts by i mod 2. The first VM
// has a tag and is outside the selected folder and cluster.
func TestAccSLACompliance_uncoveredIn(t *testing.T) {
	t.Parallel()
	e := start(t, vcsim.Config{VMs: 12}, gateway.Switches{})
	e.tag(t, e.gold, 0)
	e.replicate(t, 15, 0)
	e.settle()
	vms := e.Protected.VMs()
	in := func(fits func(vcsim.VM) bool) []string {
		var numbers []int
		for i, vm := range vms {
			if i > 0 && fits(vm) {
				numbers = append(numbers, i)
			}
		}
		return e.sorted(numbers...)
	}
	cluster := vms[1].Cluster
	require.NotEqual(t, vms[0].Cluster, cluster, "the lab's clusters have changed")
	require.NotEmpty(t, in(func(vm vcsim.VM) bool { return vm.Cluster == cluster }), "the lab's clusters have changed")
	step := func(arguments string, fits func(vcsim.VM) bool) resource.TestStep {
		return resource.TestStep{
			Config: e.config(arguments),
			Check: resource.ComposeTestCheckFunc(
				holds("uncovered", in(fits)...), e.is(0, "gold", "15", "15", "OK", "compliant"),
				resource.TestCheckResourceAttr(address, "vm_count", "1"), compliant),
		}
	}
	e.Run(t,
		step("", func(vcsim.VM) bool { return true }),
		step(fmt.Sprintf("folder = \"dev\"\n  cluster = %q", cluster), func(vm vcsim.VM) bool {
			return vm.Folder == "/DC0/vm/dev" && vm.Cluster == cluster
		}),
		acctest.FailingStep(e.config(`folder = "none"`), `folder = "none".*object does not exist`),
		acctest.FailingStep(e.config(`cluster = "none"`), `cluster = "none".*object does not exist`),
	)
}

const noPermission = `<?xml version="1.0" encoding="UTF-8"?>
<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><soapenv:Body><soapenv:Fault>
<faultcode>ServerFaultCode</faultcode><faultstring>refused</faultstring><detail>
<NoPermissionFault xmlns="urn:vim25" xsi:type="NoPermission"><privilegeId>System.Read</privilegeId></NoPermissionFault>
</detail></soapenv:Fault></soapenv:Body></soapenv:Envelope>`

func TestAccSLACompliance_uncoveredFaults(t *testing.T) {
	t.Parallel()
	e := start(t, vcsim.Config{VMs: 4}, gateway.Switches{})
	e.tag(t, e.gold, 0)
	breakIt := func(rule fault.Rule) func() {
		return func() {
			e.Protected.Traffic().Mend()
			rule.Kind = "soap:RetrievePropertiesEx"
			rule.Skip = 1 // skip the request that lists the VMs
			e.Protected.Traffic().Break(rule)
		}
	}
	e.Run(t,
		resource.TestStep{
			// Fail only once. Later reads succeed, so an ignored error makes the test fail.
			PreConfig:   breakIt(fault.Rule{Times: 1, Status: http.StatusInternalServerError, Body: noPermission}),
			Config:      e.config(""),
			ExpectError: acctest.ErrorPattern("Required privileges"),
		}, resource.TestStep{
			PreConfig: breakIt(fault.Rule{
				Times:  1,
				Before: func(*http.Request) { _ = e.Protected.DestroyVM(e.id(1)) },
			}),
			Config: e.config(""),
			Check:  holds("uncovered", e.sorted(2, 3)...),
		},
	)
}

func TestAccSLACompliance_unproven(t *testing.T) {
	t.Parallel()
	e := start(t, vcsim.Config{VMs: 4}, gateway.Switches{})
	e.tag(t, e.gold, 0)
	e.replicate(t, 15, 0)
	e.settle()
	e.Protected.LimitAccess(vcsim.AccessRoot, e.id(1))
	e.Run(t,
		resource.TestStep{
			Config: e.config(""),
			Check: resource.ComposeTestCheckFunc(
				resource.TestCheckNoResourceAttr(address, "compliant"),
				resource.TestCheckResourceAttr(address, "unprotected.#", "0")),
		},
		acctest.After(func() { e.tag(t, e.gold, 2) }, resource.TestStep{
			Config: e.config(""),
			Check:  resource.TestCheckResourceAttr(address, "compliant", "false"),
		}),
	)
}
