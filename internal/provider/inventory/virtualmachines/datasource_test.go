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

// checkVMs checks the lists of the VMs that fit, and the sums of those that are neither templates nor inaccessible.
func checkVMs(lab *acctest.Lab, fits func(vcsim.VM) bool) resource.TestCheckFunc {
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
			lab.Run(t, resource.TestStep{Config: config(lab, test.arguments...), Check: checkVMs(lab, test.fits)})
		})
	}
}

// TestAccVirtualMachines_sums reads VMs 0 and 5. They have 2 and 12 GiB of memory. Their disks have 20 GiB, and 70 + 80
// + 20 = 170 GiB, of which 30% (6 GiB) and 55% (93.5 GiB) are used. Swap files as large as the memory are provisioned.
func TestAccVirtualMachines_sums(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: 6})
	lab.Run(t, resource.TestStep{
		Config: config(lab, fmt.Sprintf("vm_ids = [%q, %q]", lab.VMs()[0].ID, lab.VMs()[5].ID)),
		Check: resource.ComposeAggregateTestCheckFunc(
			resource.TestCheckResourceAttr(address, "vm_count", "2"),
			number("total_memory_gib", 2+12),
			number("total_disk_gib", 20+170),
			number("total_provisioned_gib", 20+170+2+12),
			number("total_used_gib", 6+93.5),
			number("mean_used_gib", (6+93.5)/2),
		),
	})
}

func TestAccVirtualMachines_tagMatch(t *testing.T) {
	t.Parallel()
	lab, list := startTagged(t)
	lab.Run(
		t,
		resource.TestStep{
			Config: config(lab, list("gold")),
			Check:  checkVMs(lab, func(vm vcsim.VM) bool { return vm.Position < 6 }),
		},
		resource.TestStep{
			Config: config(lab, list("gold", "even")),
			Check:  checkVMs(lab, func(vm vcsim.VM) bool { return vm.Position < 6 && vm.Position%2 == 0 }),
		},
		resource.TestStep{
			Config: config(lab, list("gold", "even"), `tag_match = "any"`),
			Check:  checkVMs(lab, func(vm vcsim.VM) bool { return vm.Position < 6 || vm.Position%2 == 0 }),
		},
	)
}

// TestAccVirtualMachines_attributes checks the first VM. It has 2 GiB of memory and a disk of 20 GiB that is 30% full.
func TestAccVirtualMachines_attributes(t *testing.T) {
	t.Parallel()
	lab, list := startTagged(t)
	first := lab.VMs()[0]
	attribute := "virtual_machines." + first.ID
	has := func(name, want string) resource.TestCheckFunc {
		return resource.TestCheckResourceAttr(address, attribute+name, want)
	}
	lab.Run(t, resource.TestStep{
		Config: config(lab, list("gold", "even"), `tag_match = "any"`),
		Check: resource.ComposeAggregateTestCheckFunc(
			has(".name", first.Name),
			has(".path", first.Path),
			has(".instance_uuid", first.InstanceUUID),
			has(".power_state", first.PowerState),
			has(".cpu_count", strconv.Itoa(int(first.CPUCount))),
			has(".host_id", first.HostID),
			has(".datastore_ids.0", first.DatastoreIDs[0]),
			has(".changed_block_tracking", strconv.FormatBool(first.ChangedBlockTracking)),
			number(attribute+".memory_gib", 2),
			number(attribute+".used_gib", 6),
			number(attribute+".provisioned_gib", 20+2),
			number(attribute+".disk_gib", 20),
			// The VM has one tag in the category sla and two tags in marks. The ignored category is omitted.
			has(".tags.%", "2"),
			has(".tags.sla.#", "1"),
			has(".tags.sla.0", "gold"),
			has(".tags.marks.0", "even"),
			has(".tags.marks.1", "first"),
		),
	})
}

func TestAccVirtualMachines_withoutDisks(t *testing.T) {
	t.Parallel()
	lab, list := startTagged(t)
	disk := "virtual_machines." + lab.VMs()[0].ID + ".disk_gib"
	lab.Run(
		t,
		resource.TestStep{Config: config(lab, list("gold")), Check: resource.TestCheckResourceAttrSet(address, disk)},
		resource.TestStep{
			Config: config(lab, list("gold"), `read_disks = false`),
			Check: resource.ComposeTestCheckFunc(
				resource.TestCheckNoResourceAttr(address, "total_disk_gib"),
				resource.TestCheckNoResourceAttr(address, disk),
			),
		},
	)
}

// TestAccVirtualMachines_deletedVM verifies that a VM that was deleted in the meantime is skipped without an error.
func TestAccVirtualMachines_deletedVM(t *testing.T) {
	t.Parallel()
	lab, list := startTagged(t)
	lab.Run(
		t,
		resource.TestStep{
			Config: config(lab, list("gold")),
			Check:  checkVMs(lab, func(vm vcsim.VM) bool { return vm.Position < 6 }),
		},
		acctest.After(func() { assert.NoError(t, lab.DestroyVM(lab.VMs()[1].ID)) }, resource.TestStep{
			Config: config(lab, list("gold")),
			Check:  checkVMs(lab, func(vm vcsim.VM) bool { return vm.Position < 6 && vm.Position != 1 }),
		}),
	)
}

// startTagged starts a vCenter with 12 VMs. It attaches sla/gold to the first six VMs and marks/even to every other VM.
// The first VM also gets marks/first and a tag of an ignored category. list returns an argument with the IDs of tags.
func startTagged(t *testing.T) (lab *acctest.Lab, list func(names ...string) string) {
	t.Helper()
	lab = acctest.Start(t, vcsim.Config{VMs: 12})
	lab.KeepObjects()
	ids := make(map[string]string)
	type marks map[string]func(vm int) bool
	isFirst := func(i int) bool { return i == 0 }
	for _, c := range []struct {
		name, cardinality string
		tags              marks
	}{
		{"sla", "SINGLE", marks{"gold": func(i int) bool { return i < 6 }}},
		{"marks", "MULTIPLE", marks{"even": func(i int) bool { return i%2 == 0 }, "first": isFirst}},
		{"secrets", "MULTIPLE", marks{"s": isFirst}},
	} {
		category, err := lab.Tags().AddCategory(tagging.Category{Name: c.name, Cardinality: c.cardinality})
		require.NoError(t, err)
		for name, fits := range c.tags {
			ids[name], err = lab.Tags().AddTag(tagging.Tag{Name: name, CategoryID: category})
			require.NoError(t, err)
			for i, vm := range lab.VMs() {
				if fits(i) {
					object := tagging.Object{Type: "VirtualMachine", ID: vm.ID}
					require.NoError(t, lab.Tags().Attach(ids[name], object))
				}
			}
		}
	}
	return lab, func(names ...string) string {
		var quoted []string
		for _, n := range names {
			quoted = append(quoted, strconv.Quote(ids[n]))
		}
		return "tag_ids = [" + strings.Join(quoted, ", ") + "]"
	}
}

// TestAccVirtualMachines_summaryOnly verifies that a read of 1,100 VMs takes at most 11 requests: two to log in, one to
// log out, four to list VMs (create a view, read two pages, destroy the view), and four to check privileges.
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
