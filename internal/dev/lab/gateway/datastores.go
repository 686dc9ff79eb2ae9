package gateway

import (
	"net/http"
	"slices"
	"strings"
)

func (g *Gateway) datastores(s *site) []datastore {
	list := []datastore{}
	for _, d := range s.vc.Datastores() {
		kind := strings.ToUpper(d.Type)
		if !slices.Contains([]string{"VMFS", "NFS", "NFS41", "CIFS", "VSAN", "VFFS", "VVOL", "PMEM", "VSAND"}, kind) {
			kind = "OTHER"
		}
		status := strings.ToUpper(d.OverallStatus)
		if status == "" {
			status = "GREEN"
		}
		shown := datastore{
			ID:              "Datastore:" + d.ID + ":" + s.vcID,
			Name:            d.Name,
			Parent:          d.ParentID + ":" + s.vcID,
			ParentName:      d.ParentName,
			Capacity:        d.CapacityBytes,
			FreeSpace:       d.FreeBytes,
			FileSystemType:  kind,
			OverallStatus:   status,
			Accessible:      d.Accessible,
			Type:            "DATASTORE",
			NKPSupported:    true,
			Path:            d.URL,
			MaintenanceMode: new(d.MaintenanceMode),
		}
		if change := g.stores[shown.ID]; change != nil {
			change(&shown)
		}
		list = append(list, shown)
	}
	return list
}

func (g *Gateway) listDatastores(c *call) {
	if s := g.vcenter(c); s != nil {
		writePage(g, c, g.datastores(s), nil)
	}
}

func (g *Gateway) datastoreOf(c *call, s *site) (datastore, bool) {
	list := g.datastores(s)
	if i := slices.IndexFunc(list, func(d datastore) bool { return d.ID == c.r.PathValue("datastore_id") }); i >= 0 {
		return list[i], true
	}
	g.writeStatus(c, http.StatusNotFound)
	return datastore{}, false
}
