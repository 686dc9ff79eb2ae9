package replication

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/types/attribute"
	"terraform-provider-vsla/internal/provider/kit/types/wholenumber"
	"terraform-provider-vsla/internal/vr"
)

type model struct {
	ID                        types.String      `tfsdk:"id"`
	PairingID                 types.String      `tfsdk:"pairing_id"`
	VMID                      types.String      `tfsdk:"vm_id"`
	TargetVCenterID           types.String      `tfsdk:"target_vcenter_id"`
	TargetDatastoreID         types.String      `tfsdk:"target_datastore_id"`
	TargetStoragePolicyID     types.String      `tfsdk:"target_storage_policy_id"`
	TargetReplicationServerID types.String      `tfsdk:"target_replication_server_id"`
	DiskFormat                types.String      `tfsdk:"disk_format"`
	RPOMinutes                wholenumber.Value `tfsdk:"rpo_minutes"`
	NetworkCompression        types.Bool        `tfsdk:"network_compression"`
	QuiesceGuest              types.Bool        `tfsdk:"quiesce_guest"`
	NetworkEncryption         types.Bool        `tfsdk:"network_encryption"`
	EnhancedReplication       types.Bool        `tfsdk:"enhanced_replication"`
	AutoReplicateNewDisks     types.Bool        `tfsdk:"auto_replicate_new_disks"`
	ReplicateVMDataSets       types.Bool        `tfsdk:"replicate_vm_data_sets"`
	PointInTime               types.Object      `tfsdk:"point_in_time"`
	Disks                     types.Map         `tfsdk:"disks"`
	Paused                    types.Bool        `tfsdk:"paused"`
	RetainDisks               types.Bool        `tfsdk:"retain_replica_disks_on_destroy"`
	ForceLocalDestroy         types.Bool        `tfsdk:"force_local_destroy"`
	DestroyWhenManaged        types.Bool        `tfsdk:"destroy_when_managed_by_recovery"`
	WaitForInitialSync        types.Bool        `tfsdk:"wait_for_initial_sync"`
	SkipCapabilityCheck       types.Bool        `tfsdk:"skip_capability_check"`
	AdoptExisting             types.Bool        `tfsdk:"adopt_existing"`
	Adopts                    types.Object      `tfsdk:"adopts"`
	Timeouts                  timeouts.Value    `tfsdk:"timeouts"`
	ReplicationID             types.String      `tfsdk:"replication_id"`
	Name                      types.String      `tfsdk:"name"`
	SourceVCenterID           types.String      `tfsdk:"source_vcenter_id"`
	SourceSiteName            types.String      `tfsdk:"source_site_name"`
	TargetSiteName            types.String      `tfsdk:"target_site_name"`
	ReplicationType           types.String      `tfsdk:"replication_type"`
	ConfigurationState        types.String      `tfsdk:"configuration_state"`
	RecoverySolution          types.String      `tfsdk:"recovery_solution"`
	ReplicatedDisks           types.List        `tfsdk:"replicated_disks"`
}

type identity struct {
	PairingID     types.String `tfsdk:"pairing_id"`
	ReplicationID types.String `tfsdk:"replication_id"`
}

type pointInTime struct {
	InstancesPerDay wholenumber.Value `tfsdk:"instances_per_day"`
	Days            wholenumber.Value `tfsdk:"days"`
}

type disk struct {
	Enabled     types.Bool   `tfsdk:"enabled"`
	DatastoreID types.String `tfsdk:"target_datastore_id"`
	PolicyID    types.String `tfsdk:"storage_policy_id"`
	Format      types.String `tfsdk:"disk_format"`
	SeedPath    types.String `tfsdk:"seed_path"`
}

type replicatedDisk struct {
	Key           types.String `tfsdk:"key"`
	Label         types.String `tfsdk:"label"`
	CapacityBytes types.Int64  `tfsdk:"capacity_bytes"`
	Replicated    types.Bool   `tfsdk:"replicated"`
	DatastoreID   types.String `tfsdk:"datastore_id"`
	DatastoreName types.String `tfsdk:"datastore_name"`
	Path          types.String `tfsdk:"path"`
	PolicyID      types.String `tfsdk:"storage_policy_id"`
	PolicyName    types.String `tfsdk:"storage_policy_name"`
	Format        types.String `tfsdk:"disk_format"`
}

var (
	pointInTimeType = types.ObjectType{
		AttrTypes: map[string]attr.Type{"instances_per_day": wholenumber.Type{}, "days": wholenumber.Type{}},
	}
	diskType = types.ObjectType{AttrTypes: map[string]attr.Type{
		"enabled":             types.BoolType,
		"target_datastore_id": types.StringType,
		"storage_policy_id":   types.StringType,
		"disk_format":         types.StringType,
		"seed_path":           types.StringType,
	}}
	replicatedDiskType = types.ObjectType{AttrTypes: map[string]attr.Type{
		"key":                 types.StringType,
		"label":               types.StringType,
		"capacity_bytes":      types.Int64Type,
		"replicated":          types.BoolType,
		"datastore_id":        types.StringType,
		"datastore_name":      types.StringType,
		"path":                types.StringType,
		"storage_policy_id":   types.StringType,
		"storage_policy_name": types.StringType,
		"disk_format":         types.StringType,
	}}
	timeoutsType = map[string]attr.Type{
		"create": types.StringType,
		"read":   types.StringType,
		"update": types.StringType,
		"delete": types.StringType,
	}
)

func (m model) identity() identity {
	return identity{PairingID: m.PairingID, ReplicationID: types.StringValue(m.ReplicationID.ValueString())}
}

// imported reports whether the model was created by an import. In this case, only the IDs are set.
func (m model) imported() bool { return m.RPOMinutes.IsNull() }

// withoutUnknowns returns the state of a replication that is being configured. Unknown values become null.
func (m model) withoutUnknowns(target vr.Site) model {
	m.TargetVCenterID = attribute.OrNull(target.VCenterID)
	for _, v := range []*types.String{
		&m.ID,
		&m.ReplicationID,
		&m.Name,
		&m.SourceVCenterID,
		&m.SourceSiteName,
		&m.TargetSiteName,
		&m.ReplicationType,
		&m.ConfigurationState,
		&m.RecoverySolution,
		&m.TargetReplicationServerID,
	} {
		if v.IsUnknown() {
			*v = types.StringNull()
		}
	}
	for _, v := range []*types.Bool{&m.NetworkEncryption, &m.EnhancedReplication} {
		if v.IsUnknown() {
			*v = types.BoolNull()
		}
	}
	if m.ReplicatedDisks.IsUnknown() {
		m.ReplicatedDisks = types.ListNull(replicatedDiskType)
	}
	if m.Adopts.IsUnknown() {
		m.Adopts = types.ObjectNull(adoptedType.AttrTypes)
	}
	return m
}

func (m model) withGatewayDefaults(r vr.Replication) model {
	if m.NetworkEncryption.IsNull() || m.NetworkEncryption.IsUnknown() {
		m.NetworkEncryption = types.BoolPointerValue(r.Encryption.Ptr())
	}
	if m.EnhancedReplication.IsNull() || m.EnhancedReplication.IsUnknown() {
		m.EnhancedReplication = types.BoolPointerValue(r.Enhanced.Ptr())
	}
	return m
}

func (m model) withID(id string) model {
	m.ID = types.StringValue(m.PairingID.ValueString() + "/" + id)
	m.ReplicationID = types.StringValue(id)
	return m
}

// withComputed sets the computed attributes. Configured values are kept.
func (m model) withComputed(r vr.Replication, server string) model {
	m = m.withID(r.ID)
	m.Name = types.StringValue(r.Name)
	m.TargetVCenterID = types.StringValue(r.TargetVCenterID)
	m.SourceVCenterID = types.StringValue(r.SourceVCenterID)
	m.SourceSiteName = types.StringValue(r.SourceSite)
	m.TargetSiteName = types.StringValue(r.TargetSite)
	m.ReplicationType = types.StringValue(r.Type)
	m.ConfigurationState = types.StringValue(r.ConfigurationState)
	m.RecoverySolution = attribute.OrNull(r.RecoverySolution)
	if m.TargetReplicationServerID.IsUnknown() || m.TargetReplicationServerID.IsNull() || server != "" {
		m.TargetReplicationServerID = attribute.OrNull(server)
	}
	return m
}

func (m model) refreshed(r vr.Replication, server string) model {
	if m.imported() {
		m = m.withDefaults()
	}
	m = m.withComputed(r, server)
	if r.VMID != "" && !strings.EqualFold(r.VMID, m.VMID.ValueString()) { // another case is not another VM
		m.VMID = types.StringValue(r.VMID)
	}
	m = m.withOptions(r.Options)
	if !m.Paused.IsNull() {
		m.Paused = types.BoolValue(r.Status.Is(statusPaused))
	}
	m.AdoptExisting = types.BoolValue(m.AdoptExisting.ValueBool()) // null after an import
	m.Adopts = types.ObjectNull(adoptedType.AttrTypes)
	return m
}

func (m model) withDefaults() model {
	no := types.BoolValue(false)
	m.RetainDisks = no
	m.ForceLocalDestroy = no
	m.DestroyWhenManaged = no
	m.WaitForInitialSync = no
	m.SkipCapabilityCheck = no
	m.DiskFormat = types.StringValue(defaultFormat)
	m.Disks = types.MapNull(diskType)
	m.PointInTime = types.ObjectNull(pointInTimeType.AttrTypes)
	m.ReplicatedDisks = types.ListNull(replicatedDiskType)
	m.Timeouts = timeouts.Value{Object: types.ObjectNull(timeoutsType)}
	return m
}

func newImported(pairing, id string) model {
	return model{PairingID: types.StringValue(pairing), ReplicationID: types.StringValue(id)}
}

func (m model) withReplicas(ctx context.Context, replicas []vr.ReplicatedDisk, diags *diag.Diagnostics) model {
	elements := make([]replicatedDisk, 0, len(replicas))
	for _, d := range replicas {
		elements = append(elements, replicatedDisk{
			Key:           types.StringValue(d.Disk.Name()),
			Label:         types.StringValue(d.Disk.Label),
			CapacityBytes: types.Int64Value(d.Disk.CapacityBytes),
			Replicated:    replicatedValue(d),
			DatastoreID:   types.StringValue(d.DatastoreID),
			DatastoreName: types.StringValue(d.DatastoreName),
			Path:          types.StringValue(d.Path),
			PolicyID:      attribute.OrNull(vr.NormalizePolicyID(d.PolicyID)),
			PolicyName:    attribute.OrNull(d.PolicyName),
			Format:        attribute.OrNull(d.Format),
		})
	}
	list, found := types.ListValueFrom(ctx, replicatedDiskType, elements)
	diags.Append(found...)
	m.ReplicatedDisks = list
	return m
}

// replicatedValue returns null if the release does not report whether the disk is replicated.
func replicatedValue(d vr.ReplicatedDisk) types.Bool {
	if d.Unreported {
		return types.BoolNull()
	}
	return types.BoolValue(d.Replicated)
}

func (m model) options() vr.Options {
	o := vr.Options{
		RPOMinutes:    m.RPOMinutes.ValueInt64(),
		Compression:   m.NetworkCompression.ValueBool(),
		Quiescing:     m.QuiesceGuest.ValueBool(),
		AutoReplicate: m.AutoReplicateNewDisks.ValueBool(),
		DataSets:      m.ReplicateVMDataSets.ValueBool(),
		PointInTime:   !m.PointInTime.IsNull() && !m.PointInTime.IsUnknown(),
	}
	if !m.NetworkEncryption.IsUnknown() {
		o.Encryption = vr.NewFlag(m.NetworkEncryption.ValueBoolPointer())
	}
	if !m.EnhancedReplication.IsUnknown() {
		o.Enhanced = vr.NewFlag(m.EnhancedReplication.ValueBoolPointer())
	}
	number := func(name string) int64 {
		n, _ := m.PointInTime.Attributes()[name].(wholenumber.Value) // 0 if point_in_time is not set
		return n.ValueInt64()
	}
	o.InstancesPerDay = number("instances_per_day")
	o.InstanceDays = number("days")
	return o
}

// withOptions sets the options. It keeps enhanced_replication and network_encryption if the release does not report
// them.
func (m model) withOptions(o vr.Options) model {
	m.RPOMinutes = wholenumber.Of(o.RPOMinutes)
	m.NetworkCompression = types.BoolValue(o.Compression)
	m.QuiesceGuest = types.BoolValue(o.Quiescing)
	if o.Encryption != vr.FlagUnset {
		m.NetworkEncryption = types.BoolPointerValue(o.Encryption.Ptr())
	}
	if o.Enhanced != vr.FlagUnset {
		m.EnhancedReplication = types.BoolPointerValue(o.Enhanced.Ptr())
	}
	m.AutoReplicateNewDisks = types.BoolValue(o.AutoReplicate)
	m.ReplicateVMDataSets = types.BoolValue(o.DataSets)
	m.PointInTime = types.ObjectNull(pointInTimeType.AttrTypes)
	if o.PointInTime {
		m.PointInTime = types.ObjectValueMust(pointInTimeType.AttrTypes, map[string]attr.Value{
			"instances_per_day": wholenumber.Of(o.InstancesPerDay),
			"days":              wholenumber.Of(o.InstanceDays),
		})
	}
	return m
}

func (m model) differs(state model) bool {
	return m.options() != state.options() || !m.TargetReplicationServerID.Equal(state.TargetReplicationServerID) ||
		m.placementDiffers(state)
}

func (m model) placementDiffers(state model) bool {
	return !m.TargetDatastoreID.Equal(state.TargetDatastoreID) ||
		!m.TargetStoragePolicyID.Equal(state.TargetStoragePolicyID) ||
		!m.DiskFormat.Equal(state.DiskFormat) ||
		!m.Disks.Equal(state.Disks)
}

func isKnown(v attr.Value) bool { return !v.IsNull() && !v.IsUnknown() }
