package gateway

import (
	"path"
	"strings"
)

func (g *Gateway) listReplicatedDisks(c *call) {
	r := g.replicationOf(c)
	if r == nil {
		return
	}
	list := []replicatedDisk{}
	names := map[string]string{}
	for _, d := range g.datastores(r.target) {
		names[d.ID] = d.Name
	}
	for _, d := range r.disks {
		shown := replicatedDisk{
			Disk:        d.source,
			PolicyID:    d.spec.PolicyID,
			Destination: &diskPath{DatastoreID: d.spec.DatastoreID, DatastoreName: new(names[d.spec.DatastoreID])},
		}
		if !g.config.Switches.Latest.OmitOptional {
			shown.Replicated = &d.spec.Enabled
		}
		if g.config.Switches.Latest.DiskFormat {
			shown.Format = d.spec.Format
		}
		folder, file := splitPath(d.path)
		shown.Destination.Path = &folder
		if !d.source.IsVMHome {
			shown.Destination.Filename = &file
		}
		if d.spec.PolicyID != nil {
			shown.PolicyName = r.target.policyName(*d.spec.PolicyID)
		}
		if d.spec.Enabled && r.engine.Count() > 0 {
			shown.Usage = g.diskBytes(r.vmID, d.source)
		}
		if c.missing {
			shown.Destination.DatastoreName = nil
			shown.PolicyName = nil
		}
		if !d.spec.Enabled {
			shown.Destination = nil
		}
		list = append(list, shown)
	}
	writePage(g, c, list, func(rows []replicatedDisk) []metaError {
		return eachMissing(c, len(rows), "destination_path.datastore_name", "destination_storage_policy_name")
	})
}

func splitPath(p string) (folder, file string) {
	folder, file = path.Split(p)
	return strings.TrimSuffix(folder, "/"), file
}

func (s *site) policyName(id string) *string {
	for _, p := range s.policies {
		if p.ID == id {
			return new(p.Name)
		}
	}
	return nil
}
