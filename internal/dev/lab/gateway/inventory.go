package gateway

import (
	"net/http"
	"strings"

	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

const defaultPolicy = "dsbrowser.defaultStoragePolicy"

// vcenter returns the site whose vCenter the path names. If there is none or it cannot be read, it writes the error and
// returns nil.
func (g *Gateway) vcenter(c *call) *site {
	id := c.r.PathValue("vcenter_id")
	if !isUUID(id) {
		g.writeBadRequest(c, "vcenter_id is not a UUID")
		return nil
	}
	for _, s := range g.sites(c.r.PathValue("pairing_id")) {
		if strings.EqualFold(s.vcID, id) {
			if !g.checkSite(c, s) {
				return nil
			}
			return s
		}
	}
	g.writeStatus(c, http.StatusNotFound)
	return nil
}

func (g *Gateway) listVMs(c *call) {
	s := g.vcenter(c)
	if s == nil {
		return
	}
	suitable, err := flag(c.r.URL.Query(), "suitable_for_replication")
	if err != nil {
		g.writeBadRequest(c, err.Error())
		return
	}
	omitDisks := g.config.Switches.Latest.OmitDisks && c.r.URL.Query().Get("include_disks") != "true"
	list := []virtualMachine{}
	for _, m := range s.vc.VMStates() {
		vm := g.showVM(s, m)
		if omitDisks {
			vm.Disks = nil
		}
		if !suitable || g.capabilityOf(s, m).Status == "OK" {
			list = append(list, vm)
		}
	}
	writePage(g, c, list, nil)
}

func (g *Gateway) showVM(s *site, m vcsim.VMState) virtualMachine {
	power := map[string]string{
		"poweredOn":  "POWERED_ON",
		"poweredOff": "POWERED_OFF",
		"suspended":  "SUSPENDED",
	}[m.PowerState]
	return virtualMachine{
		ID:                 vmID(s, m.ID),
		Name:               m.Name,
		PowerState:         &power,
		ConnectionState:    new(strings.ToUpper(m.ConnectionState)),
		Template:           m.Template,
		VRPrivilegeGranted: true,
		Disks:              g.disksOf(s, m),
	}
}

func (g *Gateway) disksOf(s *site, m vcsim.VMState) []vmDisk {
	place := func(datastoreID, store, folder, file string) *diskPath {
		return &diskPath{
			DatastoreID:   "Datastore:" + datastoreID + ":" + s.vcID,
			DatastoreName: &store,
			Path:          &folder,
			Filename:      &file,
		}
	}
	policy := defaultPolicy
	policyName := "Datastore Default"
	home := vmDisk{
		VMID:                    vmID(s, m.ID),
		IsVMHome:                true,
		SourceDiskFormat:        "SAME_AS_SOURCE",
		Label:                   "VM home",
		SupportedForReplication: true,
		SourcePath:              place(m.DatastoreID, m.DatastoreName, m.Folder, m.Name+".vmx"),
		SourceStoragePolicyID:   &policy,
		SourceStoragePolicyName: &policyName,
	}
	list := []vmDisk{home}
	for _, d := range m.Disks {
		format := "THICK"
		if d.Thin {
			format = "THIN"
		}
		list = append(list, vmDisk{
			VMID:                    home.VMID,
			DeviceKey:               new(d.Key),
			Capacity:                d.CapacityBytes >> 10,
			SourceDiskFormat:        format,
			SourcePath:              place(d.DatastoreID, d.DatastoreName, d.Folder, d.File),
			SourceStoragePolicyID:   &policy,
			SourceStoragePolicyName: &policyName,
			Label:                   d.Label,
			ControllerKey:           new(d.ControllerKey),
			ControllerLabel:         new(d.Controller),
			SupportedForReplication: true,
		})
	}
	return list
}

// vmOf returns the VM that the path names. If the site has none, it writes the error.
func (g *Gateway) vmOf(c *call, s *site) (vcsim.VMState, bool) {
	moid, vcenter, ok := parseID(c.r.PathValue("vm_id"), "VirtualMachine")
	if ok && strings.EqualFold(vcenter, s.vcID) {
		if m, found := s.vc.VMState(moid); found {
			return m, true
		}
	}
	g.writeStatus(c, http.StatusNotFound)
	return vcsim.VMState{}, false
}

func (g *Gateway) listVMDisks(c *call) {
	s := g.vcenter(c)
	if s == nil {
		return
	}
	if m, ok := g.vmOf(c, s); ok {
		writePage(g, c, g.disksOf(s, m), nil)
	}
}
