package replication_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/gateway"
)

const address = "vsla_replication.vm"

// server lists the only attribute that imports do not set. They omit it because generated configuration must not pin
// the server.
var server = []string{"target_replication_server_id"}

func config(s *acctest.Sites, rpo int, lines ...string) string {
	return s.Provider() + fmt.Sprintf(`
resource "vsla_replication" "vm" {
  pairing_id          = %q
  vm_id               = %q
  target_datastore_id = %q
  rpo_minutes         = %d
  %s
}
`, s.PairingID(), s.VM(0), s.Datastore(0), rpo, strings.Join(lines, "\n  "))
}

func only(t *testing.T, s *acctest.Sites) gateway.Replication {
	t.Helper()
	all := s.Replications()
	require.Len(t, all, 1)
	return all[0]
}

func action(a plancheck.ResourceActionType) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, a)}}
}

func value(name string, check knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(address, tfjsonpath.New(name), check)
}

func TestAccReplication_life(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 4, gateway.Switches{})
	s.Run(
		t,
		resource.TestStep{
			Config:           config(s, 15),
			ConfigPlanChecks: action(plancheck.ResourceActionCreate),
			ConfigStateChecks: []statecheck.StateCheck{
				value("rpo_minutes", knownvalue.Int64Exact(15)),
				value("auto_replicate_new_disks", knownvalue.Bool(true)),
				value("target_vcenter_id", knownvalue.StringExact(s.RemoteVCenterID())),
				value("configuration_state", knownvalue.StringExact("OK")),
				value("source_vcenter_id", knownvalue.StringExact(s.LocalVCenterID())),
				value("source_site_name", knownvalue.StringExact("protected")),
				value("target_site_name", knownvalue.StringExact("recovery")),
				value("replication_type", knownvalue.StringExact("VC_TO_VC")),
				value("replicated_disks", knownvalue.ListSizeExact(2)),
				value("target_replication_server_id", knownvalue.NotNull()),
			},
			Check: func(*terraform.State) error {
				r := only(t, s)
				assert.True(t, r.RPOMinutes == 15 && r.ConfigurationState == "OK" && r.Configured == 1,
					"got %+v, want an RPO of 15 minutes, configured once", r)
				return nil
			},
		}, resource.TestStep{
			Config: config(s, 60, "network_compression = true", "quiesce_guest = true",
				"point_in_time = { instances_per_day = 3, days = 5 }"),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate),
				plancheck.ExpectKnownValue(address, tfjsonpath.New("replication_id"), knownvalue.NotNull()),
			}},
			Check: func(*terraform.State) error {
				r := only(t, s)
				if r.RPOMinutes != 60 || !r.Compression || !r.Quiesce || !r.MPIT || r.MPITInstances != 3 || r.MPITDays != 5 ||
					r.Configured != 2 ||
					len(r.Disks) != 2 {
					t.Errorf("got %+v, want the changed settings, configured twice", r)
				}
				return nil
			},
		}, resource.TestStep{
			Config: config(s, 60, "point_in_time = { instances_per_day = 5, days = 0 }"),
			Check: holds(t, s, "instances", func(r gateway.Replication) bool {
				return r.MPIT && r.MPITInstances == 5 && r.MPITDays == 0 && !r.Compression && !r.Quiesce
			}),
		}, resource.TestStep{
			Config:           config(s, 60),
			ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
			Check: func(*terraform.State) error {
				r := only(t, s)
				assert.True(t, !r.Compression && !r.Quiesce && !r.MPIT && r.MPITInstances == 0,
					"got %+v, want all switches off", r)
				return nil
			},
		},
		resource.TestStep{ResourceName: address, ImportState: true, ImportStateVerify: true, ImportStateVerifyIgnore: server},
		resource.TestStep{
			ResourceName: address, ImportState: true, ImportStateVerify: true, ImportStateVerifyIgnore: server,
			ImportStateId: s.PairingID() + "/" + s.VM(0),
		},
		acctest.After(func() { s.ChangeRPO(s.VM(0), 240) }, resource.TestStep{
			Config: config(s, 60), ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
			Check: func(*terraform.State) error {
				assert.EqualValues(t, 60, only(t, s).RPOMinutes)
				return nil
			},
		}),
		acctest.After(func() { s.RemoveReplication(s.VM(0)) }, resource.TestStep{
			Config: config(s, 60), ConfigPlanChecks: action(plancheck.ResourceActionCreate),
		}),
	)
}

func TestAccReplication_recoverySolution(t *testing.T) {
	t.Parallel()
	const solution = "com.vmware.vcDr"
	s := acctest.StartSites(t, 4, gateway.Switches{})
	managed := empty(s)
	managed.PreConfig = func() { s.SetRecoverySolution(s.VM(0), solution) }
	managed.ConfigStateChecks = []statecheck.StateCheck{value("recovery_solution", knownvalue.StringExact(solution))}
	left := empty(s)
	left.PreConfig = func() { s.SetRecoverySolution(s.VM(0), "") }
	left.ConfigStateChecks = []statecheck.StateCheck{value("recovery_solution", knownvalue.Null())}
	s.Run(
		t,
		resource.TestStep{
			Config:            config(s, 15),
			ConfigStateChecks: []statecheck.StateCheck{value("recovery_solution", knownvalue.Null())},
		},
		managed,
		resource.TestStep{ResourceName: address, ImportState: true, ImportStateVerify: true, ImportStateVerifyIgnore: server},
		resource.TestStep{
			Config: config(s, 30), ConfigPlanChecks: action(plancheck.ResourceActionUpdate),
			ConfigStateChecks: []statecheck.StateCheck{value("recovery_solution", knownvalue.StringExact(solution))},
		},
		resource.TestStep{Config: config(s, 15)},
		left,
	)
}

func TestList(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 2, gateway.Switches{})
	both := config(s, 15) + `
resource "vsla_replication" "second" {
  pairing_id          = "` + s.PairingID() + `"
  vm_id               = "` + s.VM(1) + `"
  target_datastore_id = "` + s.Datastore(0) + `"
  rpo_minutes         = 30
}`
	s.Run(t, resource.TestStep{Config: both, Check: func(*terraform.State) error {
		all := list(t, s, 100, true)
		assert.Len(t, all, 2)
		for _, r := range all {
			if len(r.Diagnostics) > 0 || r.DisplayName == "" || r.Resource == nil {
				t.Errorf("got %+v, want a result with a name and a resource, without diagnostics", r)
				continue
			}
			var identity map[string]tftypes.Value
			value, err := r.Identity.IdentityData.Unmarshal(tftypes.Object{
				AttributeTypes: map[string]tftypes.Type{"pairing_id": tftypes.String, "replication_id": tftypes.String},
			})
			if err == nil {
				err = value.As(&identity)
			}
			var pairing, id string
			if err != nil || identity["pairing_id"].As(&pairing) != nil || identity["replication_id"].As(&id) != nil {
				t.Fatalf("identity: %v", err)
			}
			require.Equal(t, s.PairingID(), pairing)
			assert.NotEqual(t, "", id)
		}
		name := s.Protected.VMs()[1].Name
		for regex, want := range map[string]int{"^" + name + "$": 1, "^none$": 0, "": 2} {
			named := list(t, s, 100, false, "name_regex", regex)
			require.Len(t, named, want, regex)
			assert.False(t, want == 1 && named[0].DisplayName != name, "name_regex %q: got %+v, want %d", regex, named, want)
		}
		assert.Len(t, list(t, s, 100, false, "source_vcenter_id", s.LocalVCenterID()), 2)
		assert.Empty(t, list(t, s, 100, false, "source_vcenter_id", s.RemoteVCenterID()))
		one := list(t, s, 1, false)
		require.Len(t, one, 1)
		assert.Nil(t, one[0].Resource)
		return nil
	}})
}

func list(t *testing.T, s *acctest.Sites, limit int64, whole bool, arguments ...string) []tfprotov6.ListResourceResult {
	t.Helper()
	provider := s.Configured(t)
	//nolint:staticcheck // the only interface that the server implements
	lister, ok := provider.(tfprotov6.ProviderServerWithListResource)
	require.True(t, ok, "the provider lists nothing")
	schema, err := provider.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	require.NoError(t, err)
	config := map[string]any{"pairing_id": s.PairingID()}
	for i := 0; i < len(arguments); i += 2 {
		config[arguments[i]] = arguments[i+1]
	}
	stream, err := lister.ListResource(t.Context(), &tfprotov6.ListResourceRequest{
		TypeName: "vsla_replication", Limit: limit, IncludeResource: whole,
		Config: acctest.Object(t, schema.ListResourceSchemas["vsla_replication"], config),
	})
	require.NoError(t, err)
	var results []tfprotov6.ListResourceResult
	for r := range stream.Results {
		results = append(results, r)
	}
	return results
}

// It requires Terraform 1.14 or later. The environment variable TERRAFORM selects the binary.
func TestCLI_query(t *testing.T) {
	t.Parallel()
	acctest.RequireTerraform(t, "1.14.0")
	s := acctest.StartSites(t, 40, gateway.Switches{})
	w, _ := workspace(t, s)
	acctest.RunTerraform(t, w, 0, "apply", "-auto-approve", "-input=false")

	// Use a new configuration with an empty state.
	adopting, fresh := workspace(t, s)
	require.NoError(t, os.Remove(filepath.Join(fresh, "resource.tf")))
	providers := "provider \"vsla\" {}\n"
	list := "list \"vsla_replication\" \"all\" {\n  provider = vsla\n  config {\n    pairing_id = \"" +
		s.PairingID() + "\"\n  }\n}\n"
	for file, content := range map[string]string{"vsla.tf": providers, "all.tfquery.hcl": list} {
		require.NoError(t, os.WriteFile(filepath.Join(fresh, file), []byte(content), 0o600))
	}
	acctest.RunTerraform(t, adopting, 0, "query", "-no-color", "-generate-config-out=generated.tf")
	generated, err := os.ReadFile(filepath.Join(fresh, "generated.tf"))
	require.NoError(t, err)
	require.Contains(t, string(generated), "identity = {")
	assert.Contains(t, string(generated), only(t, s).ID)
	out := acctest.RunTerraform(t, adopting, 0, "plan", "-no-color", "-input=false")
	assert.Contains(t, out, "Plan: 1 to import, 0 to add, 0 to change, 0 to destroy.", generated)
	acctest.RunTerraform(t, adopting, 0, "apply", "-auto-approve", "-input=false")
	acctest.RunTerraform(t, adopting, 0, "plan", "-detailed-exitcode", "-input=false")
	acctest.RunTerraform(t, w, 0, "destroy", "-auto-approve", "-input=false")
}
