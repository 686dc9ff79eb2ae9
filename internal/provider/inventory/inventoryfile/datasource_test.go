package inventoryfile_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/estate"
	"terraform-provider-vsla/internal/estate/inventoryfile"
	"terraform-provider-vsla/internal/provider/kit/connection"
)

const address = "data.vsla_inventory_file.x"

func config(path string, arguments ...string) string {
	return fmt.Sprintf("provider \"vsla\" {}\n\ndata \"vsla_inventory_file\" \"x\" {\n  path = %q\n  %s\n}\n", path,
		strings.Join(arguments, "\n  "))
}

func file(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// vInfo contains two VMs that use 40.5 GiB and 20.25 GiB, a template, a placeholder, an inaccessible VM and a VM
// without a size.
const vInfo = `VM;Powerstate;Template;SRM Placeholder;Connection state;CPUs;Memory;` +
	`Provisioned MB;In Use MB;Cluster;VM ID
db-1;poweredOn;False;False;connected;4;16.384;102.400;41.472,0;C0;vm-1
web-1;poweredOff;False;False;connected;2;8.192;51.200;20.736,0;C1;vm-2
tpl;poweredOff;True;False;connected;2;8.192;51.200;20.736,0;C1;vm-3
srm;poweredOff;False;True;connected;2;8.192;51.200;20.736,0;C1;vm-4
lost;poweredOff;False;False;orphaned;2;8.192;51.200;20.736,0;C1;vm-5
blank;poweredOff;False;False;connected;2;8.192;51.200;;C1;vm-6
`

func attributes(values map[string]string) resource.TestCheckFunc {
	var checks []resource.TestCheckFunc
	for name, value := range values {
		checks = append(checks, resource.TestCheckResourceAttr(address, name, value))
	}
	return resource.ComposeAggregateTestCheckFunc(checks...)
}

// In total, the two VMs of vInfo have 24 GiB of memory, 150 GiB of provisioned storage and 60.75 GiB of used
// storage.
func TestAccInventoryFile_rvtools(t *testing.T) {
	t.Parallel()
	path := file(t, "RVTools_tabvInfo.csv", vInfo)
	acctest.RunOffline(t,
		resource.TestStep{Config: config(path), Check: attributes(map[string]string{
			"sha256":   fmt.Sprintf("%x", sha256.Sum256([]byte(vInfo))),
			"vm_count": "2", "ids.0": "vm-1", "ids.1": "vm-2", "total_memory_gib": "24", "total_provisioned_gib": "150",
			"total_used_gib": "60.75", "mean_used_gib": "30.375", "templates.0": "vm-3", "inaccessible.0": "vm-5",
			"skipped.#": "4", "skipped.0.row": "4", "skipped.0.reason": "template", "skipped.1.reason": "placeholder",
			"skipped.2.reason": "inaccessible", "skipped.3.reason": "no_size", "skipped.3.name": "blank",
			"virtual_machines.vm-1.name": "db-1", "virtual_machines.vm-1.used_gib": "40.5",
			"virtual_machines.vm-1.cpu_count": "4", "virtual_machines.vm-1.cluster": "C0",
			"virtual_machines.vm-2.power_state": "poweredOff",
		})},
		resource.TestStep{
			Config: config(path, `name_regex = "^db-"`),
			Check:  attributes(map[string]string{"vm_count": "1", "total_used_gib": "40.5", "skipped.#": "0"}),
		}, resource.TestStep{
			Config: config(path, `cluster = "C1"`, "exclude_templates = false", "exclude_placeholders = false"),
			Check:  attributes(map[string]string{"vm_count": "3", "templates.#": "0"}),
		}, resource.TestStep{
			Config: config(path, `power_state = "suspended"`),
			Check:  attributes(map[string]string{"vm_count": "0", "mean_used_gib": "0"}),
		}, resource.TestStep{
			Config: config(file(t, "other.csv", "Server,Used (GB),Guest\nweb,1.5,1\nweb,2,0.5\n"),
				`columns = { name = "Server", used_gib = "Used (GB)", guest_used_gib = "Guest" }`),
			Check: attributes(map[string]string{
				"total_used_gib": "3.5", "total_guest_used_gib": "1.5", "virtual_machines.web.used_gib": "1.5",
				"virtual_machines.web.guest_used_gib": "1", "virtual_machines.web#2.used_gib": "2",
			}),
		},
	)
}

func TestAccInventoryFile_errors(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]struct {
		config string
		says   string
	}{
		"no file": {config(filepath.Join(t.TempDir(), "gone.xlsx")), `no such file[\s\S]*path\.module`},
		"bad cell": {
			config(file(t, "b.csv", "VM,In Use MiB\na,many\n")),
			`row\s+2,\s+column\s+"In\s+Use\s+MiB":\s+must\s+be\s+a\s+number,\s+got\s+"many"`,
		},
		"bad format":  {config("a.csv", `format = "xls"`), `value must be one of`},
		"bad regex":   {config("a.csv", `name_regex = "("`), `Invalid Regular Expression.*\d: name_regex =`},
		"bad columns": {config("a.csv", `columns = { size = "b" }`), `value must be one of`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			acctest.RunOffline(t, acctest.FailingStep(run.config, run.says))
		})
	}
}

// TestSchema verifies that the outputs match those of vsla_virtual_machines, so that users can switch between the two
// data sources.
func TestSchema(t *testing.T) {
	t.Parallel()
	server, err := acctest.Server(&connection.Sessions{})()
	require.NoError(t, err)
	schemas, err := server.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	require.NoError(t, err)
	live := schemas.DataSourceSchemas["vsla_virtual_machines"].Block.Attributes
	fromFile := schemas.DataSourceSchemas["vsla_inventory_file"].Block.Attributes
	compared := 0
	for _, want := range live {
		if !want.Computed && !slices.Contains([]string{"folder", "cluster", "name_regex", "power_state"}, want.Name) {
			continue // only available from vCenter
		}
		compared += same(t, want.Name, want, find(fromFile, want.Name))
	}
	assert.GreaterOrEqual(t, compared, 28)
}

func find(attributes []*tfprotov6.SchemaAttribute, name string) *tfprotov6.SchemaAttribute {
	for _, a := range attributes {
		if a.Name == name {
			return a
		}
	}
	return nil
}

// diskUse lists the attributes that read_disk_use adds. Exports do not contain this data.
var diskUse = []string{"disks", "replicated_used_gib", "total_replicated_used_gib", "mean_replicated_used_gib"}

func same(t *testing.T, name string, want, got *tfprotov6.SchemaAttribute) int {
	t.Helper()
	if slices.Contains(diskUse, want.Name) {
		return 0
	}
	if got == nil || want.Type != nil && !want.Type.Equal(got.Type) {
		t.Errorf("%s is missing, or has another type", name)
		return 0
	}
	if want.NestedType == nil {
		return 1
	}
	n := 1
	for _, inner := range want.NestedType.Attributes {
		n += same(t, name+"."+inner.Name, inner, find(got.NestedType.Attributes, inner.Name))
	}
	return n
}

// TestValues verifies that the command line prints all attributes that the data source returns, except sha256.
func TestValues(t *testing.T) {
	t.Parallel()
	server, err := acctest.Server(&connection.Sessions{})()
	require.NoError(t, err)
	schemas, err := server.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	require.NoError(t, err)
	printed := estate.InventoryValues("x.csv", inventoryfile.Inventory{
		VMs: []inventoryfile.VM{{Key: "a"}}, Skipped: []inventoryfile.Skipped{{Name: "b"}},
	})
	vms, _ := printed["virtual_machines"].(map[string]any)
	vm, _ := vms["a"].(map[string]any)
	skipped, _ := printed["skipped"].([]any)
	row, _ := skipped[0].(map[string]any)
	attributes := schemas.DataSourceSchemas["vsla_inventory_file"].Block.Attributes
	for _, part := range []struct {
		name       string
		attributes []*tfprotov6.SchemaAttribute
		printed    map[string]any
	}{
		{"the result", attributes, printed},
		{"a VM", find(attributes, "virtual_machines").NestedType.Attributes, vm},
		{"a row", find(attributes, "skipped").NestedType.Attributes, row},
	} {
		computed := 0
		for _, a := range part.attributes {
			if _, ok := part.printed[a.Name]; !ok && a.Computed && a.Name != "sha256" { // only policies use sha256
				t.Errorf("%s: %s is not printed", part.name, a.Name)
			}
			if a.Computed {
				computed++
			}
		}
		for name := range part.printed {
			assert.NotNil(t, find(part.attributes, name))
		}
		assert.GreaterOrEqual(t, computed, 5, part.name)
	}
}
