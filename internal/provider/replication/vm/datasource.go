// Package vm implements the data source vsla_replication_vm, which returns a VM with its disk keys and replication
// capability.
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
		MarkdownDescription: "A VM as vSphere Replication sees it: its id, the keys of its disks for `disks` of " +
			"`vsla_replication`, and what replication can do with it. Three requests.",
		Attributes: map[string]schema.Attribute{
			"pairing_id": attribute.RequiredText("UUID of the pairing.", stringvalidator.LengthAtLeast(1)),
			"vcenter_id": attribute.EitherText("Instance UUID of the VM's vCenter. Default: that of the gateway's site."),
			"name": attribute.EitherText("Name of the VM. Names are not unique in a vCenter; one that several VMs have is an "+
				"error. Give this or `moid`.", stringvalidator.ExactlyOneOf(path.MatchRoot("name"), path.MatchRoot("moid")),
				stringvalidator.LengthAtLeast(1)),
			"moid": attribute.EitherText("Managed object id of the VM, `vm-42`. Give this or `name`.",
				stringvalidator.LengthAtLeast(1)),
			"id": attribute.Text("Id of the VM in vSphere Replication, for `vm_id`."),
			"power_state": attribute.Text("`POWERED_ON`, `POWERED_OFF`, `SUSPENDED`; empty when not known. The initial sync " +
				"begins only when the VM runs."),
			"connection_state": attribute.Text("`CONNECTED`, `DISCONNECTED`, `ORPHANED`, `INACCESSIBLE`, `INVALID`; empty " +
				"when not known."),
			"template": attribute.Truth("Whether it is a template, which cannot be replicated."),
			"disks": attribute.ObjectList("The disks, and the home folder.", map[string]schema.Attribute{
				"key":            attribute.Text("Device key, or `" + vr.HomeDisk + "`."),
				"label":          attribute.Text("Label of the disk."),
				"capacity_bytes": attribute.Whole("Capacity in bytes."),
				"format":         attribute.Text("Format of the disk."),
				"datastore_id":   attribute.Text("Id of the disk's datastore."),
				"path":           attribute.Text("Path of the disk in its datastore."),
				"supported":      attribute.Truth("Whether the disk can be replicated."),
			}),
			"capability": attribute.Object("What replication can do with the VM.", map[string]schema.Attribute{
				"status":                      attribute.Text("`OK`, `ALREADY_CONFIGURED`, or why the VM cannot be replicated."),
				"reasons":                     attribute.Texts("The reasons in words."),
				"min_rpo_minutes":             attribute.Whole("The smallest RPO, in minutes; 0 when not known."),
				"quiescing":                   attribute.Truth("Whether the guest can be quiesced."),
				"network_compression":         attribute.Truth("Whether traffic can be compressed."),
				"network_encryption":          attribute.Truth("Whether traffic can be encrypted."),
				"point_in_time":               attribute.Truth("Whether instances can be kept."),
				"auto_replicate_new_disks":    attribute.Truth("Whether new disks can be replicated by themselves."),
				"datastore_cluster_as_target": attribute.Truth("Whether a datastore cluster can be the target."),
				"move_replicas":               attribute.Truth("Whether replicas can be moved to another datastore."),
			}),
		},
	}
}

// read reads the VM. A missing VM is an error.
func read(ctx context.Context, c *vr.Client, config *model, diags *diag.Diagnostics) {
	if at, err := config.read(ctx, c); err != nil {
		summary := fmt.Sprintf("Unable to Read VM %q", config.Name.ValueString()+config.MOID.ValueString())
		explain.AddAttributeError(diags, at, summary, "", err)
	}
}

// read completes the model. On error it also returns the path of the faulty argument.
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
	property, value := "name", m.Name.ValueString()
	if m.Name.IsNull() {
		property, value = "id", vr.VMID(m.MOID.ValueString(), vcenter)
	}
	at := path.Root(map[string]string{"name": "name", "id": "moid"}[property])
	vms, err := c.VMsByProperty(ctx, pairing, vcenter, property, value)
	switch {
	case err != nil:
		return at, err
	case len(vms) == 0:
		return at, fmt.Errorf("vCenter %s has no such VM: %w", vcenter, vr.ErrNotFound)
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
	m.ID, m.Name, m.MOID = types.StringValue(vm.ID), types.StringValue(vm.Name), types.StringValue(vr.MOIDOf(vm.ID))
	m.PowerState, m.Connection = types.StringValue(vm.PowerState), types.StringValue(vm.ConnectionState)
	m.Template = types.BoolValue(vm.Template)
	m.Disks = make([]disk, 0, len(disks))
	for _, d := range disks {
		m.Disks = append(m.Disks, disk{d.Name(), d.Label, d.CapacityBytes, d.Format, d.DatastoreID, d.Path, d.Supported})
	}
	m.Capability = &capability{
		Status: can.Status, Reasons: append([]string{}, can.Reasons...), MinRPOMinutes: can.MinRPOMinutes,
		Quiescing: can.Quiescing, Compression: can.Compression, Encryption: can.Encryption, PointInTime: can.PointInTime,
		AutoReplicate: can.AutoReplicate, DatastoreCluster: can.DatastoreCluster, ReconfigureDisks: can.ReconfigureDisks,
	}
}
