package replications

import (
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/types/attribute"
	"terraform-provider-vsla/internal/vr"
)

// status is the status of a replication.
type status struct {
	ReplicationID      types.String `tfsdk:"replication_id"`
	VMID               types.String `tfsdk:"vm_id"`
	Name               types.String `tfsdk:"name"`
	SourceVCenterID    types.String `tfsdk:"source_vcenter_id"`
	TargetVCenterID    types.String `tfsdk:"target_vcenter_id"`
	SourceSiteName     types.String `tfsdk:"source_site_name"`
	TargetSiteName     types.String `tfsdk:"target_site_name"`
	RPOMinutes         types.Int64  `tfsdk:"rpo_minutes"`
	Status             types.String `tfsdk:"status"`
	RPOViolation       types.Bool   `tfsdk:"rpo_violation"`
	ViolationMinutes   types.Int64  `tfsdk:"current_rpo_violation_minutes"`
	LastSyncTime       types.String `tfsdk:"last_sync_time"`
	LastSyncMs         types.Int64  `tfsdk:"last_sync_time_ms"`
	LastSyncSeconds    types.Int64  `tfsdk:"last_sync_duration_seconds"`
	LastSyncBytes      types.Int64  `tfsdk:"last_sync_size_bytes"`
	LagSeconds         types.Int64  `tfsdk:"lag_seconds"`
	Progress           *progress    `tfsdk:"sync_progress"`
	ConfigurationState types.String `tfsdk:"configuration_state"`
	ConfigurationError types.String `tfsdk:"configuration_error"`
	LastGroupError     types.String `tfsdk:"last_group_error"`
	RecoveryState      types.String `tfsdk:"recovery_state"`
	RecoveryError      types.String `tfsdk:"recovery_error"`
	RecoverySolution   types.String `tfsdk:"recovery_solution"`
	ServerUUID         types.String `tfsdk:"target_replication_server_uuid"`
	ServerName         types.String `tfsdk:"target_replication_server_name"`
}

type progress struct {
	Percent       types.Int64 `tfsdk:"progress_percent"`
	Checksum      types.Int64 `tfsdk:"checksum_current_bytes"`
	ChecksumTotal types.Int64 `tfsdk:"checksum_total_bytes"`
	Transfer      types.Int64 `tfsdk:"transferred_current_bytes"`
	TransferTotal types.Int64 `tfsdk:"transferred_total_bytes"`
}

// newStatus converts a replication. The lag is relative to now.
func newStatus(r vr.Replication, now time.Time) status {
	s := status{
		ReplicationID:      types.StringValue(r.ID),
		VMID:               attribute.OrNull(r.VMID),
		Name:               types.StringValue(r.Name),
		SourceVCenterID:    types.StringValue(r.SourceVCenterID),
		TargetVCenterID:    types.StringValue(r.TargetVCenterID),
		SourceSiteName:     types.StringValue(r.SourceSite),
		TargetSiteName:     types.StringValue(r.TargetSite),
		RPOMinutes:         types.Int64Value(r.RPOMinutes),
		Status:             types.StringValue(r.Status.Code),
		RPOViolation:       types.BoolValue(r.Status.RPOViolation),
		ViolationMinutes:   types.Int64Value(int64(r.Status.PastDeadline / time.Minute)),
		ConfigurationState: types.StringValue(r.ConfigurationState),
		ConfigurationError: attribute.OrNull(r.ConfigurationError),
		LastGroupError:     attribute.OrNull(r.GroupError),
		RecoveryState:      types.StringValue(r.RecoveryState),
		RecoveryError:      attribute.OrNull(r.RecoveryError),
		RecoverySolution:   attribute.OrNull(r.RecoverySolution),
		ServerUUID:         attribute.OrNull(r.ServerUUID),
		ServerName:         attribute.OrNull(r.ServerName),
	}
	if last := r.Status.LastSync; !last.IsZero() {
		s.LastSyncTime = types.StringValue(last.Format(time.RFC3339))
		s.LastSyncMs = types.Int64Value(last.UnixMilli())
		s.LastSyncSeconds = types.Int64Value(int64(r.Status.LastSyncDuration / time.Second))
		s.LastSyncBytes = types.Int64Value(r.Status.LastSyncSizeBytes)
		s.LagSeconds = types.Int64Value(max(0, int64(now.Sub(last)/time.Second)))
	}
	if p := r.Status.Progress; p != nil {
		s.Progress = &progress{
			Percent:       types.Int64Value(p.Percent),
			Checksum:      types.Int64Value(p.ChecksumBytes),
			ChecksumTotal: types.Int64Value(p.ChecksumTotalBytes),
			Transfer:      types.Int64Value(p.TransferBytes),
			TransferTotal: types.Int64Value(p.TransferTotalBytes),
		}
	}
	return s
}

func statusAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"replication_id":    attribute.String("ID of the replication."),
		"vm_id":             attribute.String("ID of the VM. Null if the VM can no longer be found at its site."),
		"name":              attribute.String("Name of the replication, which is the name of the VM."),
		"source_vcenter_id": attribute.String("Instance UUID of the vCenter of the VM."),
		"target_vcenter_id": attribute.String("Instance UUID of the vCenter at the target site."),
		"source_site_name":  attribute.String("Name of the source site."),
		"target_site_name":  attribute.String("Name of the target site."),
		"rpo_minutes":       attribute.Int64("Recovery point objective, in minutes."),
		"status": attribute.String("Status of the replication: `OK`, `SYNC`, `FULL_SYNC`, `INITIAL_FULL_SYNC`, " +
			"`PAUSED`, `NOT_ACTIVE`, `ERROR`, `CONFIGURING`, `MOVING`, `DISK_RESIZING`, `RECOVERING`, `RECOVERED`, " +
			"`UNKNOWN`, `RPO_VIOLATION`, or a value that a later release adds. Some values can have the suffix " +
			"`_RPO_VIOLATION`."),
		"rpo_violation": attribute.Bool("Whether the replica is older than the RPO allows."),
		"current_rpo_violation_minutes": attribute.Int64("Time for which the replica has been older than the RPO " +
			"allows, in minutes."),
		"last_sync_time": attribute.String("End of the last sync, in RFC 3339 format and UTC. Null before the first " +
			"sync."),
		"last_sync_time_ms": attribute.Int64("End of the last sync, in milliseconds since 1970. Null before the " +
			"first sync."),
		"last_sync_duration_seconds": attribute.Int64("Duration of the last sync, in seconds."),
		"last_sync_size_bytes":       attribute.Int64("Size of the last sync, in bytes."),
		"lag_seconds": attribute.Int64("Time since the end of the last sync, in seconds, by the clock of the machine " +
			"that runs Terraform. Changes on every run. Null before the first sync."),
		"configuration_state": attribute.String("State of the configuration: `OK`, `IN_PROGRESS`, `ERROR` or " +
			"`UNKNOWN`."),
		"configuration_error": attribute.String("Reason why the configuration failed. Null if it did not fail."),
		"last_group_error":    attribute.String("Last error of the replication. Null if there is none."),
		"recovery_state": attribute.String("State of the recovery: `NOT_STARTED`, `IN_PROGRESS`, `OK`, `ERROR` or " +
			"`UNKNOWN`."),
		"recovery_error": attribute.String("Reason why the recovery failed. Null if it did not fail."),
		"recovery_solution": attribute.String("Solution that manages the recovery, such as Site Recovery Manager. " +
			"Null if there is none."),
		"target_replication_server_uuid": attribute.String("UUID of the replication server that receives the data."),
		"target_replication_server_name": attribute.String("Name of the replication server that receives the data."),
		"sync_progress": attribute.Object("Progress of the current sync. Null if no sync is "+
			"running.", map[string]schema.Attribute{
			"progress_percent": attribute.Int64("Progress, in percent."),
			"checksum_current_bytes": attribute.Int64(
				"Data compared so far. The API does not document the unit, which is assumed to be bytes.",
			),
			"checksum_total_bytes":      attribute.Int64("Total data to compare, assumed to be in bytes."),
			"transferred_current_bytes": attribute.Int64("Data transferred so far, assumed to be in bytes."),
			"transferred_total_bytes":   attribute.Int64("Total data to transfer, assumed to be in bytes."),
		}),
	}
}
