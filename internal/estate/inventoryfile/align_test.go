package inventoryfile_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/estate/inventoryfile"
)

// TestInventory_AlignKeys checks which VM of a later file an earlier one is: by ID, else UUID, else name and cluster.
func TestInventory_AlignKeys(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]struct {
		before, after string
		want          []string
	}{
		"IDs are added": {
			"VM,In Use MiB,Cluster\na,1,C\nb,1,C\n", "VM,In Use MiB,Cluster,VM ID\na,1,C,vm-1\nb,1,C,vm-2\n",
			[]string{"vm-1", "vm-2"},
		},
		"new IDs": {
			"VM,In Use MiB,VM ID\na,1,vm-1\nb,1,vm-2\n", "VM,In Use MiB,VM ID\na,1,vm-8\nb,1,vm-9\n",
			[]string{"vm-8", "vm-9"},
		},
		"renamed": {"VM,In Use MiB,VM ID\na,1,vm-1\n", "VM,In Use MiB,VM ID\nb,1,vm-1\n", []string{"vm-1"}},
		"renamed, with new IDs": {
			"VM,In Use MiB,VM ID,VM UUID\na,1,vm-1,u-1\n", "VM,In Use MiB,VM ID,VM UUID\nb,1,vm-9,u-1\n",
			[]string{"vm-9"},
		},
		// The ID belongs to another VM now, and a is gone.
		"reused ID": {
			"VM,In Use MiB,VM ID,VM UUID\na,1,vm-1,u-1\n", "VM,In Use MiB,VM ID,VM UUID\nb,1,vm-1,u-2\n",
			[]string{"vm-1"},
		},
		"swapped IDs": {
			"VM,In Use MiB,VM ID,VM UUID\na,1,vm-1,u-1\nb,1,vm-2,u-2\n",
			"VM,In Use MiB,VM ID,VM UUID\na,1,vm-2,u-1\nb,1,vm-1,u-2\n",
			[]string{"vm-1", "vm-2"},
		},
		"gone": {
			"VM,In Use MiB\na,1\nb,1\n", "VM,In Use MiB,VM ID\nb,1,a\n", []string{"a", "a#2"},
		},
		"another cluster": {
			"VM,In Use MiB,Cluster\na,1,C\n", "VM,In Use MiB,Cluster,VM ID\na,1,D,vm-1\n", []string{"a"},
		},
	} {
		before := read(t, []byte(run.before), inventoryfile.Options{})
		after := read(t, []byte(run.after), inventoryfile.Options{})
		before.AlignKeys(&after)
		var keys []string
		for _, vm := range before.VMs {
			keys = append(keys, vm.Key)
		}
		assert.Equal(t, run.want, keys, name)
	}
}
