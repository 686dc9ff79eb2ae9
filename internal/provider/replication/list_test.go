package replication_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/gateway"
)

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
	s.Run(t, resource.TestStep{
		Config: both,
		Check: func(*terraform.State) error {
			all := list(t, s, 100, true)
			assert.Len(t, all, 2)
			for _, r := range all {
				if len(r.Diagnostics) > 0 || r.DisplayName == "" || r.Resource == nil {
					t.Errorf("got %+v, want a result with a name and a resource, without diagnostics", r)
					continue
				}
				var identity map[string]tftypes.Value
				value, err := r.Identity.IdentityData.Unmarshal(tftypes.Object{
					AttributeTypes: map[string]tftypes.Type{
						"pairing_id":     tftypes.String,
						"replication_id": tftypes.String,
					},
				})
				if err == nil {
					err = value.As(&identity)
				}
				var pairing, id string
				if err != nil || identity["pairing_id"].As(&pairing) != nil ||
					identity["replication_id"].As(&id) != nil {
					t.Fatalf("identity: %v", err)
				}
				require.Equal(t, s.PairingID(), pairing)
				assert.NotEmpty(t, id)
			}
			name := s.Protected.VMs()[1].Name
			for regex, want := range map[string]int{"^" + name + "$": 1, "^none$": 0, "": 2} {
				named := list(t, s, 100, false, "name_regex", regex)
				require.Len(t, named, want, regex)
				if want == 1 {
					assert.Equal(t, name, named[0].DisplayName, "name_regex %q", regex)
				}
			}
			assert.Len(t, list(t, s, 100, false, "source_vcenter_id", s.LocalVCenterID()), 2)
			assert.Empty(t, list(t, s, 100, false, "source_vcenter_id", s.RemoteVCenterID()))
			one := list(t, s, 1, false)
			require.Len(t, one, 1)
			assert.Nil(t, one[0].Resource)
			return nil
		},
	})
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
		TypeName:        "vsla_replication",
		Limit:           limit,
		IncludeResource: whole,
		Config:          acctest.Object(t, schema.ListResourceSchemas["vsla_replication"], config),
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
	assert.Contains(t, out, "Plan: 1 to import, 0 to add, 0 to change, 0 to destroy.", "%+v", generated)
	acctest.RunTerraform(t, adopting, 0, "apply", "-auto-approve", "-input=false")
	acctest.RunTerraform(t, adopting, 0, "plan", "-detailed-exitcode", "-input=false")
	acctest.RunTerraform(t, w, 0, "destroy", "-auto-approve", "-input=false")
}
