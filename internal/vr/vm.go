package vr

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// VM is a VM as listed by the gateway.
type VM struct {
	ID   string
	Name string
	// PowerState and ConnectionState are API values, or empty if unknown. Later releases may add values.
	PowerState      string
	ConnectionState string
	Template        bool
	Disks           []Disk
}

type wireVM struct {
	ID              string `json:"id"`
	Name            string `json:"name"`
	PowerState      string `json:"power_state"`
	ConnectionState string `json:"connection_state"`
	Template        bool   `json:"template"`
	Disks           []Disk `json:"disks"`
}

func (w wireVM) domain() VM {
	return VM(w)
}

const vmsTemplate = "/pairings/{pairing_id}/vcenters/{vcenter_id}/vms"

// VMsByProperty lists the VMs of a vCenter whose property ("name" or "id") equals value. Names are not unique in a
// vCenter.
func (c *Client) VMsByProperty(ctx context.Context, pairing, vcenter, property, value string) ([]VM, error) {
	r := request{
		template: vmsTemplate,
		ids:      []string{pairing, vcenter},
		pairing:  pairing,
		query:    url.Values{"filter_property": {property}, "filter": {value}, "suitable_for_replication": {"false"}},
	}
	found, err := listFiltered(ctx, c, r, "id", func(w wireVM) string { return w.ID })
	if err != nil {
		return nil, err
	}
	var vms []VM
	for _, w := range found {
		// The semantics of the gateway's filter are undocumented. It might match substrings.
		hasName := property == "name" && w.Name == value
		hasID := property == "id" && w.ID == value
		if hasName || hasID {
			vms = append(vms, w.domain())
		}
	}
	return vms, nil
}

// Capability describes the replication features that a VM supports.
type Capability struct {
	// Status is OK, ALREADY_CONFIGURED if the VM is already replicated, or the reason why the VM cannot be replicated.
	Status  string
	Reasons []string
	// MinRPOMinutes is the shortest supported RPO, or 0 if the gateway does not report it.
	MinRPOMinutes int64
	// Each feature is true unless the gateway reports that it is not supported.
	Quiescing        bool
	Compression      bool
	PointInTime      bool
	Encryption       bool
	AutoReplicate    bool
	DatastoreCluster bool
	ReconfigureDisks bool
	// Encrypted reports whether the VM, and therefore its replication, is encrypted.
	Encrypted bool
}

// Capability reads the replication features that a VM supports. All callers share one read. Errors: ErrNotFound.
func (c *Client) Capability(ctx context.Context, pairing, vcenter, vm string) (Capability, error) {
	return c.capabilities.Get(
		ctx,
		strings.Join([]string{pairing, vcenter, vm}, " "),
		func(ctx context.Context) (Capability, error) {
			return c.readCapability(ctx, pairing, vcenter, vm)
		},
	)
}

func (c *Client) readCapability(ctx context.Context, pairing, vcenter, vm string) (Capability, error) {
	r := request{
		method:   http.MethodGet,
		template: vmsTemplate + "/{vm_id}/capability",
		ids:      []string{pairing, vcenter, vm},
		pairing:  pairing,
	}
	var w struct {
		Status           string   `json:"vm_validation_status"`
		Reasons          []string `json:"replication_not_supported_reasons"`
		MinRPO           int64    `json:"min_rpo_mins"`
		Quiescing        *bool    `json:"quiescing_supported"`
		Compression      *bool    `json:"network_compression_supported"`
		PointInTime      *bool    `json:"mpit_supported"`
		Encryption       *bool    `json:"lwd_encryption_supported"`
		AutoReplicate    *bool    `json:"auto_replicate_new_disks_supported"`
		DatastoreCluster *bool    `json:"ds_cluster_as_target_supported"`
		ReconfigureDisks *bool    `json:"reconfigure_vm_disks_supported"`
		Encrypted        bool     `json:"vm_encrypted"`
	}
	if err := c.call(ctx, r, &w); err != nil {
		return Capability{}, err
	}
	isSupported := func(reported *bool) bool { return reported == nil || *reported }
	return Capability{
		Status:           w.Status,
		Reasons:          w.Reasons,
		MinRPOMinutes:    w.MinRPO,
		Quiescing:        isSupported(w.Quiescing),
		Compression:      isSupported(w.Compression),
		PointInTime:      isSupported(w.PointInTime),
		Encryption:       isSupported(w.Encryption),
		AutoReplicate:    isSupported(w.AutoReplicate),
		DatastoreCluster: isSupported(w.DatastoreCluster),
		ReconfigureDisks: isSupported(w.ReconfigureDisks),
		Encrypted:        w.Encrypted,
	}, nil
}

func groupByVCenter(keys []vmKey) [][]vmKey {
	slices.SortFunc(keys, func(a, b vmKey) int {
		return cmp.Or(cmp.Compare(a.pairing, b.pairing), cmp.Compare(a.vcenter, b.vcenter), cmp.Compare(a.vm, b.vm))
	})
	var all [][]vmKey
	for len(keys) > 0 {
		first := keys[0]
		n := slices.IndexFunc(keys, func(k vmKey) bool {
			return k.pairing != first.pairing || k.vcenter != first.vcenter
		})
		if n < 0 {
			n = len(keys)
		}
		n = min(n, vmBatchSize)
		all = append(all, keys[:n])
		keys = keys[n:]
	}
	return all
}

// IsSuitable reports whether the gateway lists a VM as suitable for replication. If it does not, Capability returns the
// reason. Callers that arrive while a request is in progress share the next one.
func (c *Client) IsSuitable(ctx context.Context, pairing, vcenter, vm string) (bool, error) {
	return c.suitability.Get(ctx, vmKey{pairing, vcenter, vm}, c.readSuitable)
}
