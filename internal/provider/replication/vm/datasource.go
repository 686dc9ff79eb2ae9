// Package vm implements the data source vsla_replication_vm, which returns the disk keys and the replication capability
// of a VM.
package vm

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/types/attribute"
	"terraform-provider-vsla/internal/vr"
)

type model struct {
	PairingID  types.String `tfsdk:"pairing_id"`
	VCenterID  types.String `tfsdk:"vcenter_id"`
	Name       types.String `tfsdk:"name"`
	MOID       types.String `tfsdk:"moid"`
	ID         types.String `tfsdk:"id"`
	PowerState types.String `tfsdk:"power_state"`
	Connection types.String `tfsdk:"connection_state"`
	Template   types.Bool   `tfsdk:"template"`
	Disks      []disk       `tfsdk:"disks"`
	Capability *capability  `tfsdk:"capability"`
}

type disk struct {
	Key           string `tfsdk:"key"`
	Label         string `tfsdk:"label"`
	CapacityBytes int64  `tfsdk:"capacity_bytes"`
	Format        string `tfsdk:"format"`
	DatastoreID   string `tfsdk:"datastore_id"`
	Path          string `tfsdk:"path"`
	Supported     bool   `tfsdk:"supported"`
}

type capability struct {
	Status           string   `tfsdk:"status"`
	Reasons          []string `tfsdk:"reasons"`
	MinRPOMinutes    int64    `tfsdk:"min_rpo_minutes"`
	Quiescing        bool     `tfsdk:"quiescing"`
	Compression      bool     `tfsdk:"network_compression"`
	Encryption       bool     `tfsdk:"network_encryption"`
	PointInTime      bool     `tfsdk:"point_in_time"`
	AutoReplicate    bool     `tfsdk:"auto_replicate_new_disks"`
	DatastoreCluster bool     `tfsdk:"datastore_cluster_as_target"`
	ReconfigureDisks bool     `tfsdk:"move_replicas"`
}

// NewDataSource returns the data source vsla_replication_vm.
func NewDataSource() datasource.DataSource {
	return base.NewDataSource("vsla_replication_vm", describe, (*connection.Set).Replication, read)
}

func describe() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Returns the ID of a VM in vSphere Replication, the keys of its disks for `disks` of " +
			"`vsla_replication`, and its replication capabilities. Takes three requests.",
		Attributes: map[string]schema.Attribute{
			"pairing_id": attribute.RequiredString("UUID of the pairing.", stringvalidator.LengthAtLeast(1)),
			"vcenter_id": attribute.OptionalComputedString("Instance UUID of the vCenter of the VM. Defaults to the " +
				"vCenter of the local site (`local` of `vsla_replication_pairing`)."),
			"name": attribute.OptionalComputedString("Name of the VM. Must be unique in the vCenter. Specify either "+
				"this or `moid`.", stringvalidator.ExactlyOneOf(path.MatchRoot("name"), path.MatchRoot("moid")),
				stringvalidator.LengthAtLeast(1)),
			"moid": attribute.OptionalComputedString("Managed object ID of the VM, such as `vm-42`. Specify either "+
				"this or `name`.",
				stringvalidator.LengthAtLeast(1)),
			"id": attribute.String("ID of the VM in vSphere Replication, for `vm_id` of `vsla_replication`."),
			"power_state": attribute.String("Power state: `POWERED_ON`, `POWERED_OFF` or `SUSPENDED`. Empty if " +
				"unknown. The initial sync starts only when the VM is powered on."),
			"connection_state": attribute.String("Connection state: `CONNECTED`, `DISCONNECTED`, `ORPHANED`, " +
				"`INACCESSIBLE` or `INVALID`. Empty if unknown."),
			"template": attribute.Bool("Whether the VM is a template. Templates cannot be replicated."),
			"disks": attribute.ObjectList("Disks of the VM, including the home folder.", map[string]schema.Attribute{
				"key":            attribute.String("Device key of the disk, or `" + vr.HomeDisk + "`."),
				"label":          attribute.String("Label of the disk."),
				"capacity_bytes": attribute.Int64("Capacity of the disk, in bytes."),
				"format":         attribute.String("Format of the disk."),
				"datastore_id":   attribute.String("ID of the datastore of the disk."),
				"path":           attribute.String("Path of the disk in its datastore."),
				"supported":      attribute.Bool("Whether the disk can be replicated."),
			}),
			"capability": attribute.Object("Replication capabilities of the VM.", map[string]schema.Attribute{
				"status": attribute.String("Status: `OK`, `ALREADY_CONFIGURED`, or a code for the reason why the VM " +
					"cannot be replicated."),
				"reasons": attribute.StringList("Reasons why the VM cannot be replicated, as " +
					"text."),
				"min_rpo_minutes":             attribute.Int64("Minimum RPO, in minutes. `0` if unknown."),
				"quiescing":                   attribute.Bool("Whether the guest can be quiesced."),
				"network_compression":         attribute.Bool("Whether replication traffic can be compressed."),
				"network_encryption":          attribute.Bool("Whether replication traffic can be encrypted."),
				"point_in_time":               attribute.Bool("Whether point-in-time instances can be kept."),
				"auto_replicate_new_disks":    attribute.Bool("Whether new disks can be replicated automatically."),
				"datastore_cluster_as_target": attribute.Bool("Whether a datastore cluster can be the target."),
				"move_replicas":               attribute.Bool("Whether replicas can be moved to another datastore."),
			}),
		},
	}
}

func read(ctx context.Context, c *vr.Client, config *model, diags *diag.Diagnostics) {
	if at, err := config.read(ctx, c); err != nil {
		summary := fmt.Sprintf("Unable to Read VM %q", config.Name.ValueString()+config.MOID.ValueString())
		explain.AddAttributeError(diags, at, summary, "", err)
	}
}

// read fills in the model. On error, it also returns the path of the invalid argument.
func (m *model) read(ctx context.Context, c *vr.Client) (path.Path, error) {
	pairing := m.PairingID.ValueString()
	if m.VCenterID.ValueString() == "" {
		p, err := c.Pairing(ctx, pairing)
		if err != nil {
			return path.Root("pairing_id"), err
		}
		m.VCenterID = types.StringValue(p.Local.VCenterID)
	}
	vcenter := m.VCenterID.ValueString()
	property := "name"
	value := m.Name.ValueString()
	if m.Name.IsNull() {
		property = "id"
		value = vr.VMID(m.MOID.ValueString(), vcenter)
	}
	at := path.Root(map[string]string{"name": "name", "id": "moid"}[property])
	vms, err := c.VMsByProperty(ctx, pairing, vcenter, property, value)
	switch {
	case err != nil:
		return at, err
	case len(vms) == 0:
		return at, fmt.Errorf("find the VM in vCenter %s: %w", vcenter, vr.ErrNotFound)
	case len(vms) > 1:
		return at, fmt.Errorf("%d VMs have this name: %w", len(vms), vr.ErrAmbiguous)
	}
	vm := vms[0]
	disks, diskErr := c.Disks(ctx, pairing, vcenter, vm.ID)
	can, capErr := c.Capability(ctx, pairing, vcenter, vm.ID)
	if err := errors.Join(diskErr, capErr); err != nil {
		return at, err
	}
	m.fill(vm, disks, can)
	return at, nil
}

func (m *model) fill(vm vr.VM, disks []vr.Disk, can vr.Capability) {
	m.ID = types.StringValue(vm.ID)
	m.Name = types.StringValue(vm.Name)
	m.MOID = types.StringValue(vr.MOIDOf(vm.ID))
	m.PowerState = types.StringValue(vm.PowerState)
	m.Connection = types.StringValue(vm.ConnectionState)
	m.Template = types.BoolValue(vm.Template)
	m.Disks = make([]disk, 0, len(disks))
	for _, d := range disks {
		m.Disks = append(
			m.Disks,
			disk{d.Name(), d.Label, d.CapacityBytes, d.Format, d.DatastoreID, d.Path, d.Supported},
		)
	}
	m.Capability = &capability{
		Status:           can.Status,
		Reasons:          append([]string{}, can.Reasons...),
		MinRPOMinutes:    can.MinRPOMinutes,
		Quiescing:        can.Quiescing,
		Compression:      can.Compression,
		Encryption:       can.Encryption,
		PointInTime:      can.PointInTime,
		AutoReplicate:    can.AutoReplicate,
		DatastoreCluster: can.DatastoreCluster,
		ReconfigureDisks: can.ReconfigureDisks,
	}
}
