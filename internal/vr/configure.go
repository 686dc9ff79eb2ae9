package vr

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
)

// Settings contains the settings of a replication except its VM and target.
type Settings struct {
	Options

	// ServerID is the id of the target replication server. If it is empty, the gateway chooses one or keeps the current
	// one.
	ServerID string
	// Disks contains all disks of the VM, including the home folder. The effect of omitting a disk is not documented.
	Disks []DiskSettings
}

// DiskSettings contains the replication settings of one disk.
type DiskSettings struct {
	// Disk is the disk as returned by the gateway.
	Disk Disk
	// Replicate is false for an excluded disk.
	Replicate   bool
	DatastoreID string
	// PolicyID is the storage policy; empty means the datastore's default policy.
	PolicyID string
	// Format is the format of the replica, for example SAME_AS_SOURCE.
	Format string
	// SeedPath is a disk at the target with most of the data; empty means none.
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
	Encryption    bool       `json:"lwd_encryption_enabled"`
	AutoReplicate bool       `json:"auto_replicate_new_disks"`
	DataSets      bool       `json:"vm_data_sets_replication_enabled"`
	PointInTime   bool       `json:"mpit_enabled"`
	Instances     int64      `json:"mpit_instances"`
	Days          int64      `json:"mpit_days"`
	Enhanced      *bool      `json:"enhanced_replication,omitempty"` // omitted if unset; older releases may refuse it
	ServerID      *string    `json:"target_replication_server_id"`
	Disks         []wireDisk `json:"disks"`
}

func (s Settings) wire() wireSettings {
	w := wireSettings{
		RPO:           s.RPOMinutes,
		Compression:   s.Compression,
		Quiescing:     s.Quiescing,
		Encryption:    s.Encryption,
		AutoReplicate: s.AutoReplicate,
		DataSets:      s.DataSets,
		PointInTime:   s.PointInTime,
		Instances:     s.InstancesPerDay,
		Days:          s.InstanceDays,
		Enhanced:      s.Enhanced.Ptr(),
		ServerID:      orNull(s.ServerID),
		Disks:         make([]wireDisk, 0, len(s.Disks)),
	}
	for _, d := range s.Disks {
		w.Disks = append(w.Disks, wireDisk{
			Disk:        d.Disk,
			Enabled:     d.Replicate,
			UseSeeds:    d.SeedPath != "",
			PolicyID:    orNull(d.PolicyID),
			Path:        orNull(d.SeedPath),
			DatastoreID: d.DatastoreID,
			Format:      d.Format,
		})
	}
	return w
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Configure starts the replication of a VM to a vCenter of the pairing. After ErrUncertain, the caller must check that
// the VM has no replication before calling it again. The task does not name the new replication.
func (c *Client) Configure(ctx context.Context, pairing, vm, targetVCenter string, s Settings) (Task, error) {
	if len(s.Disks) == 0 || vm == "" || targetVCenter == "" {
		return Task{}, fmt.Errorf("configure: %w: a VM, a target and the VM's disks are needed", ErrInvalid)
	}
	type spec struct {
		wireSettings

		VMID     string `json:"vm_id"`
		TargetID string `json:"target_vc_id"`
	}
	r := request{
		method: http.MethodPost, template: replicationsTemplate, ids: []string{pairing}, pairing: pairing,
		body: []spec{{wireSettings: s.wire(), VMID: vm, TargetID: targetVCenter}},
	}
	var answer struct {
		List []wireTask `json:"list"`
	}
	if err := c.call(ctx, r, &answer); err != nil {
		c.changed(vm) // if the request was accepted, the end of the task records the change
		return Task{}, uncertain(err)
	}
	if len(answer.List) != 1 || answer.List[0].ID == "" {
		c.changed(vm)
		return Task{}, fmt.Errorf("%s: %w: the answer to one VM holds %d tasks", r, ErrUncertain, len(answer.List))
	}
	return answer.List[0].domain().of(vm), nil
}

// uncertain adds ErrUncertain to an error that leaves the outcome of a change open: an incomplete answer, or a caller
// that stopped waiting.
func uncertain(err error) error {
	if errors.Is(err, ErrPartial) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %w", ErrUncertain, err)
	}
	return err
}

// Reconfigure changes the settings of a replication. The settings must contain all disks. Errors: ErrUncertain,
// ErrNotFound.
func (c *Client) Reconfigure(ctx context.Context, pairing, id string, s Settings) (Task, error) {
	if len(s.Disks) == 0 {
		return Task{}, fmt.Errorf("reconfigure: %w: the VM's disks are needed", ErrInvalid)
	}
	return c.act(ctx, "reconfigure", pairing, id, nil, s.wire())
}

// Unconfigure ends a replication on both sites; both must be available. It deletes the replica's disks unless
// retainDisks is set. Errors: ErrUncertain, ErrNotFound, ErrRemote.
func (c *Client) Unconfigure(ctx context.Context, pairing, id string, retainDisks bool) (Task, error) {
	return c.act(
		ctx,
		"unconfigure",
		pairing,
		id,
		url.Values{"retain_replica_disks": {strconv.FormatBool(retainDisks)}},
		nil,
	)
}

// DestroyLocally removes a replication only from the gateway's own site, without a remote session. The other site still
// has it.
func (c *Client) DestroyLocally(ctx context.Context, pairing, id string, retainDisks bool) (Task, error) {
	r := request{
		method: http.MethodDelete, template: replicationTemplate, ids: []string{pairing, id},
		query: url.Values{"retain_replica_disks": {strconv.FormatBool(retainDisks)}},
	}
	return c.start(ctx, r, id)
}

// Pause pauses a replication. The effect of pausing it again is not documented. Errors: ErrUncertain, ErrNotFound.
func (c *Client) Pause(ctx context.Context, pairing, id string) (Task, error) {
	return c.act(ctx, "pause", pairing, id, nil, nil)
}

// Resume resumes a paused replication. Errors: ErrUncertain, ErrNotFound.
func (c *Client) Resume(ctx context.Context, pairing, id string) (Task, error) {
	return c.act(ctx, "resume", pairing, id, nil, nil)
}

// Sync starts a sync. It is not documented whether the task ends at the start or the end of the sync. Errors:
// ErrUncertain, ErrNotFound.
func (c *Client) Sync(ctx context.Context, pairing, id string) (Task, error) {
	return c.act(ctx, "sync", pairing, id, nil, nil)
}

func (c *Client) act(ctx context.Context, action, pairing, id string, query url.Values, body any) (Task, error) {
	return c.start(ctx, request{
		method:   http.MethodPost,
		template: replicationTemplate + "/actions/" + action,
		ids:      []string{pairing, id},
		pairing:  pairing,
		query:    query,
		body:     body,
	}, id)
}

func (c *Client) start(ctx context.Context, r request, id string) (Task, error) {
	var w wireTask
	if err := c.call(ctx, r, &w); err != nil {
		c.changed(id)
		return Task{}, uncertain(err)
	}
	if w.ID == "" {
		c.changed(id)
		return Task{}, fmt.Errorf("%s: %w: the answer holds no task", r, ErrUncertain)
	}
	return w.domain().of(id), nil
}

// Options contains the settings of a replication that the gateway reports back.
type Options struct {
	RPOMinutes                                                  int64
	Compression, Quiescing, Encryption, AutoReplicate, DataSets bool
	PointInTime                                                 bool
	// InstancesPerDay and InstanceDays are 0 without point in time instances. With 0 days, InstancesPerDay is the
	// number of instances to keep, regardless of age.
	InstancesPerDay, InstanceDays int64
	// Enhanced is unset if the gateway does not support enhanced replication or the configuration does not set it.
	Enhanced Flag
}

// Satisfies reports whether the options already match the wanted ones. An unset Enhanced flag matches any value.
func (o Options) Satisfies(wanted Options) bool {
	if wanted.Enhanced == FlagUnset {
		wanted.Enhanced = o.Enhanced
	}
	return o == wanted
}

// Flag is an option that only some releases of the gateway support.
type Flag uint8

// Values of a Flag.
const (
	FlagUnset Flag = iota
	FlagOff
	FlagOn
)

// FlagOf converts an optional bool to a flag.
func FlagOf(b *bool) Flag {
	switch {
	case b == nil:
		return FlagUnset
	case *b:
		return FlagOn
	}
	return FlagOff
}

// Ptr converts the flag to an optional bool.
func (f Flag) Ptr() *bool {
	if f == FlagUnset {
		return nil
	}
	on := f == FlagOn
	return &on
}

// Placement is the default placement of a VM's replicas, with the disks that differ.
type Placement struct {
	// DatastoreID and PolicyID are those of the home folder, or of the first disk if there is no home folder. PolicyID
	// is empty for the datastore's policy.
	DatastoreID, PolicyID string
	// Disks contains the disks that differ, by name.
	Disks map[string]DiskPlacement
}

// DiskPlacement describes a disk that is not replicated or is placed elsewhere. Empty ids default to the Placement.
type DiskPlacement struct {
	Replicated            bool
	DatastoreID, PolicyID string
}

// PlacementOf returns the placement of a VM's replicas.
func PlacementOf(replicas []ReplicatedDisk) Placement {
	if len(replicas) == 0 {
		return Placement{}
	}
	first := max(0, slices.IndexFunc(replicas, func(r ReplicatedDisk) bool { return r.Disk.Home }))
	p := Placement{
		DatastoreID: replicas[first].DatastoreID,
		PolicyID:    PolicyOf(replicas[first].PolicyID),
		Disks:       make(map[string]DiskPlacement),
	}
	for _, replica := range replicas {
		d := DiskPlacement{Replicated: replica.Replicated || replica.Disk.Home}
		if replica.DatastoreID != p.DatastoreID {
			d.DatastoreID = replica.DatastoreID
		}
		if policy := PolicyOf(replica.PolicyID); policy != p.PolicyID {
			d.PolicyID = policy
		}
		if d != (DiskPlacement{Replicated: true}) {
			p.Disks[replica.Disk.Name()] = d
		}
	}
	return p
}

// PolicyOf returns the id of a storage policy. It returns "" for the id that means the datastore's policy.
func PolicyOf(id string) string {
	if id == "dsbrowser.defaultStoragePolicy" {
		return ""
	}
	return id
}
