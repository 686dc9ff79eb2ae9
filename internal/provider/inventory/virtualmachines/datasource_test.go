package virtualmachines_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

const address = "data.vsla_virtual_machines.x"

func config(lab *acctest.Lab, arguments ...string) string {
	return fmt.Sprintf("%sdata \"vsla_virtual_machines\" \"x\" {\n  %s\n}\n",
		lab.Provider(`ignore_tag_categories = ["secret*"]`), strings.Join(arguments, "\n  "))
}

func are(lab *acctest.Lab, fits func(vcsim.VM) bool) resource.TestCheckFunc {
	var ids, templates, inaccessible []string
	var memory, provisioned, used, disk int64
	for _, vm := range lab.VMs() {
		switch {
		case !fits(vm):
		case vm.ConnectionState != "connected":
			inaccessible = append(inaccessible, vm.ID)
		case vm.Template:
			templates = append(templates, vm.ID)
		default:
			ids = append(ids, vm.ID)
			memory += vm.MemoryBytes
			provisioned += vm.ProvisionedBytes
			used += vm.UsedBytes
			disk += vm.DiskBytes
		}
	}
	gib := func(bytes int64) float64 { return float64(bytes) / (1 << 30) }
	mean := 0.0
	if len(ids) > 0 {
		mean = gib(used) / float64(len(ids))
	}
	checks := []resource.TestCheckFunc{
		resource.TestCheckResourceAttr(address, "vm_count", strconv.Itoa(len(ids))),
		resource.TestCheckResourceAttr(address, "virtual_machines.%", strconv.Itoa(len(ids))),
		number("total_memory_gib", gib(memory)),
		number("total_provisioned_gib", gib(provisioned)),
		number("total_used_gib", gib(used)),
		number("total_disk_gib", gib(disk)),
		number("mean_used_gib", mean),
	}
	for attribute, list := range map[string][]string{"ids": ids, "templates": templates, "inaccessible": inaccessible} {
		slices.Sort(list)
		checks = append(checks, resource.TestCheckResourceAttr(address, attribute+".#", strconv.Itoa(len(list))))
		for i, id := range list {
			checks = append(checks, resource.TestCheckResourceAttr(address, fmt.Sprintf("%s.%d", attribute, i), id))
		}
	}
	return resource.ComposeAggregateTestCheckFunc(checks...)
}

func number(attribute string, want float64) resource.TestCheckFunc {
	return acctest.CheckNear(address, attribute, want, 1e-12)
}

func TestAccVirtualMachines_filters(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{Hosts: 4, VMs: 44, Templates: 2, Inaccessible: 4})
	cluster := lab.VMs()[0].Cluster
	for name, test := range map[string]struct {
		arguments []string
		fits      func(vcsim.VM) bool
	}{
		"none": {nil, func(vcsim.VM) bool { return true }},
		"all of them at once": {
			[]string{
				`cluster = "` + cluster + `"`,
				`folder = "dev"`,
				`power_state = "poweredOn"`,
				`name_regex = "b"`,
			},
			func(vm vcsim.VM) bool {
				mayRun := vm.PowerState == "poweredOn" || vm.ConnectionState != "connected"
				return vm.Cluster == cluster && vm.Folder == "/DC0/vm/dev" && mayRun && strings.Contains(vm.Name, "b")
			},
		},
		"IDs": {
			[]string{fmt.Sprintf("vm_ids = [%q, %q]", lab.VMs()[0].ID, lab.VMs()[5].ID)},
			func(vm vcsim.VM) bool { return vm.ID == lab.VMs()[0].ID || vm.ID == lab.VMs()[5].ID },
		},
		"nothing fits": {[]string{`name_regex = "^nothing$"`}, func(vcsim.VM) bool { return false }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lab.Run(t, resource.TestStep{Config: config(lab, test.arguments...), Check: are(lab, test.fits)})
		})
	}
}

func TestAccVirtualMachines_tags(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: 12})
	lab.KeepObjects()
	ids := tagged(t, lab)
	list := func(names ...string) string {
		var quoted []string
		for _, n := range names {
			quoted = append(quoted, strconv.Quote(ids[n]))
		}
		return "tag_ids = [" + strings.Join(quoted, ", ") + "]"
	}
	at := func(index func(int) bool) func(vcsim.VM) bool {
		return func(vm vcsim.VM) bool {
			return index(slices.IndexFunc(lab.VMs(), func(other vcsim.VM) bool { return other.ID == vm.ID }))
		}
	}
	first := lab.VMs()[0]
	attribute := "virtual_machines." + first.ID
	lab.Run(
		t,
		resource.TestStep{Config: config(lab, list("gold")), Check: are(lab, at(func(i int) bool { return i < 6 }))},
		resource.TestStep{
			Config: config(lab, list("gold", "even")),
			Check:  are(lab, at(func(i int) bool { return i < 6 && i%2 == 0 })),
		}, resource.TestStep{
			Config: config(lab, list("gold", "even"), `tag_match = "any"`),
			Check: resource.ComposeTestCheckFunc(
				are(lab, at(func(i int) bool { return i < 6 || i%2 == 0 })),
				resource.TestCheckResourceAttr(address, attribute+".name", first.Name),
				resource.TestCheckResourceAttr(address, attribute+".path", first.Path),
				resource.TestCheckResourceAttr(address, attribute+".instance_uuid", first.InstanceUUID),
				resource.TestCheckResourceAttr(address, attribute+".power_state", first.PowerState),
				resource.TestCheckResourceAttr(address, attribute+".cpu_count", strconv.Itoa(int(first.CPUCount))),
				resource.TestCheckResourceAttr(address, attribute+".host_id", first.HostID),
				resource.TestCheckResourceAttr(address, attribute+".datastore_ids.0", first.DatastoreIDs[0]),
				resource.TestCheckResourceAttr(address, attribute+".changed_block_tracking",
					strconv.FormatBool(first.ChangedBlockTracking)),
				number(attribute+".memory_gib", float64(first.MemoryBytes)/(1<<30)),
				number(attribute+".used_gib", float64(first.UsedBytes)/(1<<30)),
				number(attribute+".provisioned_gib", float64(first.ProvisionedBytes)/(1<<30)),
				number(attribute+".disk_gib", float64(first.DiskBytes)/(1<<30)),
				// The VM has one tag in the category sla and two tags in marks. The ignored category is omitted.
				resource.TestCheckResourceAttr(address, attribute+".tags.%", "2"),
				resource.TestCheckResourceAttr(address, attribute+".tags.sla.#", "1"),
				resource.TestCheckResourceAttr(address, attribute+".tags.sla.0", "gold"),
				resource.TestCheckResourceAttr(address, attribute+".tags.marks.0", "even"),
				resource.TestCheckResourceAttr(address, attribute+".tags.marks.1", "first"),
			),
		}, resource.TestStep{
			Config: config(lab, list("gold"), `read_disks = false`),
			Check: resource.ComposeTestCheckFunc(resource.TestCheckNoResourceAttr(address, "total_disk_gib"),
				resource.TestCheckNoResourceAttr(address, attribute+".disk_gib")),
		}, resource.TestStep{ // a VM that was deleted in the meantime is skipped without an error
			PreConfig: func() {
				assert.NoError(t, lab.DestroyVM(lab.VMs()[1].ID))
			},
			Config: config(lab, list("gold")),
			Check:  are(lab, at(func(i int) bool { return i < 6 && i != 1 })),
		},
	)
}

// tagged attaches sla/gold to the first six VMs and marks/even to every other VM. The first VM also gets marks/first
// and a tag of an ignored category.
func tagged(t *testing.T, lab *acctest.Lab) map[string]string {
	t.Helper()
	ids := make(map[string]string)
	add := func(category, cardinality, name string, fits func(int) bool) {
		var categoryID string
		for _, c := range lab.Tags().Categories() {
			if c.Name == category {
				categoryID = c.ID
			}
		}
		var err error
		if categoryID == "" {
			categoryID, err = lab.Tags().AddCategory(tagging.Category{Name: category, Cardinality: cardinality})
			require.NoError(t, err)
		}
		ids[name], err = lab.Tags().AddTag(tagging.Tag{Name: name, CategoryID: categoryID})
		require.NoError(t, err)
		for i, vm := range lab.VMs() {
			if fits(i) {
				require.NoError(t, lab.Tags().Attach(ids[name], tagging.Object{Type: "VirtualMachine", ID: vm.ID}))
			}
		}
	}
	add("sla", "SINGLE", "gold", func(i int) bool { return i < 6 })
	add("marks", "MULTIPLE", "even", func(i int) bool { return i%2 == 0 })
	add("marks", "MULTIPLE", "first", func(i int) bool { return i == 0 })
	add("secrets", "MULTIPLE", "s", func(i int) bool { return i == 0 })
	return ids
}

// Listing 1,100 VMs requires one view and two pages.
func TestAccVirtualMachines_summaryOnly(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{Hosts: 4, VMs: 1100, Templates: 2})
	var used int64
	for _, vm := range lab.VMs() {
		if !vm.Template {
			used += vm.UsedBytes
		}
	}
	lab.Run(t, resource.TestStep{
		Config: config(lab, "summary_only = true"),
		Check: resource.ComposeTestCheckFunc(
			resource.TestCheckResourceAttr(address, "vm_count", "1100"),
			resource.TestCheckResourceAttr(address, "ids.#", "1100"),
			resource.TestCheckResourceAttr(address, "templates.#", "2"),
			resource.TestCheckNoResourceAttr(address, "virtual_machines.%"),
			resource.TestCheckNoResourceAttr(address, "total_disk_gib"),
			number("total_used_gib", float64(used)/(1<<30)),
			func(*terraform.State) error {
				reads := lab.Traffic().Count("soap:CreateContainerView")
				if reads == 0 {
					return errors.New("the data source was not read")
				}
				// Each read sends two requests to log in, one to log out, four to list VMs, and four to check
				// privileges.
				if got := lab.Traffic().Total(); got > 11*reads {
					return fmt.Errorf("%d reads took %d requests: %v", reads, got, lab.Traffic().Counts())
				}
				return nil
			},
		),
	})
}

func TestAccVirtualMachines_badInput(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{})
	lab.Run(
		t,
		acctest.FailingStep(config(lab, `name_regex = "("`), `name_regex = .*is not a valid regular expression`),
		acctest.FailingStep(config(lab, `power_state = "on"`), `"poweredOn"`),
		acctest.FailingStep(config(lab, `tag_match = "any"`), `tag_ids`),
		acctest.FailingStep(config(lab, `folder = "Dev"`), `folder = "Dev".*object does not exist.*Available: "dev"`),
		acctest.FailingStep(config(lab, `folder = "/DC0/vm/Dev"`),
			`folder = "/DC0/vm/Dev".*object does not exist.*Available: "/DC0/vm/dev"`),
		acctest.FailingStep(config(lab, `cluster = "none"`),
			`cluster = "none".*object does not exist.*Available: "`+lab.VMs()[0].Cluster+`"`),
		acctest.FailingStep(config(lab, `tag_ids = ["urn:vmomi:InventoryServiceTag:none:GLOBAL"]`),
			`tag_ids = .*object does not exist`),
	)
}
