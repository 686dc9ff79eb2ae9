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

// Settings are the settings of a replication, without its VM and target.
type Settings struct {
	Options

	// ServerID is the target replication server's; empty lets the gateway pick, or leave what it has picked.
	ServerID string
	// Disks are all disks of the VM, the home folder among them. What becomes of one that is left out is not
	// documented.
	Disks []DiskSettings
}

// DiskSettings are the settings of one disk.
type DiskSettings struct {
	// Disk is the disk as it was read.
	Disk Disk
	// Replicate is false for a disk that is left out of the replication.
	Replicate   bool
	DatastoreID string
	// PolicyID empty means the datastore's default policy.
	PolicyID string
	// Format is that of the replica, SAME_AS_SOURCE for example.
	Format string
	// SeedPath is a disk at the target that holds most of the data; empty means none.
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
	Enhanced      *bool      `json:"enhanced_replication,omitempty"` // a release that does not know it may refuse it
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

// Configure replicates a VM to a vCenter of the pairing. It must not be repeated before it is known that the VM
// has no replication: with ErrUncertain this has to be found out. The task does not name what it makes.
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
		c.changed(vm) // for an accepted request, the end of the task does that
		return Task{}, uncertain(err)
	}
	if len(answer.List) != 1 || answer.List[0].ID == "" {
		c.changed(vm)
		return Task{}, fmt.Errorf("%s: %w: the answer to one VM holds %d tasks", r, ErrUncertain, len(answer.List))
	}
	return answer.List[0].domain().of(vm), nil
}

// uncertain adds ErrUncertain to what leaves a change's outcome open: an answer that is incomplete, or a caller that
// gave up while waiting for it.
func uncertain(err error) error {
	if errors.Is(err, ErrPartial) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %w", ErrUncertain, err)
	}
	return err
}

// Reconfigure brings a replication to other settings: ErrUncertain, ErrNotFound. The settings hold all disks.
func (c *Client) Reconfigure(ctx context.Context, pairing, id string, s Settings) (Task, error) {
	if len(s.Disks) == 0 {
		return Task{}, fmt.Errorf("reconfigure: %w: the VM's disks are needed", ErrInvalid)
	}
	return c.act(ctx, "reconfigure", pairing, id, nil, s.wire())
}

// Unconfigure ends a replication on both sites, which must both be up: ErrUncertain, ErrNotFound, ErrRemote. The
// replica's disks are deleted unless they are to be retained.
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

// DestroyLocally removes a replication from the gateway's own site only, without a remote session. The other site keeps
// its half.
func (c *Client) DestroyLocally(ctx context.Context, pairing, id string, retainDisks bool) (Task, error) {
	r := request{
		method: http.MethodDelete, template: replicationTemplate, ids: []string{pairing, id},
		query: url.Values{"retain_replica_disks": {strconv.FormatBool(retainDisks)}},
	}
	return c.start(ctx, r, id)
}

// Pause pauses a replication: ErrUncertain, ErrNotFound. The effect of a second pause is not documented.
func (c *Client) Pause(ctx context.Context, pairing, id string) (Task, error) {
	return c.act(ctx, "pause", pairing, id, nil, nil)
}

// Resume resumes a paused replication: ErrUncertain, ErrNotFound.
func (c *Client) Resume(ctx context.Context, pairing, id string) (Task, error) {
	return c.act(ctx, "resume", pairing, id, nil, nil)
}

// Sync starts a sync: ErrUncertain, ErrNotFound. Whether its task ends when the sync begins or when it is done is not
// documented.
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

// Options are the settings of a replication that the gateway reports back.
type Options struct {
	RPOMinutes                                                  int64
	Compression, Quiescing, Encryption, AutoReplicate, DataSets bool
	PointInTime                                                 bool
	// InstancesPerDay and InstanceDays are 0 without point in time instances. With 0 days, InstancesPerDay is the
	// number of instances to keep, whatever their age.
	InstancesPerDay, InstanceDays int64
	// Enhanced is unset where the gateway does not know enhanced replication, or where a configuration leaves it open.
	Enhanced Flag
}

// Satisfies reports whether a replication with these options needs no change to have the wanted ones.
func (o Options) Satisfies(wanted Options) bool {
	if wanted.Enhanced == FlagUnset {
		wanted.Enhanced = o.Enhanced
	}
	return o == wanted
}

// Flag is a switch that not every release of the gateway knows.
type Flag uint8

// The states of a Flag.
const (
	FlagUnset Flag = iota
	FlagOff
	FlagOn
)

// FlagOf returns the flag for a value that may be absent.
func FlagOf(b *bool) Flag {
	switch {
	case b == nil:
		return FlagUnset
	case *b:
		return FlagOn
	}
	return FlagOff
}

// Ptr returns the flag as a value that may be absent.
func (f Flag) Ptr() *bool {
	if f == FlagUnset {
		return nil
	}
	on := f == FlagOn
	return &on
}

// Placement is the place of most replicas, and the disks that differ from it.
type Placement struct {
	// DatastoreID and PolicyID are used for the home folder, or for the first disk if there is no home folder. PolicyID
	// is empty for the policy of the datastore.
	DatastoreID, PolicyID string
	// Disks are the disks that differ, by name.
	Disks map[string]DiskPlacement
}

// DiskPlacement is a disk that is not replicated, or is replicated elsewhere. Empty ids default to the Placement.
type DiskPlacement struct {
	Replicated            bool
	DatastoreID, PolicyID string
}

// PlacementOf returns the place of a VM's replicas.
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

// PolicyOf returns the id of a storage policy; empty for the id that stands for the policy of the datastore.
func PolicyOf(id string) string {
	if id == "dsbrowser.defaultStoragePolicy" {
		return ""
	}
	return id
}
