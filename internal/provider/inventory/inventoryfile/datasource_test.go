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
	"github.com/xuri/excelize/v2"

	"terraform-provider-vsla/internal/dev/acctest"
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
// without a used size.
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

// In total, the VMs of vInfo have 16 + 8 + 8 GiB of memory, 100 + 50 + 50 GiB of provisioned storage and 40.5 + 20.25
// GiB of used storage.
func TestAccInventoryFile_rvtools(t *testing.T) {
	t.Parallel()
	path := file(t, "RVTools_tabvInfo.csv", vInfo)
	acctest.RunOffline(t,
		resource.TestStep{
			Config: config(path),
			Check: attributes(map[string]string{
				"sha256":                            fmt.Sprintf("%x", sha256.Sum256([]byte(vInfo))),
				"vm_count":                          "3",
				"ids.0":                             "vm-1",
				"ids.1":                             "vm-2",
				"ids.2":                             "vm-6",
				"total_memory_gib":                  "32",
				"total_provisioned_gib":             "200",
				"total_used_gib":                    "60.75",
				"mean_used_gib":                     "30.375",
				"templates.0":                       "vm-3",
				"inaccessible.0":                    "vm-5",
				"skipped.#":                         "4",
				"skipped.0.row":                     "4",
				"skipped.0.id":                      "vm-3",
				"skipped.0.reason":                  "template",
				"skipped.1.reason":                  "placeholder",
				"skipped.2.reason":                  "inaccessible",
				"skipped.3.reason":                  "no_size",
				"skipped.3.name":                    "blank",
				"virtual_machines.vm-1.name":        "db-1",
				"virtual_machines.vm-1.used_gib":    "40.5",
				"virtual_machines.vm-1.cpu_count":   "4",
				"virtual_machines.vm-1.cluster":     "C0",
				"virtual_machines.vm-2.power_state": "poweredOff",
			}),
		},
		resource.TestStep{
			Config: config(file(t, "uuids.csv", "VM,In Use MiB,VM UUID,VM Instance UUID\na,1024,4205-1,5005-1\n")),
			Check: attributes(map[string]string{
				"virtual_machines.a.bios_uuid":     "4205-1",
				"virtual_machines.a.instance_uuid": "5005-1",
			}),
		},
		resource.TestStep{
			Config: config(path, `name_regex = "^db-"`),
			Check:  attributes(map[string]string{"vm_count": "1", "total_used_gib": "40.5", "skipped.#": "0"}),
		}, resource.TestStep{
			Config: config(path, `cluster = "C1"`, "exclude_templates = false", "exclude_placeholders = false"),
			Check:  attributes(map[string]string{"vm_count": "4", "templates.#": "0"}),
		}, resource.TestStep{
			Config: config(path, `power_state = "suspended"`),
			Check:  attributes(map[string]string{"vm_count": "0", "mean_used_gib": "0"}),
		}, resource.TestStep{
			Config: config(file(t, "other.csv", "Server,Used (GB),Guest\nweb,1.5,1\nweb,2,0.5\n"),
				`columns = { name = "Server", used_gib = "Used (GB)", guest_used_gib = "Guest" }`,
				"allow_duplicate_names = true"),
			Check: attributes(map[string]string{
				"total_used_gib":                      "3.5",
				"total_guest_used_gib":                "1.5",
				"virtual_machines.web.used_gib":       "1.5",
				"virtual_machines.web.guest_used_gib": "1",
				"virtual_machines.web#2.used_gib":     "2",
			}),
		},
	)
}

// TestAccInventoryFile_places reads where VMs are. The attributes that only vCenter knows are null.
func TestAccInventoryFile_places(t *testing.T) {
	t.Parallel()
	path := file(t, "RVTools_tabvInfo.csv", "VM,VM ID,In Use MiB,Provisioned MiB,Total disk capacity MiB,CBT,"+
		"Datacenter,Cluster,Host,Folder\n"+
		"a,vm-1,1024,2048,3072,True,DC0,C0,esx-1,/DC0/vm/dev\n"+
		"b,vm-2,1024,2048,3072,False,DC1,C1,esx-2,/DC1/vm/prod\n")
	vm := func(attribute string) string { return "virtual_machines.vm-1." + attribute }
	acctest.RunOffline(t,
		resource.TestStep{
			Config: config(path, `datacenter = "DC0"`),
			Check: resource.ComposeAggregateTestCheckFunc(
				attributes(map[string]string{
					"vm_count":                   "1",
					"total_disk_gib":             "3",
					vm("id"):                     "vm-1",
					vm("provisioned_gib"):        "2",
					vm("disk_gib"):               "3",
					vm("changed_block_tracking"): "true",
					vm("datacenter"):             "DC0",
					vm("cluster"):                "C0",
					vm("host"):                   "esx-1",
					vm("folder"):                 "/DC0/vm/dev",
				}),
				resource.TestCheckNoResourceAttr(address, vm("host_id")),
				resource.TestCheckNoResourceAttr(address, vm("datastore_ids.#")),
				resource.TestCheckNoResourceAttr(address, vm("tags.%")),
			),
		},
		resource.TestStep{
			Config: config(path, `folder = "/DC1/vm"`),
			Check:  attributes(map[string]string{"ids.#": "1", "ids.0": "vm-2"}),
		},
	)
}

func TestAccInventoryFile_workbook(t *testing.T) {
	t.Parallel()
	workbook := excelize.NewFile()
	require.NoError(t, workbook.SetSheetName("Sheet1", "vInfo"))
	require.NoError(t, workbook.SetSheetRow("vInfo", "A1", &[]any{"VM", "In Use MiB", "Template"}))
	require.NoError(t, workbook.SetSheetRow("vInfo", "A2", &[]any{"a", 1024, "False"}))
	require.NoError(t, workbook.SetSheetRow("vInfo", "A3", &[]any{"b", 1024, "True"}))
	path := filepath.Join(t.TempDir(), "rvtools.xlsx")
	require.NoError(t, workbook.SaveAs(path))
	require.NoError(t, workbook.Close())
	acctest.RunOffline(t, resource.TestStep{
		Config: config(path),
		Check: attributes(map[string]string{
			"ids.#":           "1",
			"ids.0":           "a",
			"skipped.#":       "1",
			"skipped.0.sheet": "vInfo",
			"skipped.0.row":   "3",
		}),
	})
}

// TestAccInventoryFile_unknown checks that a number of one VM that cannot be true is null, and that what vSphere
// Replication refuses is named.
func TestAccInventoryFile_unknown(t *testing.T) {
	t.Parallel()
	const text = "VM,VM ID,CPUs,Memory,In Use MiB,FT State\na,vm-1,2,4096,0,running\nb,vm-2,1.5,-1,1024,notConfigured\n"
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "RVTools_tabvInfo.csv"), []byte(text), 0o600))
	acctest.RunOffline(t, resource.TestStep{
		Config: config(folder),
		Check: resource.ComposeAggregateTestCheckFunc(
			attributes(map[string]string{
				"vm_count":       "2",
				"total_used_gib": "1",
				"mean_used_gib":  "1",
				"virtual_machines.vm-1.replication_blockers.0": "IS_FT_VM",
				"virtual_machines.vm-2.replication_blockers.#": "0",
			}),
			resource.TestCheckNoResourceAttr(address, "virtual_machines.vm-1.used_gib"),
			resource.TestCheckNoResourceAttr(address, "virtual_machines.vm-2.cpu_count"),
			resource.TestCheckNoResourceAttr(address, "virtual_machines.vm-2.memory_gib"),
			resource.TestCheckNoResourceAttr(address, "total_memory_gib"),
		),
	})
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
			`row\s+2,\s+column\s+"In\s+Use\s+MiB",\s+VM\s+"a":\s+must\s+be\s+a\s+number,\s+got\s+"many"`,
		},
		"duplicate names": {
			config(file(t, "c.csv", "VM,In Use MiB\na,1\na,2\n")),
			`1\s+name\s+without\s+an\s+ID\s+occurs\s+in\s+2\s+rows:\s+a`,
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
	if got == nil {
		t.Errorf("%s is missing", name)
		return 0
	}
	if want.Type != nil && !want.Type.Equal(got.Type) {
		t.Errorf("%s has another type", name)
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
