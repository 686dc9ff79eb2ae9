package vr

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

// missingField returns the first missing field of a replication. Without a remote session, the gateway silently omits
// the fields of the other site. Non-essential fields can be missing even with both sessions: for example, the ID of a
// VM that the source no longer reports.
func (w wireReplication) missingField() (field string, essential bool) {
	for _, field := range []struct {
		name   string
		absent bool
	}{
		{"id", w.ID == ""},
		{"source_vc_id", w.SourceVCenterID == nil},
		{"target_vc_id", w.TargetVCenterID == nil},
		{"rpo", w.RPO == nil},
		{"quiescing_enabled", w.Quiescing == nil},
		{"network_compression_enabled", w.Compression == nil},
		{"auto_replicate_new_disks_enabled", w.AutoReplicate == nil},
		{"mpit_enabled", w.PointInTime == nil},
		{"status", w.Status.Code == ""},
	} {
		if field.absent {
			return field.name, true
		}
	}
	switch {
	case w.VMID == nil || *w.VMID == "":
		return "vm_id", false
	case w.SourceSite == "":
		return "source_site_name", false
	case w.TargetSite == "":
		return "target_site_name", false
	case w.RecoveryState == "":
		return "recovery_state", false
	}
	return "", false
}

type incompleteError struct {
	id, name, field string
	essential       bool
}

// Error returns a message that names the missing field.
func (e *incompleteError) Error() string {
	return fmt.Sprintf("read replication %s of %q: %v: %s is missing", e.id, e.name, ErrPartial, e.field)
}

// Unwrap returns ErrPartial.
func (e *incompleteError) Unwrap() error { return ErrPartial }

// MissingField returns the name of the missing field of an incomplete replication, or "" for any other error.
func MissingField(err error) string {
	if e, ok := errors.AsType[*incompleteError](err); ok {
		return e.field
	}
	return ""
}

func (w wireReplication) checkComplete() error {
	if field, essential := w.missingField(); field != "" {
		return &incompleteError{id: w.ID, name: w.Name, field: field, essential: essential}
	}
	return nil
}

func ignoreNonEssential(err error) error {
	if e, ok := errors.AsType[*incompleteError](err); ok && !e.essential {
		return nil
	}
	return err
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

// ReplicatedDisk is a disk of a replicated VM together with its replica.
type ReplicatedDisk struct {
	Disk Disk
	// Replicated is also true if the release does not report it. Unreported is then true.
	Replicated bool
	Unreported bool

	DatastoreID   string
	DatastoreName string
	// Path is the path of the replica on its datastore.
	Path       string
	PolicyID   string
	PolicyName string
	// UsedBytes is the size of the replica. The API does not document the unit, which is assumed to be bytes.
	UsedBytes int64
	// Format is the replica's disk format, or empty if the release does not report it.
	Format string
}

// ReplicatedDisks reads the disks of a replication, including the home folder, sorted by disk name.
func (c *Client) ReplicatedDisks(ctx context.Context, pairing, id string) ([]ReplicatedDisk, error) {
	type wire struct {
		Disk        Disk              `json:"vm_disk"`
		Replicated  *bool             `json:"replicated"`
		Destination wireDatastorePath `json:"destination_path"`
		PolicyID    string            `json:"destination_storage_policy_id"`
		PolicyName  string            `json:"destination_storage_policy_name"`
		UsedBytes   int64             `json:"replica_disk_usage"`
		Format      string            `json:"destination_disk_format"`
	}
	r := request{template: replicationTemplate + "/disks", ids: []string{pairing, id}, pairing: pairing}
	return sortedList(ctx, c, r, "", func(w wire) string { return w.Disk.Name() }, func(w wire) ReplicatedDisk {
		return ReplicatedDisk{
			Disk:          w.Disk,
			Replicated:    w.Replicated == nil || *w.Replicated,
			Unreported:    w.Replicated == nil,
			DatastoreID:   w.Destination.DatastoreID,
			DatastoreName: w.Destination.DatastoreName,
			Path:          w.Destination.join(),
			PolicyID:      w.PolicyID,
			PolicyName:    w.PolicyName,
			UsedBytes:     w.UsedBytes,
			Format:        w.Format,
		}
	})
}

// Issue is a problem with a replication or one of its sites.
type Issue struct {
	Entity      string
	EntityName  string
	Description string
	// Status is WARNING or ERROR. Type is VC, VRS, VRMS or UNKNOWN.
	Status string
	Type   string
	At     time.Time
}

// Issues lists the issues of a pairing's replications. It returns nil if the gateway does not support the list.
func (c *Client) Issues(ctx context.Context, pairing string) ([]Issue, error) {
	type wire struct {
		Entity      string `json:"entity"`
		EntityName  string `json:"entity_name"`
		Description string `json:"description"`
		At          int64  `json:"timestamp"`
		Status      string `json:"status"`
		Type        string `json:"issue_type"`
	}
	r := request{template: replicationsTemplate + "/issues", ids: []string{pairing}, pairing: pairing}
	key := func(w wire) string { return fmt.Sprintf("%s %020d %s", w.Entity, w.At, w.Description) }
	issues, err := sortedList(ctx, c, r, "", key, func(w wire) Issue {
		return Issue{
			Entity:      w.Entity,
			EntityName:  w.EntityName,
			Description: w.Description,
			Status:      w.Status,
			Type:        w.Type,
			At:          fromMillis(w.At),
		}
	})
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	return issues, err
}
