package gateway

import (
	"net/http"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

const defaultPolicy = "dsbrowser.defaultStoragePolicy"

// Capability contains the replication features that a VM supports.
type Capability struct {
	Status                                             string
	Quiescing                                          bool
	Compression                                        bool
	MPIT                                               bool
	Encryption                                         bool
	AutoReplicate, DatastoreClusters, ReconfigureDisks bool
	VMEncrypted                                        bool
	MinRPOMinutes                                      int32
	Reasons                                            []string
}

// DefaultCapability returns a capability with all features and a minimum RPO of 5 minutes.
func DefaultCapability() Capability {
	return Capability{
		Status:            "OK",
		Quiescing:         true,
		Compression:       true,
		MPIT:              true,
		Encryption:        true,
		AutoReplicate:     true,
		DatastoreClusters: true,
		ReconfigureDisks:  true,
		MinRPOMinutes:     5,
	}
}

type capabilityInfo struct {
	VMID              string   `json:"vm_id"`
	Status            string   `json:"vm_validation_status"`
	Quiescing         bool     `json:"quiescing_supported"`
	Compression       bool     `json:"network_compression_supported"`
	MPIT              bool     `json:"mpit_supported"`
	Encryption        bool     `json:"lwd_encryption_supported"`
	VMCrypt           bool     `json:"vm_crypt_supported"`
	VMEncrypted       bool     `json:"vm_encrypted"`
	KeyProvider       *string  `json:"vm_encryption_key_provider_type"`
	Reasons           []string `json:"replication_not_supported_reasons"`
	AutoReplicate     bool     `json:"auto_replicate_new_disks_supported"`
	MinRPO            int32    `json:"min_rpo_mins"`
	NVMe              bool     `json:"nvme_disk_controller_supported"`
	DatastoreClusters bool     `json:"ds_cluster_as_target_supported"`
	ReconfigureDisks  bool     `json:"reconfigure_vm_disks_supported"`
	Meta              meta     `json:"_meta"`
}

func moid(id string) string {
	parts := strings.Split(id, ":")
	if len(parts) != 3 {
		return id
	}
	return parts[1]
}

func split(id, kind string) (mo, guid string, ok bool) {
	parts := strings.Split(id, ":")
	if len(parts) != 3 || parts[0] != kind || parts[1] == "" {
		return "", "", false
	}
	return parts[1], parts[2], true
}

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

func vmID(s *site, mo string) string { return "VirtualMachine:" + mo + ":" + s.vcID }

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

func (g *Gateway) vmOf(c *call, s *site) (vcsim.VMState, bool) {
	mo, guid, ok := split(c.r.PathValue("vm_id"), "VirtualMachine")
	if ok && strings.EqualFold(guid, s.vcID) {
		if m, found := s.vc.VMState(mo); found {
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

func (g *Gateway) capabilityOf(s *site, m vcsim.VMState) Capability {
	k, ok := g.capabilities[vmID(s, m.ID)]
	if !ok {
		k = DefaultCapability()
		if g.config.Switches.Enhanced {
			k.MinRPOMinutes = 1
		}
	}
	switch {
	case k.Status != "OK":
	case g.byVM(vmID(s, m.ID)) != nil:
		k.Status = "ALREADY_CONFIGURED"
	case m.Template:
		k.Status = "IS_VM_TEMPLATE"
	case m.ConnectionState != "connected":
		k.Status = "VM_NOT_CONNECTED"
	}
	return k
}

func (g *Gateway) capability(c *call) {
	s := g.vcenter(c)
	if s == nil {
		return
	}
	m, ok := g.vmOf(c, s)
	if !ok {
		return
	}
	k := g.capabilityOf(s, m)
	reasons := slices.Clone(k.Reasons)
	if reasons == nil {
		reasons = []string{}
	}
	g.writeJSON(c, http.StatusOK, capabilityInfo{
		VMID:              vmID(s, m.ID),
		Status:            k.Status,
		Quiescing:         k.Quiescing,
		Compression:       k.Compression,
		MPIT:              k.MPIT,
		Encryption:        k.Encryption,
		VMCrypt:           true,
		VMEncrypted:       k.VMEncrypted,
		Reasons:           reasons,
		AutoReplicate:     k.AutoReplicate,
		MinRPO:            k.MinRPOMinutes,
		NVMe:              true,
		DatastoreClusters: k.DatastoreClusters,
		ReconfigureDisks:  k.ReconfigureDisks,
		Meta:              meta{Errors: []metaError{}},
	})
}

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
