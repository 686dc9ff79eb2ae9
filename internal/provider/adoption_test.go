package provider_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

// estate starts a vCenter with two user-defined categories and a Site Recovery Manager category, each of which contains
// two tags. sla/gold is attached to two VMs and a host, and sla/silver is attached to one VM.
func estate(t *testing.T) *acctest.Lab {
	t.Helper()
	lab := acctest.Start(t, vcsim.Config{VMs: 3})
	lab.KeepObjects()
	for _, name := range []string{"sla", "owner", "SRM-com.vmware.vcDr:::group"} {
		category, err := lab.Tags().
			AddCategory(tagging.Category{Name: name, Cardinality: "MULTIPLE", Description: name + " of a VM"})
		require.NoError(t, err)
		for _, tag := range []string{"silver", "gold"} {
			_, err := lab.Tags().
				AddTag(tagging.Tag{Name: tag, CategoryID: category, Description: tag + " of " + name})
			require.NoError(t, err)
		}
	}
	vms := lab.VMs()
	gold := tagOf(t, lab, "gold of sla")
	silver := tagOf(t, lab, "silver of sla")
	err := errors.Join(lab.Tags().Attach(gold.ID, tagging.Object{Type: "VirtualMachine", ID: vms[0].ID}),
		lab.Tags().Attach(gold.ID, tagging.Object{Type: "VirtualMachine", ID: vms[1].ID}),
		lab.Tags().Attach(gold.ID, tagging.Object{Type: "HostSystem", ID: vms[0].HostID}),
		lab.Tags().Attach(silver.ID, tagging.Object{Type: "VirtualMachine", ID: vms[2].ID}))
	require.NoError(t, err)
	return lab
}

func tagOf(t *testing.T, lab *acctest.Lab, description string) tagging.Tag {
	t.Helper()
	for _, tag := range lab.Tags().Tags() {
		if tag.Description == description {
			return tag
		}
	}
	t.Fatalf("no tag %q", description)
	return tagging.Tag{}
}

func displayed(found []acctest.QueryResult) []string {
	list := make([]string, 0, len(found))
	for _, f := range found {
		list = append(list, f.Name)
	}
	return list
}

func TestQuery(t *testing.T) {
	t.Parallel()
	lab := estate(t)
	for _, test := range []struct {
		typeName  string
		arguments map[string]string
		limit     int64
		want      []string
	}{
		{"vsla_tag_category", nil, 100, []string{"owner", "sla"}},
		{"vsla_tag_category", nil, 1, []string{"owner"}},
		{"vsla_tag", nil, 100, []string{"owner/gold", "owner/silver", "sla/gold", "sla/silver"}},
		{"vsla_tag", nil, 3, []string{"owner/gold", "owner/silver", "sla/gold"}},
		{
			"vsla_tag",
			map[string]string{"category_name": "sla"},
			100,
			[]string{"sla/gold", "sla/silver"},
		},
		{
			"vsla_tag",
			map[string]string{"category_id": tagOf(t, lab, "gold of owner").CategoryID},
			100,
			[]string{"owner/gold", "owner/silver"},
		},
		{"vsla_tag", map[string]string{"category_name": "none"}, 100, []string{}},
		{
			"vsla_tag_association",
			nil,
			100,
			[]string{"sla/gold on HostSystem", "sla/gold on VirtualMachine", "sla/silver on VirtualMachine"},
		},
		{
			"vsla_tag_association",
			map[string]string{"object_type": "HostSystem"},
			100,
			[]string{"sla/gold on HostSystem"},
		},
		{"vsla_tag_association", map[string]string{"category_name": "owner"}, 100, []string{}},
	} {
		found, err := lab.Query(t, test.typeName, test.arguments, test.limit)
		require.NoError(t, err)
		assert.Equal(t, test.want, displayed(found))
	}

	gold := tagOf(t, lab, "gold of sla")
	tags, err := lab.Query(t, "vsla_tag", map[string]string{"category_name": "sla"}, 1)
	require.NoError(t, err)
	require.Len(t, tags, 1)
	require.Equal(t, gold.ID, acctest.StringValue(t, tags[0].Identity, "id"))
	assert.Equal(t, gold.Description, acctest.StringValue(t, tags[0].Resource, "description"))
	associations, err := lab.Query(t, "vsla_tag_association", map[string]string{"object_type": "VirtualMachine"}, 1)
	require.NoError(t, err)
	require.Len(t, associations, 1)
	var objects []tftypes.Value
	if err := associations[0].Resource["object_ids"].As(&objects); err != nil || len(objects) != 2 ||
		acctest.StringValue(t, associations[0].Identity, "tag_id") != gold.ID ||
		acctest.StringValue(t, associations[0].Identity, "object_type") != "VirtualMachine" {
		t.Errorf("gold's association is %v, %v", associations[0], err)
	}
}

func TestQuery_failure(t *testing.T) {
	t.Parallel()
	lab := estate(t)
	lab.Traffic().Break(fault.Rule{Kind: "GET category", Status: http.StatusForbidden})
	for _, typeName := range []string{"vsla_tag_category", "vsla_tag", "vsla_tag_association"} {
		found, err := lab.Query(t, typeName, nil, 100)
		require.Error(t, err, typeName)
		assert.Contains(t, err.Error(), "Read-only (System.Read)", typeName)
		assert.Empty(t, found, typeName)
	}
}

func TestAccIdentity(t *testing.T) {
	t.Parallel()
	lab := estate(t)
	gold := tagOf(t, lab, "gold of sla")
	config := fmt.Sprintf(`%s
import {
  to       = vsla_tag_category.sla
  identity = { id = %q }
}
import {
  to       = vsla_tag.gold
  identity = { id = %q }
}
import {
  to       = vsla_tag_association.gold
  identity = { tag_id = %q, object_type = "VirtualMachine" }
}
resource "vsla_tag_category" "sla" {
  name        = "sla"
  description = "sla of a VM"
  cardinality = "MULTIPLE"
}
resource "vsla_tag" "gold" {
  category_id = vsla_tag_category.sla.id
  name        = "gold"
  description = "gold of sla"
  force_destroy = true
}
resource "vsla_tag_association" "gold" {
  tag_id     = vsla_tag.gold.id
  object_ids = [%q, %q]
}
`, lab.Provider(), gold.CategoryID, gold.ID, gold.ID, lab.VMs()[0].ID, lab.VMs()[1].ID)
	lab.Traffic().Reset()
	lab.RunCase(t, resource.TestCase{
		TerraformVersionChecks: []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_12_0)},
		Steps: []resource.TestStep{
			{
				Config: config,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction("vsla_tag_category.sla", plancheck.ResourceActionNoop),
					plancheck.ExpectResourceAction("vsla_tag_association.gold", plancheck.ResourceActionNoop),
				}},
				Check: func(*terraform.State) error {
					for _, kind := range []string{
						"POST tag",
						"POST category",
						"POST tag-association:attach-tag-to-multiple-objects",
					} {
						if got := lab.Traffic().Count(kind); got > 0 {
							return fmt.Errorf("%d times %s", got, kind)
						}
					}
					return nil
				},
			},
			{Config: lab.Provider() + removed("vsla_tag_association.gold", "vsla_tag.gold", "vsla_tag_category.sla")},
		},
	})
}

func removed(addresses ...string) string {
	var text strings.Builder
	for _, address := range addresses {
		fmt.Fprintf(&text, "removed {\n  from = %s\n  lifecycle {\n    destroy = false\n  }\n}\n", address)
	}
	return text.String()
}

func TestAccMoved(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: 1})
	vsphere := func() (tfprotov6.ProviderServer, error) {
		return providerserver.NewProtocol6(&peer{lab: lab})(), nil
	}
	var category, tag string
	created := resource.TestStep{
		Config: `
resource "vsphere_tag_category" "sla" {
  name             = "sla"
  description      = "of a VM"
  cardinality      = "SINGLE"
  associable_types = ["VirtualMachine"]
}
resource "vsphere_tag" "gold" {
  name        = "gold"
  description = "15 minutes"
  category_id = vsphere_tag_category.sla.id
}
`,
		Check: func(*terraform.State) error {
			category = lab.Tags().Categories()[0].ID
			tag = lab.Tags().Tags()[0].ID
			return lab.Tags().Attach(tag, tagging.Object{Type: "VirtualMachine", ID: lab.VMs()[0].ID})
		},
	}
	moved := resource.TestStep{
		Config: lab.Provider() + `
moved {
  from = vsphere_tag_category.sla
  to   = vsla_tag_category.sla
}
moved {
  from = vsphere_tag.gold
  to   = vsla_tag.gold
}
resource "vsla_tag_category" "sla" {
  name             = "sla"
  description      = "of a VM"
  cardinality      = "SINGLE"
  associable_types = ["VirtualMachine"]
}
resource "vsla_tag" "gold" {
  name        = "gold"
  description = "15 minutes"
  category_id = vsla_tag_category.sla.id
}
`,
		ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
		Check: resource.ComposeTestCheckFunc(func(*terraform.State) error {
			assert.Len(t, lab.Tags().Categories(), 1)
			assert.Len(t, lab.Tags().Tags(), 1)
			assert.Len(t, lab.Tags().Objects(tag), 1)
			return lab.Tags().Detach(tag, tagging.Object{Type: "VirtualMachine", ID: lab.VMs()[0].ID})
		}, func(s *terraform.State) error {
			for address, id := range map[string]string{"vsla_tag.gold": tag, "vsla_tag_category.sla": category} {
				if got := s.RootModule().Resources[address].Primary.ID; got != id {
					return fmt.Errorf("%s is %s, want %s", address, got, id)
				}
			}
			return nil
		}),
	}
	lab.RunCase(t, resource.TestCase{
		ProtoV6ProviderFactories: map[string]func() (tfprotov6.ProviderServer, error){"vsphere": vsphere},
		Steps:                    []resource.TestStep{created, moved},
	})
}

func TestMove_refusesOthers(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1})
	for name, test := range map[string]struct {
		provider string
		source   string
		state    string
		want     string
	}{
		"another provider": {
			"registry.terraform.io/hashicorp/aws",
			"vsphere_tag",
			`{}`,
			"Unable to Move Resource State",
		},
		"another type": {
			"registry.terraform.io/hashicorp/vsphere",
			"vsphere_tag_category",
			`{}`,
			"Unable to Move Resource State",
		},
		"not its state": {
			"registry.terraform.io/vmware/vsphere",
			"vsphere_tag",
			`{"id": 7}`,
			"Unable to Read State of vsphere_tag",
		},
	} {
		err := lab.Move(t, "vsla_tag", test.provider, test.source, test.state)
		require.Error(t, err, name)
		assert.Contains(t, err.Error(), test.want, name)
	}
	for _, address := range []string{"registry.opentofu.org/vmware/vsphere", "vsphere"} {
		err := lab.Move(t, "vsla_tag", address, "vsphere_tag",
			`{"id": "a", "name": "b", "category_id": "c", "description": "d", "other": 1}`)
		assert.NoError(t, err, address)
	}
}
