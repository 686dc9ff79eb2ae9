package estate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/estate"
	"terraform-provider-vsla/internal/estate/inventoryfile"
)

const sizesPlan = `throughput_mbps: 1000
tiers:
  - name: gold
    match: {}
    rpo_minutes: 60
    daily_change_percent: 5
`

func reviewText(t *testing.T, inventory, tiers string) (*estate.Review, error) {
	t.Helper()
	file, err := estate.ReadTiers("tiers.yaml", strings.NewReader(tiers))
	require.NoError(t, err)
	found, err := inventoryfile.Read(strings.NewReader(inventory), inventoryfile.Options{KeepColumns: file.Columns()})
	require.NoError(t, err)
	return estate.NewReview(t.Context(), "vms.csv", found, file)
}

func verdict(t *testing.T, r *estate.Review) any {
	t.Helper()
	promises, _ := resultValues(t, r, "sla_plan", "estate")["promises"].(map[string]any)
	one, _ := promises["gold"].(map[string]any)
	return one["verdict"]
}

// TestNewReview_impossibleNumbers checks that a number of one VM never refuses the file, in any field and as any size.
func TestNewReview_impossibleNumbers(t *testing.T) {
	t.Parallel()
	fields := []string{"used_gib", "provisioned_gib", "disk_gib", "guest_used_gib", "memory_gib", "cpu_count", "change"}
	for _, number := range []string{"0", "1e-7", "-1", "1e30", "1e999", "4194304"} {
		for _, field := range fields {
			for _, size := range []string{"used_gib", "provisioned_gib", "disk_gib", "guest_used_gib"} {
				name := fmt.Sprintf("%s %s as %s", field, number, size)
				row := slices.Repeat([]string{"4"}, len(fields))
				row[slices.Index(fields, field)] = number
				rows := "name," + strings.Join(fields, ",") + "\nb,4,4,4,4,4,4,4\na," + strings.Join(row, ",") + "\n"
				tiers := sizesPlan + "    change: {column: change, unit: gib}\nsize: " + size + "\n"
				file, err := estate.ReadTiers("tiers.yaml", strings.NewReader(tiers))
				require.NoError(t, err, name)
				found, err := inventoryfile.Read(strings.NewReader(rows),
					inventoryfile.Options{KeepColumns: file.Columns()})
				require.NoError(t, err, name)
				_, err = estate.Prepare("inventory.csv", found, file)
				assert.NoError(t, err, name)
			}
		}
	}
}

// TestNewReview_impossibleMoves checks the same for migrations, whose inputs include the memory.
func TestNewReview_impossibleMoves(t *testing.T) {
	t.Parallel()
	const migration = "migration: {window_hours: 8, max_windows: 2}\n"
	for _, memory := range []string{"0", "-1", "1e30", "4194304"} {
		for _, method := range []string{"vmotion", "replication", "cold"} {
			for _, storage := range []string{"true", "false"} {
				name := memory + " " + method + " " + storage
				tiers := sizesPlan + "    method: " + method + "\nmigration: {window_hours: 8, max_windows: 2, " +
					"with_storage: " + storage + "}\n"
				if method == "replication" && storage == "false" {
					continue // replication copies the disks
				}
				_, err := reviewText(t, "name,used_gib,memory_gib\na,4,"+memory+"\nb,0,4\nc,4,4\n", tiers)
				require.NoError(t, err, name)
			}
		}
	}
	r, err := reviewText(t, "name,used_gib,memory_gib\na,0,4\nc,4,4\n", sizesPlan+migration)
	require.NoError(t, err)
	assert.Len(t, r.Moves.Input.VMs, 1)
}

func TestNewReview_unknownSizes(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]struct{ inventory, tiers, verdict, note string }{
		"in use 0": {
			"name,used_gib,provisioned_gib\na,4,8\nb,0,8\n", sizesPlan, "unknown",
			"No size is known of 1 VM, so the promises of the affected tiers are unknown: b.",
		},
		"all of 0": {
			"name,used_gib\na,0\n", sizesPlan, "unknown", "No size is known of 1 VM",
		},
		"fallback": {
			"name,used_gib,provisioned_gib\na,4,8\nb,0,8\n",
			"size: [used_gib, guest_used_gib, provisioned_gib]\n" + sizesPlan,
			"meets",
			"The first size of 1 VM is unknown, and another one is used: b by provisioned_gib (8 GiB).",
		},
		"fallback of the tier": {
			"name,used_gib,provisioned_gib\na,4,8\nb,0,8\n", sizesPlan + "    size: [used_gib, provisioned_gib]\n",
			"meets",
			"b by provisioned_gib (8 GiB)",
		},
		"no fallback": {
			"name,used_gib,guest_used_gib\na,4,2\nb,0,0\n", "size: [used_gib, guest_used_gib]\n" + sizesPlan, "unknown",
			"No size is known of 1 VM",
		},
		"change": {
			"name,used_gib,change\na,4,5\nb,4,-1\n", sizesPlan + "    change: {column: change}\n", "unknown",
			`row 3, VM "b", column "change": must be from 0 to 1,000 percent per day, got -1`,
		},
		// 1,000 GiB of 4 GiB are 25,000%.
		"change in GiB": {
			"name,used_gib,change\na,4,5\nb,4,1000\n", sizesPlan + "    change: {column: change, unit: gib}\n",
			"unknown",
			`row 3, VM "b", column "change": must be from 0 to 1,000 percent of its size per day, got 1000`,
		},
		"provisioned below used": {"name,used_gib,provisioned_gib\na,8,4\n", sizesPlan, "meets", ""},
	} {
		r, err := reviewText(t, run.inventory, run.tiers)
		require.NoError(t, err, name)
		assert.Equal(t, run.verdict, verdict(t, r), name)
		assert.Contains(t, strings.Join(r.Notes, "\n"), run.note, name)
	}
}

// TestNewReview_impossibleChange verifies that a promise does not call the size of a VM unknown whose change cannot be
// true.
func TestNewReview_impossibleChange(t *testing.T) {
	t.Parallel()
	r, err := reviewText(t, "name,used_gib,change\na,4,-1\n", sizesPlan+"    change: {column: change}\n")
	require.NoError(t, err)
	promises, _ := resultValues(t, r, "sla_plan", "estate")["promises"].(map[string]any)
	one, _ := promises["gold"].(map[string]any)
	assert.Contains(t, fmt.Sprint(one["explanations"]), "The size or the change of 1 VM is unknown: a.")
}

func TestReadTiers_sizes(t *testing.T) {
	t.Parallel()
	for size, says := range map[string]string{
		"[]":                   "size must be one of used_gib",
		"[used_gib, used]":     `or a list of different ones, got "used"`,
		"[used_gib, used_gib]": `or a list of different ones, got "used_gib"`,
		"{used_gib: 1}":        "size must be one of",
		"null":                 "size must be one of",
	} {
		_, err := estate.ReadTiers("tiers.yaml", strings.NewReader(sizesPlan+"size: "+size+"\n"))
		assert.ErrorContains(t, err, says, size)
	}
}

// TestNewReview_blocked checks that VMs that vSphere Replication refuses are in no promise.
func TestNewReview_blocked(t *testing.T) {
	t.Parallel()
	const header = "VM,VM ID,In Use MiB,Template,FT State,HW version,Folder\n"
	const good = "good,vm-0,1024,False,notConfigured,vmx-19,/DC/vm\n"
	for name, run := range map[string]struct {
		row, status string
		open        int
	}{
		"FT":               {"x,vm-1,1024,False,running,19,/DC/vm", "IS_FT_VM", 1},
		"FT, secondary":    {"x,vm-1,1024,False,needSecondary,19,/DC/vm", "IS_FT_VM", 1},
		"hardware":         {"x,vm-1,1024,False,notConfigured,4,/DC/vm", "INVALID_HW_VERSION", 1},
		"hardware, vmx":    {"x,vm-1,1024,False,,vmx-04,/DC/vm", "INVALID_HW_VERSION", 1},
		"vCLS by name":     {"vCLS-4200,vm-1,1024,False,,19,", "IS_EAM_VM", 0},
		"vCLS by folder":   {"x,vm-1,1024,False,,19,/DC/vm/vCLS", "IS_EAM_VM", 0},
		"agents":           {"x,vm-1,1024,False,,19,/DC/vm/ESX Agents/a", "IS_EAM_VM", 0},
		"template":         {"x,vm-1,1024,True,,19,/DC/vm", "IS_VM_TEMPLATE", 0},
		"version 7":        {"x,vm-1,1024,False,,7,/DC/vm", "", 0},
		"FT, disabled":     {"x,vm-1,1024,False,disabled,19,/DC/vm", "", 0},
		"a similar folder": {"x,vm-1,1024,False,,19,/DC/vm/vCLS-old", "", 0},
	} {
		file, err := estate.ReadTiers("tiers.yaml", strings.NewReader(sizesPlan))
		require.NoError(t, err, name)
		found, err := inventoryfile.Read(
			strings.NewReader(header+good+run.row+"\n"),
			inventoryfile.Options{Templates: true},
		)
		require.NoError(t, err, name)
		r, err := estate.NewReview(t.Context(), "vms.csv", found, file)
		require.NoError(t, err, name)
		assert.Len(t, r.Blocked, run.open, name)
		assert.Len(t, r.OpenPoints, run.open, name)
		if run.status == "" {
			assert.Len(t, tierSizes(r, "gold"), 2, name)
			continue
		}
		assert.Len(t, tierSizes(r, "gold"), 1, name)
		assert.Contains(t, strings.Join(r.Notes, "\n"), run.status, name)
	}
}

// TestNewReview_guests checks both ends of a promise if the guests use more than is in use. 5% of 1,000 GiB per day are
// 50 GiB, and 1,000 Mbit/s carry 419 GiB per hour. 5% of 300,000 GiB are 15,000 GiB per day, more than 24 * 419 GiB.
func TestNewReview_guests(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]struct {
		guest, size, says string
		open              int
	}{
		"both hold":         {"1000", "used_gib", "the promise holds (100.00% within the RPO, initial sync ", 0},
		"the larger misses": {"300000", "used_gib", "With the other size of these VMs, it does not hold", 1},
		"the other way":     {"300000", "guest_used_gib", "With the other size of these VMs, it holds", 1},
		"another size":      {"300000", "provisioned_gib", "", 0},
		"below":             {"50", "used_gib", "", 0},
	} {
		inventory := "name,used_gib,guest_used_gib,provisioned_gib\na,100," + run.guest + ",400000\n"
		r, err := reviewText(t, inventory, sizesPlan+"size: "+run.size+"\n")
		require.NoError(t, err, name)
		notes := strings.Join(r.Notes, "\n")
		assert.Contains(t, notes, run.says, name)
		assert.Equal(t, run.says != "", strings.Contains(notes, "so the sizes are uncertain"), name)
		assert.Len(t, r.OpenPoints, run.open, name)
	}
}
