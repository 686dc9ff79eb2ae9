package vr

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// Replication is the replication of a VM. VMID is empty if the source no longer reports the VM. Later releases may add
// status, state and type values.
type Replication struct {
	Options

	ID, Name, VMID                 string
	SourceVCenterID, SourceSite    string
	TargetVCenterID, TargetSite    string
	Type                           string
	ServerUUID, ServerName         string
	ConfigurationState             string
	ConfigurationError, GroupError string
	RecoveryState, RecoveryError   string
	RecoverySolution               string
	Status                         Status
}

// Status is the part of a replication's state that changes without a reconfiguration.
type Status struct {
	// Code is the API's status value: OK, SYNC, NOT_ACTIVE, ERROR_RPO_VIOLATION, ...
	Code         string
	RPOViolation bool
	// PastDeadline is the time by which the age of the replica exceeds the RPO, in whole minutes.
	PastDeadline time.Duration
	// LastSync is zero before the first sync.
	LastSync          time.Time
	LastSyncDuration  time.Duration
	LastSyncSizeBytes int64
	Progress          *Progress
}

// Progress is the progress of the current sync. The API documents only the percentage. The other values are assumed to
// be in bytes.
type Progress struct {
	Percent                           int64
	ChecksumBytes, ChecksumTotalBytes int64
	TransferBytes, TransferTotalBytes int64
}

// Is reports whether the status is one of the codes, ignoring the suffix _RPO_VIOLATION of the status.
func (s Status) Is(codes ...string) bool {
	return slices.Contains(codes, strings.TrimSuffix(s.Code, "_RPO_VIOLATION"))
}

// Recovering reports whether a recovery has started or finished. Such a replication must not be changed.
func (r Replication) Recovering() bool {
	return r.RecoveryState != "" && r.RecoveryState != "NOT_STARTED" && r.RecoveryState != "UNKNOWN"
}

type wireError struct {
	Message string `json:"message"`
	Details string `json:"details"`
}

// UnmarshalJSON accepts an object or, as documented for one of the fields, a string.
func (w *wireError) UnmarshalJSON(body []byte) error {
	type fields wireError
	if json.Unmarshal(body, &w.Message) == nil {
		return nil
	}
	return json.Unmarshal(body, (*fields)(w))
}

func (w *wireError) String() string {
	switch {
	case w == nil:
		return ""
	case w.Details == "" || w.Details == w.Message:
		return w.Message
	}
	return strings.TrimLeft(w.Message+" ("+w.Details+")", " ")
}

// wireReplication uses pointers for fields that are missing if a site does not respond.
type wireReplication struct {
	ID              string  `json:"id"`
	Name            string  `json:"name"`
	VMID            *string `json:"vm_id"`
	SourceVCenterID *string `json:"source_vc_id"`
	SourceSite      string  `json:"source_site_name"`
	TargetVCenterID *string `json:"target_vc_id"`
	TargetSite      string  `json:"target_site_name"`
	Type            string  `json:"type"`
	RPO             *int64  `json:"rpo"`
	Quiescing       *bool   `json:"quiescing_enabled"`
	Compression     *bool   `json:"network_compression_enabled"`
	Encryption      *bool   `json:"encryption_enabled"`
	AutoReplicate   *bool   `json:"auto_replicate_new_disks_enabled"`
	DataSets        *bool   `json:"vm_data_sets_replication_enabled"`
	PointInTime     *bool   `json:"mpit_enabled"`
	Instances       int64   `json:"mpit_instances"`
	Days            int64   `json:"mpit_days"`
	Enhanced        *bool   `json:"enhanced_replication"`
	ServerUUID      string  `json:"target_replication_server_uuid"`
	ServerName      string  `json:"replication_server_name"`

	ConfigurationState string     `json:"configuration_state"`
	ConfigurationError *wireError `json:"configuration_error"`
	GroupError         *wireError `json:"last_group_error"`
	RecoveryState      string     `json:"recovery_state"`
	RecoveryError      *wireError `json:"recovery_error"`
	RecoverySolution   string     `json:"recovery_solution"`

	Status struct {
		Code         string `json:"status"`
		RPOViolation bool   `json:"rpo_violation"`
	} `json:"status"`
	LastSync         int64 `json:"last_sync_time"`
	LastSyncDuration int64 `json:"last_sync_duration"`
	LastSyncSize     int64 `json:"last_sync_size"`
	Violation        int64 `json:"current_rpo_violation"`
	Progress         *struct {
		Percent       int64 `json:"progress"`
		Checksum      int64 `json:"checksum_current"`
		ChecksumTotal int64 `json:"checksum_total"`
		Transfer      int64 `json:"transferred_current"`
		TransferTotal int64 `json:"transferred_total"`
	} `json:"sync_progress"`
}

func (w wireReplication) domain() Replication {
	deref := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	isTrue := func(b *bool) bool { return b != nil && *b }
	r := Replication{
		ID:              w.ID,
		Name:            w.Name,
		VMID:            deref(w.VMID),
		SourceVCenterID: deref(w.SourceVCenterID),
		SourceSite:      w.SourceSite,
		TargetVCenterID: deref(w.TargetVCenterID),
		TargetSite:      w.TargetSite,
		Type:            w.Type,
		Options: Options{
			Quiescing:     isTrue(w.Quiescing),
			Compression:   isTrue(w.Compression),
			Encryption:    NewFlag(w.Encryption),
			AutoReplicate: isTrue(w.AutoReplicate),
			DataSets:      isTrue(w.DataSets),
			PointInTime:   isTrue(w.PointInTime),
			Enhanced:      NewFlag(w.Enhanced),
		},
		ServerUUID:         w.ServerUUID,
		ServerName:         w.ServerName,
		ConfigurationState: w.ConfigurationState,
		ConfigurationError: w.ConfigurationError.String(),
		GroupError:         w.GroupError.String(),
		RecoveryState:      w.RecoveryState,
		RecoveryError:      w.RecoveryError.String(),
		RecoverySolution:   w.RecoverySolution,
		Status: Status{
			Code:              w.Status.Code,
			RPOViolation:      w.Status.RPOViolation,
			PastDeadline:      minutes(w.Violation),
			LastSync:          fromMillis(w.LastSync),
			LastSyncDuration:  seconds(w.LastSyncDuration),
			LastSyncSizeBytes: w.LastSyncSize,
		},
	}
	if w.RPO != nil {
		r.RPOMinutes = *w.RPO
	}
	if r.PointInTime {
		r.InstancesPerDay = w.Instances
		r.InstanceDays = w.Days
	}
	if p := w.Progress; p != nil {
		r.Status.Progress = &Progress{
			Percent:            p.Percent,
			ChecksumBytes:      p.Checksum,
			ChecksumTotalBytes: p.ChecksumTotal,
			TransferBytes:      p.Transfer,
			TransferTotalBytes: p.TransferTotal,
		}
	}
	return r
}

const (
	replicationsTemplate = "/pairings/{pairing_id}/replications"
	replicationTemplate  = replicationsTemplate + "/{replication_id}"
)
