// Virtual machines as the gateway sees them: look-up, disks, and what replication can do with them.

package vr

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// MachineID is a virtual machine's id in vSphere Replication: type, managed object id and the vCenter's instance UUID.
func MachineID(moid, vcenter string) string { return "VirtualMachine:" + moid + ":" + vcenter }

// VCenterOf gives the instance UUID at the end of an object's id; empty when it has none.
func VCenterOf(objectID string) string {
	_, rest, _ := strings.Cut(objectID, ":")
	_, vcenter, _ := strings.Cut(rest, ":")
	return vcenter
}

// MOIDOf gives the managed object id in the middle of an object's id; empty when it has none.
func MOIDOf(objectID string) string {
	_, rest, _ := strings.Cut(objectID, ":")
	moid, _, _ := strings.Cut(rest, ":")
	return moid
}

// Machine is a virtual machine.
type Machine struct {
	ID, Name string
	// PowerState and ConnectionState are the API's words, open for new ones; empty when not known.
	PowerState, ConnectionState string
	Template                    bool
	Disks                       []Disk
}

// Disk is a virtual disk, or the pseudo-disk of the machine's home folder.
type Disk struct {
	// Key is the vSphere device key; 0 for the home folder.
	Key int64
	// Home marks the home folder.
	Home          bool
	CapacityBytes int64
	Label         string
	Format        string
	DatastoreID   string
	Path          string
	// Supported is false for disks that cannot be replicated.
	Supported bool
	// raw is the disk as it was read: a request sends it back unchanged, with whatever a later release has added.
	raw json.RawMessage
}

// Name is the key under which a configuration speaks of the disk: "home" or the device key.
func (d Disk) Name() string {
	if d.Home {
		return HomeDisk
	}
	return strconv.FormatInt(d.Key, 10)
}

// HomeDisk names the pseudo-disk of the home folder.
const HomeDisk = "home"

type wireDatastorePath struct {
	DatastoreID   string `json:"datastore_id"`
	DatastoreName string `json:"datastore_name"`
	Path          string `json:"path"`
	Filename      string `json:"filename"`
}

// UnmarshalJSON keeps the disk as it came beside what is read of it.
func (d *Disk) UnmarshalJSON(body []byte) error {
	var w struct {
		Key       int64             `json:"device_key"`
		Home      bool              `json:"is_vm_home"`
		Capacity  int64             `json:"capacity"`
		Label     string            `json:"label"`
		Format    string            `json:"source_disk_format"`
		Source    wireDatastorePath `json:"source_path"`
		Supported *bool             `json:"supported_for_replication"`
	}
	if err := json.Unmarshal(body, &w); err != nil {
		return err
	}
	*d = Disk{
		Key: w.Key, Home: w.Home, CapacityBytes: kilobytes(w.Capacity), Label: w.Label, Format: w.Format,
		DatastoreID: w.Source.DatastoreID, Path: w.Source.join(), Supported: w.Supported == nil || *w.Supported,
		raw: append(json.RawMessage(nil), body...),
	}
	return nil
}

// MarshalJSON gives the disk as it came.
func (d Disk) MarshalJSON() ([]byte, error) {
	if len(d.raw) == 0 {
		return nil, errors.New("a disk that was not read cannot be sent")
	}
	return d.raw, nil
}

func (w wireDatastorePath) join() string {
	return strings.TrimLeft(strings.TrimRight(w.Path, "/")+"/"+w.Filename, "/")
}

type wireMachine struct {
	ID              string `json:"id"`
	Name            string `json:"name"`
	PowerState      string `json:"power_state"`
	ConnectionState string `json:"connection_state"`
	Template        bool   `json:"template"`
	Disks           []Disk `json:"disks"`
}

func (w wireMachine) domain() Machine {
	return Machine(w)
}

const machinesTemplate = "/pairings/{pairing_id}/vcenters/{vcenter_id}/vms"

// MachinesByProperty lists the machines of a vCenter whose property ("name" or "id") has exactly this value. Names are
// not unique in a vCenter.
func (c *Client) MachinesByProperty(ctx context.Context, pairing, vcenter, property, value string) ([]Machine, error) {
	r := request{
		template: machinesTemplate, ids: []string{pairing, vcenter}, pairing: pairing,
		query: url.Values{"filter_property": {property}, "filter": {value}, "suitable_for_replication": {"false"}},
	}
	found, err := list(ctx, c, r, "id", func(w wireMachine) string { return w.ID })
	if err != nil {
		return nil, err
	}
	var machines []Machine
	for _, w := range found {
		// How the filter matches is not documented: a fragment may be enough for it.
		if (property == "name" && w.Name == value) || (property == "id" && w.ID == value) {
			machines = append(machines, w.domain())
		}
	}
	return machines, nil
}

// Disks reads the disks of a machine, the home folder among them: ErrNotFound.
func (c *Client) Disks(ctx context.Context, pairing, vcenter, machine string) ([]Disk, error) {
	r := request{template: machinesTemplate + "/{vm_id}/disks", ids: []string{pairing, vcenter, machine}, pairing: pairing}
	disks, err := list(ctx, c, r, "", Disk.Name)
	if err != nil {
		return nil, err
	}
	if len(disks) == 0 {
		return nil, fmt.Errorf("GET %s: %w: the machine has no disk, not even its home folder", r.template, ErrPartial)
	}
	return disks, nil
}

// Capability says what replication can do with a machine.
type Capability struct {
	// Status is OK, or why the machine cannot be replicated; ALREADY_CONFIGURED for one that is.
	Status string
	// Reasons are the gateway's, in words.
	Reasons []string
	// MinRPOMinutes is the smallest RPO; 0 when the gateway gives none.
	MinRPOMinutes int64
	// The switches are true when the gateway does not say otherwise.
	Quiescing, Compression, PointInTime, Encryption, AutoReplicate, DatastoreCluster, ReconfigureDisks bool
	// KeyProvider is the type of the machine's key provider; empty when it is not encrypted.
	KeyProvider string
}

// Capability reads what replication can do with a machine: ErrNotFound.
func (c *Client) Capability(ctx context.Context, pairing, vcenter, machine string) (Capability, error) {
	r := request{
		method: http.MethodGet, template: machinesTemplate + "/{vm_id}/capability",
		ids: []string{pairing, vcenter, machine}, pairing: pairing,
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
		KeyProvider      string   `json:"vm_encryption_key_provider_type"`
	}
	if err := c.call(ctx, r, &w); err != nil {
		return Capability{}, err
	}
	can := func(said *bool) bool { return said == nil || *said }
	return Capability{
		Status: w.Status, Reasons: w.Reasons, MinRPOMinutes: w.MinRPO, Quiescing: can(w.Quiescing), Compression: can(w.Compression),
		PointInTime: can(w.PointInTime), Encryption: can(w.Encryption), AutoReplicate: can(w.AutoReplicate),
		DatastoreCluster: can(w.DatastoreCluster), ReconfigureDisks: can(w.ReconfigureDisks), KeyProvider: w.KeyProvider,
	}, nil
}
