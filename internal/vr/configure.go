package vr

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
)

// Settings contains the settings of a replication other than its VM and target.
type Settings struct {
	Options

	// ServerID is the ID of the target replication server. If it is empty, the gateway chooses a server or keeps the
	// current one.
	ServerID string
	// Disks contains all disks of the VM, including the home folder. The effect of omitting a disk is undocumented.
	Disks []DiskSettings
}

// DiskSettings contains the replication settings of one disk.
type DiskSettings struct {
	Disk Disk
	// Replicate is false if the disk is excluded from the replication.
	Replicate   bool
	DatastoreID string
	// PolicyID is the replica's storage policy. If it is empty, the datastore's default policy applies.
	PolicyID string
	// Format is the replica's disk format, for example SAME_AS_SOURCE.
	Format string
	// SeedPath is the path of a disk at the target that already contains most of the data, or empty.
	SeedPath string
}

type wireDisk struct {
	Disk        Disk    `json:"vm_disk"`
	Enabled     bool    `json:"enabled_for_replication"`
	UseSeeds    bool    `json:"use_seeds"`
	PolicyID    *string `json:"destination_storage_policy_id"`
	Path        *string `json:"destination_path"`
	DatastoreID string  `json:"destination_datastore_id"`
	Format      string  `json:"destination_disk_format"`
}

type wireSettings struct {
	RPO           int64      `json:"rpo"`
	Compression   bool       `json:"network_compression_enabled"`
	Quiescing     bool       `json:"quiesce_enabled"`
	Encryption    *bool      `json:"lwd_encryption_enabled,omitempty"` // omitted only if the release does not report it
	AutoReplicate bool       `json:"auto_replicate_new_disks"`
	DataSets      bool       `json:"vm_data_sets_replication_enabled"`
	PointInTime   bool       `json:"mpit_enabled"`
	Instances     int64      `json:"mpit_instances"`
	Days          int64      `json:"mpit_days"`
	Enhanced      *bool      `json:"enhanced_replication,omitempty"` // omitted if unset; older releases may reject it
	ServerID      *string    `json:"target_replication_server_id"`
	Disks         []wireDisk `json:"disks"`
}

func (s Settings) toWire() wireSettings {
	w := wireSettings{
		RPO:           s.RPOMinutes,
		Compression:   s.Compression,
		Quiescing:     s.Quiescing,
		Encryption:    s.Encryption.Ptr(),
		AutoReplicate: s.AutoReplicate,
		DataSets:      s.DataSets,
		PointInTime:   s.PointInTime,
		Instances:     s.InstancesPerDay,
		Days:          s.InstanceDays,
		Enhanced:      s.Enhanced.Ptr(),
		ServerID:      nilIfEmpty(s.ServerID),
		Disks:         make([]wireDisk, 0, len(s.Disks)),
	}
	for _, d := range s.Disks {
		w.Disks = append(w.Disks, wireDisk{
			Disk:        d.Disk,
			Enabled:     d.Replicate,
			UseSeeds:    d.SeedPath != "",
			PolicyID:    nilIfEmpty(d.PolicyID),
			Path:        nilIfEmpty(d.SeedPath),
			DatastoreID: d.DatastoreID,
			Format:      d.Format,
		})
	}
	return w
}

func nilIfEmpty(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Configure starts replicating a VM to a vCenter of the pairing. After ErrUncertain, the caller must check that the VM
// has no replication before calling Configure again. The returned task does not identify the new replication.
func (c *Client) Configure(ctx context.Context, pairing, vm, targetVCenter string, s Settings) (Task, error) {
	if len(s.Disks) == 0 || vm == "" || targetVCenter == "" {
		return Task{}, fmt.Errorf("configure: %w: a VM, a target and the VM's disks are required", ErrInvalid)
	}
	if s.Encryption == FlagUnset {
		s.Encryption = FlagOff // required by older releases
	}
	type spec struct {
		wireSettings

		VMID     string `json:"vm_id"`
		TargetID string `json:"target_vc_id"`
	}
	r := request{
		method:   http.MethodPost,
		template: replicationsTemplate,
		ids:      []string{pairing},
		pairing:  pairing,
		body:     []spec{{wireSettings: s.toWire(), VMID: vm, TargetID: targetVCenter}},
	}
	var result struct {
		List []wireTask `json:"list"`
	}
	if err := c.call(ctx, r, &result); err != nil {
		c.recordChange(vm) // after a successful call, the change is recorded when the task ends
		return Task{}, asUncertain(err)
	}
	if len(result.List) != 1 || result.List[0].ID == "" {
		c.recordChange(vm)
		return Task{}, fmt.Errorf(
			"%s: %w: the response for one VM contains %d tasks",
			r,
			ErrUncertain,
			len(result.List),
		)
	}
	return result.List[0].domain().withObject(vm), nil
}

// asUncertain adds ErrUncertain to errors that leave the outcome of a change unknown, because the response is
// incomplete or the caller has stopped waiting.
func asUncertain(err error) error {
	if errors.Is(err, ErrPartial) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %w", ErrUncertain, err)
	}
	return err
}

// Reconfigure changes the settings of a replication. s must contain all disks. Errors: ErrUncertain, ErrNotFound.
func (c *Client) Reconfigure(ctx context.Context, pairing, id string, s Settings) (Task, error) {
	if len(s.Disks) == 0 {
		return Task{}, fmt.Errorf("reconfigure: %w: the VM's disks are required", ErrInvalid)
	}
	return c.startAction(ctx, "reconfigure", pairing, id, nil, s.toWire())
}

// Unconfigure ends a replication on both sites, which must both be available. It deletes the replica's disks unless
// retainDisks is set. Errors: ErrUncertain, ErrNotFound, ErrRemote.
func (c *Client) Unconfigure(ctx context.Context, pairing, id string, retainDisks bool) (Task, error) {
	return c.startAction(ctx, "unconfigure", pairing, id,
		url.Values{"retain_replica_disks": {strconv.FormatBool(retainDisks)}}, nil)
}

// DestroyLocally removes a replication from the gateway's own site only, without a remote session. The replication
// remains on the other site.
func (c *Client) DestroyLocally(ctx context.Context, pairing, id string, retainDisks bool) (Task, error) {
	r := request{
		method:   http.MethodDelete,
		template: replicationTemplate,
		ids:      []string{pairing, id},
		query:    url.Values{"retain_replica_disks": {strconv.FormatBool(retainDisks)}},
	}
	return c.startTask(ctx, r, id)
}

// Pause pauses a replication. The effect of pausing a paused replication is undocumented. Errors: ErrUncertain,
// ErrNotFound.
func (c *Client) Pause(ctx context.Context, pairing, id string) (Task, error) {
	return c.startAction(ctx, "pause", pairing, id, nil, nil)
}

// Resume resumes a paused replication. Errors: ErrUncertain, ErrNotFound.
func (c *Client) Resume(ctx context.Context, pairing, id string) (Task, error) {
	return c.startAction(ctx, "resume", pairing, id, nil, nil)
}

// Sync starts a sync. It is undocumented whether the task ends when the sync starts or when it completes. Errors:
// ErrUncertain, ErrNotFound.
func (c *Client) Sync(ctx context.Context, pairing, id string) (Task, error) {
	return c.startAction(ctx, "sync", pairing, id, nil, nil)
}

func (c *Client) startAction(
	ctx context.Context, action, pairing, id string, query url.Values, body any,
) (Task, error) {
	return c.startTask(ctx, request{
		method:   http.MethodPost,
		template: replicationTemplate + "/actions/" + action,
		ids:      []string{pairing, id},
		pairing:  pairing,
		query:    query,
		body:     body,
	}, id)
}

func (c *Client) startTask(ctx context.Context, r request, id string) (Task, error) {
	var w wireTask
	if err := c.call(ctx, r, &w); err != nil {
		c.recordChange(id)
		return Task{}, asUncertain(err)
	}
	if w.ID == "" {
		c.recordChange(id)
		return Task{}, fmt.Errorf("%s: %w: the response contains no task", r, ErrUncertain)
	}
	return w.domain().withObject(id), nil
}
