package gateway

import "slices"

// deleteFiles deletes the replica's files, except for seeds.
func (g *Gateway) deleteFiles(r *replication) {
	for _, d := range r.disks {
		if !d.seeded {
			delete(g.filesAt(d.spec.DatastoreID), d.path)
		}
	}
}

// filesAt returns the set of files on a datastore, to which the caller can add files.
func (g *Gateway) filesAt(datastoreID string) map[string]bool {
	if g.files[datastoreID] == nil {
		g.files[datastoreID] = map[string]bool{}
	}
	return g.files[datastoreID]
}

// filesOn returns the sorted files on a datastore.
func (g *Gateway) filesOn(datastoreID string) []string {
	list := make([]string, 0, len(g.files[datastoreID]))
	for file := range g.files[datastoreID] {
		list = append(list, file)
	}
	slices.Sort(list)
	return list
}

// fileOf returns the name of the file of a VM's disk. It returns "" for an unknown disk.
func (g *Gateway) fileOf(id diskIdentifier) string {
	m, ok := g.local.vc.VMState(moidOf(id.VMID))
	if !ok || id.DeviceKey == nil {
		return ""
	}
	for _, disk := range g.disksOf(g.local, m) {
		if disk.key() == *id.DeviceKey && !disk.IsVMHome {
			return *disk.SourcePath.Filename
		}
	}
	return ""
}
