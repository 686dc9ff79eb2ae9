// Package vm is the data source vsla_replication_vm: a VM as vSphere Replication sees it, with the
// keys of its disks and what replication can do with it.
package vm

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/types/attribute"
	"terraform-provider-vsla/internal/vr"
)

type vmDataSource struct{ base.DataSource }

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
	Key           types.String `tfsdk:"key"`
	Label         types.String `tfsdk:"label"`
	CapacityBytes types.Int64  `tfsdk:"capacity_bytes"`
	Format        types.String `tfsdk:"format"`
	DatastoreID   types.String `tfsdk:"datastore_id"`
	Path          types.String `tfsdk:"path"`
	Supported     types.Bool   `tfsdk:"supported"`
}

type capability struct {
	Status           types.String   `tfsdk:"status"`
	Reasons          []types.String `tfsdk:"reasons"`
	MinRPOMinutes    types.Int64    `tfsdk:"min_rpo_minutes"`
	Quiescing        types.Bool     `tfsdk:"quiescing"`
	Compression      types.Bool     `tfsdk:"network_compression"`
	Encryption       types.Bool     `tfsdk:"network_encryption"`
	PointInTime      types.Bool     `tfsdk:"point_in_time"`
	AutoReplicate    types.Bool     `tfsdk:"auto_replicate_new_disks"`
	DatastoreCluster types.Bool     `tfsdk:"datastore_cluster_as_target"`
	ReconfigureDisks types.Bool     `tfsdk:"move_replicas"`
}

// NewDataSource returns the data source vsla_replication_vm.
func NewDataSource() datasource.DataSource {
	return &vmDataSource{base.DataSource{TypeName: "vsla_replication_vm"}}
}

// Schema describes the data source.
func (d *vmDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "A VM as vSphere Replication sees it: its id, the keys of its disks for `disks` of " +
			"`vsla_replication`, and what replication can do with it. Three requests.",
		Attributes: map[string]schema.Attribute{
			"pairing_id": schema.StringAttribute{
				MarkdownDescription: "UUID of the pairing.",
				Required:            true,
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"vcenter_id": schema.StringAttribute{
				MarkdownDescription: "Instance UUID of the VM's vCenter. Default: that of the gateway's site.",
				Optional:            true,
				Computed:            true,
			},
			"name": schema.StringAttribute{
				MarkdownDescription: "Name of the VM. Names are not unique in a vCenter; one that several VMs have is an " +
					"error. Give this or `moid`.",
				Optional: true,
				Computed: true,
				Validators: []validator.String{
					stringvalidator.ExactlyOneOf(path.MatchRoot("name"), path.MatchRoot("moid")),
					stringvalidator.LengthAtLeast(1),
				},
			},
			"moid": schema.StringAttribute{
				MarkdownDescription: "Managed object id of the VM, `vm-42`. Give this or `name`.",
				Optional:            true,
				Computed:            true,
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"id": attribute.Text("Id of the VM in vSphere Replication, for `vm_id`."),
			"power_state": attribute.Text(
				"`POWERED_ON`, `POWERED_OFF`, `SUSPENDED`; empty when not known. The initial sync begins only when the VM runs.",
			),
			"connection_state": attribute.Text(
				"`CONNECTED`, `DISCONNECTED`, `ORPHANED`, `INACCESSIBLE`, `INVALID`; empty when not known.",
			),
			"template": attribute.Truth("Whether it is a template, which cannot be replicated."),
			"disks": schema.ListNestedAttribute{
				MarkdownDescription: "The disks, and the home folder.", Computed: true,
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"key":            attribute.Text("Device key, or `" + vr.HomeDisk + "`."),
					"label":          attribute.Text("Label of the disk."),
					"capacity_bytes": attribute.Whole("Capacity in bytes."),
					"format":         attribute.Text("Format of the disk."),
					"datastore_id":   attribute.Text("Id of the disk's datastore."),
					"path":           attribute.Text("Path of the disk in its datastore."),
					"supported":      attribute.Truth("Whether the disk can be replicated."),
				}},
			},
			"capability": schema.SingleNestedAttribute{
				MarkdownDescription: "What replication can do with the VM.", Computed: true,
				Attributes: map[string]schema.Attribute{
					"status": attribute.Text("`OK`, `ALREADY_CONFIGURED`, or why the VM cannot be replicated."),
					"reasons": schema.ListAttribute{
						MarkdownDescription: "The reasons in words.",
						ElementType:         types.StringType,
						Computed:            true,
					},
					"min_rpo_minutes":             attribute.Whole("The smallest RPO, in minutes; 0 when not known."),
					"quiescing":                   attribute.Truth("Whether the guest can be quiesced."),
					"network_compression":         attribute.Truth("Whether traffic can be compressed."),
					"network_encryption":          attribute.Truth("Whether traffic can be encrypted."),
					"point_in_time":               attribute.Truth("Whether instances can be kept."),
					"auto_replicate_new_disks":    attribute.Truth("Whether new disks can be replicated by themselves."),
					"datastore_cluster_as_target": attribute.Truth("Whether a datastore cluster can be the target."),
					"move_replicas":               attribute.Truth("Whether replicas can be moved to another datastore."),
				},
			},
		},
	}
}

// Read finds the VM; not to find it is an error.
func (d *vmDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	c := d.Clients.Replication(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	got, at, err := read(ctx, c, config)
	if err != nil {
		summary := fmt.Sprintf("Unable to Read VM %q", config.Name.ValueString()+config.MOID.ValueString())
		explain.Failure{Summary: summary, Attribute: &at, Err: err}.AddTo(&resp.Diagnostics)
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, got)...)
}

// read returns the VM, or the argument to blame.
func read(ctx context.Context, c *vr.Client, config model) (model, path.Path, error) {
	pairing := config.PairingID.ValueString()
	if config.VCenterID.ValueString() == "" {
		p, err := c.Pairing(ctx, pairing)
		if err != nil {
			return config, path.Root("pairing_id"), err
		}
		config.VCenterID = types.StringValue(p.Local.VCenterID)
	}
	vcenter := config.VCenterID.ValueString()
	property, value := "name", config.Name.ValueString()
	if config.Name.IsNull() {
		property, value = "id", vr.VMID(config.MOID.ValueString(), vcenter)
	}
	at := path.Root(map[string]string{"name": "name", "id": "moid"}[property])
	vms, err := c.VMsByProperty(ctx, pairing, vcenter, property, value)
	switch {
	case err != nil:
		return config, at, err
	case len(vms) == 0:
		return config, at, fmt.Errorf("vCenter %s has no such VM: %w", vcenter, vr.ErrNotFound)
	case len(vms) > 1:
		return config, at, fmt.Errorf("%d VMs have this name: %w", len(vms), vr.ErrAmbiguous)
	}
	vm := vms[0]
	disks, diskErr := c.Disks(ctx, pairing, vcenter, vm.ID)
	can, capErr := c.Capability(ctx, pairing, vcenter, vm.ID)
	if err := errors.Join(diskErr, capErr); err != nil {
		return config, at, err
	}
	return fill(config, vm, disks, can), at, nil
}

func fill(config model, vm vr.VM, disks []vr.Disk, can vr.Capability) model {
	config.ID, config.Name = types.StringValue(vm.ID), types.StringValue(vm.Name)
	config.MOID = types.StringValue(vr.MOIDOf(vm.ID))
	config.PowerState, config.Connection = types.StringValue(vm.PowerState), types.StringValue(vm.ConnectionState)
	config.Template = types.BoolValue(vm.Template)
	config.Disks = make([]disk, 0, len(disks))
	for _, d := range disks {
		config.Disks = append(config.Disks, disk{
			Key:           types.StringValue(d.Name()),
			Label:         types.StringValue(d.Label),
			CapacityBytes: types.Int64Value(d.CapacityBytes),
			Format:        types.StringValue(d.Format),
			DatastoreID:   types.StringValue(d.DatastoreID),
			Path:          types.StringValue(d.Path),
			Supported:     types.BoolValue(d.Supported),
		})
	}
	config.Capability = &capability{
		Status:           types.StringValue(can.Status),
		Reasons:          make([]types.String, 0, len(can.Reasons)),
		MinRPOMinutes:    types.Int64Value(can.MinRPOMinutes),
		Quiescing:        types.BoolValue(can.Quiescing),
		Compression:      types.BoolValue(can.Compression),
		Encryption:       types.BoolValue(can.Encryption),
		PointInTime:      types.BoolValue(can.PointInTime),
		AutoReplicate:    types.BoolValue(can.AutoReplicate),
		DatastoreCluster: types.BoolValue(can.DatastoreCluster),
		ReconfigureDisks: types.BoolValue(can.ReconfigureDisks),
	}
	for _, reason := range can.Reasons {
		config.Capability.Reasons = append(config.Capability.Reasons, types.StringValue(reason))
	}
	return config
}
