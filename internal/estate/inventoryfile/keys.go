// Keys of the VMs.

package inventoryfile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// assignKeys sorts the VMs and makes their keys unique: the second "web" becomes "web#2".
func assignKeys(vms []VM) {
	for i := range vms {
		vms[i].Key = cmp.Or(vms[i].ID, vms[i].Name)
	}
	slices.SortStableFunc(vms, func(a, b VM) int { return strings.Compare(a.Key, b.Key) })
	taken := make(map[string]bool, len(vms))
	for i := range vms {
		taken[vms[i].Key] = true
	}
	count := map[string]int{}
	for i := range vms {
		key := vms[i].Key
		count[key]++
		if count[key] == 1 {
			continue
		}
		for taken[fmt.Sprintf("%s#%d", key, count[key])] {
			count[key]++
		}
		vms[i].Key = fmt.Sprintf("%s#%d", key, count[key])
		taken[vms[i].Key] = true
	}
	slices.SortFunc(vms, func(a, b VM) int { return strings.Compare(a.Key, b.Key) })
}
