// Filters of VMs.

package inventoryfile

import "strings"

// match reports whether a VM passes all filters.
func (o *Options) match(vm *VM) bool {
	return (o.Name == nil || o.Name.MatchString(vm.Name)) &&
		(o.PowerState == "" || o.PowerState == vm.PowerState) &&
		(o.Cluster == "" || o.Cluster == vm.Cluster) &&
		(o.Datacenter == "" || o.Datacenter == vm.Datacenter) &&
		(o.Folder == "" || IsBelow(vm.Folder, o.Folder))
}

// IsBelow reports whether folder equals other or is below it.
func IsBelow(folder, other string) bool {
	folder, other = strings.Trim(folder, "/"), strings.Trim(other, "/")
	return folder == other || strings.HasPrefix(folder, other+"/")
}
