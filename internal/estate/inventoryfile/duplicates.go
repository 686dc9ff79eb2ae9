// VMs that a file contains twice.

package inventoryfile

import (
	"cmp"
	"slices"
)

// seenVMs contains the places of the VMs that have been read, by their identity.
type seenVMs map[vmIdentity][]place

// place tells VMs with the same identity apart.
type place struct{ instanceUUID, uuid, datacenter string }

// isSame reports whether two places with the same identity can be those of one VM.
func (p place) isSame(other place) bool {
	return !differ(p.instanceUUID, other.instanceUUID) && !differ(p.uuid, other.uuid) &&
		!differ(p.datacenter, other.datacenter)
}

// differ reports whether both values are known and different.
func differ(a, b string) bool { return a != "" && b != "" && a != b }

// add adds the VM of a row. It returns false if the VM has already been added.
func (s seenVMs) add(r *row) bool {
	key, ok := r.duplicateKey()
	if !ok {
		return true
	}
	p := place{r.vm.InstanceUUID, r.vm.UUID, r.vm.Datacenter}
	if slices.ContainsFunc(s[key], p.isSame) {
		return false
	}
	s[key] = append(s[key], p)
	return true
}

// duplicateKey returns what the rows of a VM have in common: its vCenter and its ID or, without an ID, its UUID. If
// neither the vCenter nor a UUID is known, the name and the cluster must be the same, too. It returns false for a row
// without ID and UUID.
func (r *row) duplicateKey() (vmIdentity, bool) {
	key := vmIdentity{serverUUID: r.serverUUID, id: r.vm.ID}
	if key.serverUUID == "" {
		key.server = r.server
	}
	uuid := cmp.Or(r.vm.InstanceUUID, r.vm.UUID)
	if key == (vmIdentity{id: r.vm.ID}) && uuid == "" {
		key.name = r.vm.Name + "\n" + r.vm.Cluster
	}
	if key.id == "" {
		key.uuid = uuid
	}
	return key, key.id != "" || uuid != ""
}
