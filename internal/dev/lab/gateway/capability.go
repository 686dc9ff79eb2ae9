package gateway

import (
	"net/http"
	"slices"

	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

// Capability contains the replication features that a VM supports.
type Capability struct {
	Status            string
	Quiescing         bool
	Compression       bool
	MPIT              bool
	Encryption        bool
	AutoReplicate     bool
	DatastoreClusters bool
	ReconfigureDisks  bool
	VMEncrypted       bool
	MinRPOMinutes     int32
	Reasons           []string
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
