// Replications as the gateway reports them: one listing for all callers, single reads, and what it takes to call one gone.

package vr

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// listingAge is how long a listing serves: long enough for the refresh of any number of replications, short enough for a
// status that somebody waits for.
const listingAge = 10 * time.Second

// Replication is one replicated machine. MachineID is empty when the source does not know the machine any more. The words of the API (status, states, type) are open for new ones.
type Replication struct {
	ID, Name, MachineID            string
	SourceVCenterID, SourceSite    string
	TargetVCenterID, TargetSite    string
	Type                           string
	RPOMinutes                     int64
	Quiescing, Compression         bool
	Encryption, AutoReplicate      bool
	DataSets                       bool
	PointInTime                    bool
	InstancesPerDay, InstanceDays  int64
	ServerUUID, ServerName         string
	ConfigurationState             string
	ConfigurationError, GroupError string
	RecoveryState, RecoveryError   string
	RecoverySolution               string
	Status                         Status
}

// Status is what changes while nobody changes anything.
type Status struct {
	// Word is the API's: OK, SYNC, NOT_ACTIVE, ERROR_RPO_VIOLATION, ...
	Word         string
	RPOViolation bool
	// PastDeadline is how long the replica has been older than the RPO allows, in whole minutes.
	PastDeadline time.Duration
	// LastSync is zero before the first one.
	LastSync          time.Time
	LastSyncDuration  time.Duration
	LastSyncSizeBytes int64
	Progress          *Progress
}

// Progress of the sync that is under way. The API gives no units beside percent; the others are taken for bytes.
type Progress struct {
	Percent                           int64
	ChecksumBytes, ChecksumTotalBytes int64
	TransferBytes, TransferTotalBytes int64
}

// Is tells whether the status is one of the words, with or without a violated RPO.
func (s Status) Is(words ...string) bool {
	return slices.Contains(words, strings.TrimSuffix(s.Word, "_RPO_VIOLATION"))
}

// Recovering tells whether a recovery has begun, or has been done, so that the replication must be left alone.
func (r Replication) Recovering() bool {
	return r.RecoveryState != "" && r.RecoveryState != "NOT_STARTED" && r.RecoveryState != "UNKNOWN"
}

type wireError struct {
	Message string `json:"message"`
	Details string `json:"details"`
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

// wireReplication has pointers where a missing field means that a site did not answer.
type wireReplication struct {
	ID              string  `json:"id"`
	Name            string  `json:"name"`
	MachineID       *string `json:"vm_id"`
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
	ServerUUID      string  `json:"target_replication_server_uuid"`
	ServerName      string  `json:"replication_server_name"`

	ConfigurationState string     `json:"configuration_state"`
	ConfigurationError *wireError `json:"configuration_error"`
	GroupError         *wireError `json:"last_group_error"`
	RecoveryState      string     `json:"recovery_state"`
	RecoveryError      string     `json:"recovery_error"`
	RecoverySolution   string     `json:"recovery_solution"`

	Status struct {
		Word         string `json:"status"`
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

// missing names the first field that a complete answer holds and this one does not: without a remote session the gateway
// leaves out what the other site knows, and need not say so. A field that is not essential may be missing although both
// sessions stand, as the machine's id when the source does not know the machine any more.
func (w wireReplication) missing() (field string, essential bool) {
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
		{"encryption_enabled", w.Encryption == nil},
		{"auto_replicate_new_disks_enabled", w.AutoReplicate == nil},
		{"mpit_enabled", w.PointInTime == nil},
		{"status", w.Status.Word == ""},
	} {
		if field.absent {
			return field.name, true
		}
	}
	switch {
	case w.MachineID == nil || *w.MachineID == "":
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

func (w wireReplication) domain() Replication {
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	is := func(b *bool) bool { return b != nil && *b }
	r := Replication{
		ID: w.ID, Name: w.Name, MachineID: text(w.MachineID), SourceVCenterID: text(w.SourceVCenterID), SourceSite: w.SourceSite,
		TargetVCenterID: text(w.TargetVCenterID), TargetSite: w.TargetSite, Type: w.Type,
		Quiescing: is(w.Quiescing), Compression: is(w.Compression), Encryption: is(w.Encryption), AutoReplicate: is(w.AutoReplicate),
		DataSets: is(w.DataSets), PointInTime: is(w.PointInTime), InstancesPerDay: w.Instances, InstanceDays: w.Days,
		ServerUUID: w.ServerUUID, ServerName: w.ServerName, ConfigurationState: w.ConfigurationState,
		ConfigurationError: w.ConfigurationError.String(), GroupError: w.GroupError.String(),
		RecoveryState: w.RecoveryState, RecoveryError: w.RecoveryError, RecoverySolution: w.RecoverySolution,
		Status: Status{
			Word: w.Status.Word, RPOViolation: w.Status.RPOViolation, PastDeadline: minutes(w.Violation),
			LastSync: instant(w.LastSync), LastSyncDuration: seconds(w.LastSyncDuration), LastSyncSizeBytes: w.LastSyncSize,
		},
	}
	if w.RPO != nil {
		r.RPOMinutes = *w.RPO
	}
	if p := w.Progress; p != nil {
		r.Status.Progress = &Progress{
			Percent: p.Percent, ChecksumBytes: p.Checksum, ChecksumTotalBytes: p.ChecksumTotal,
			TransferBytes: p.Transfer, TransferTotalBytes: p.TransferTotal,
		}
	}
	return r
}

const (
	replicationsTemplate = "/pairings/{pairing_id}/replications"
	replicationTemplate  = replicationsTemplate + "/{replication_id}"
)

// listing is one reading of all replications of a pairing.
type listing struct {
	replications []Replication
	// incomplete maps an id to what its entry lacks.
	incomplete map[string]error
	at         time.Time
}

// Replications lists all replications of a pairing, incoming and outgoing, sorted by id; ErrPartial when the gateway
// leaves out anything. The listing is shared by all callers, dropped at the end of every task of this client, and serves for
// ten seconds at most.
func (c *Client) Replications(ctx context.Context, pairing string) ([]Replication, error) {
	l, err := c.listing(ctx, pairing)
	if err != nil {
		return nil, err
	}
	for _, r := range l.replications {
		if err := l.incomplete[r.ID]; err != nil {
			return nil, err
		}
	}
	return l.replications, nil
}

// incompleteError is an entry that lacks a field although nothing announces it.
type incompleteError struct {
	id, field string
	essential bool
}

// Error names the field.
func (e *incompleteError) Error() string {
	return fmt.Sprintf("read replication %s: %v: %s is missing", e.id, ErrPartial, e.field)
}

// Unwrap gives the sentinel.
func (e *incompleteError) Unwrap() error { return ErrPartial }

// complete gives an error for an entry that lacks a field.
func (w wireReplication) complete() error {
	if field, essential := w.missing(); field != "" {
		return &incompleteError{id: w.ID, field: field, essential: essential}
	}
	return nil
}

// tolerated drops an error about a field that may be missing although both sessions stand.
func tolerated(err error) error {
	if e, ok := errors.AsType[*incompleteError](err); ok && !e.essential {
		return nil
	}
	return err
}

func (c *Client) listing(ctx context.Context, pairing string) (listing, error) {
	read := func(ctx context.Context) (listing, error) { return c.readListing(ctx, pairing) }
	asked := c.config.Now()
	l, err := c.listings.Get(ctx, pairing, read)
	// What was begun after it was asked for is no older than a new reading would be, however long it took.
	if err != nil || !l.at.Before(asked) || c.config.Now().Sub(l.at) <= listingAge {
		return l, err
	}
	// Too old. The next is taken however long it takes to read.
	c.listings.Drop()
	return c.listings.Get(ctx, pairing, read)
}

// readListing reads all replications, and again when the remote session turns out to have ended meanwhile: the gateway then
// leaves out what it cannot see, and need not say so.
func (c *Client) readListing(ctx context.Context, pairing string) (listing, error) {
	for range readings {
		before, err := c.standing(ctx, pairing)
		if err != nil {
			return listing{}, err
		}
		l, err := c.search(ctx, pairing, nil)
		if err != nil {
			return listing{}, err
		}
		after, err := c.examine(ctx, pairing)
		if err != nil {
			return listing{}, err
		}
		if before == after {
			maps.DeleteFunc(l.incomplete, func(_ string, err error) bool { return tolerated(err) == nil })
			return l, nil
		}
	}
	return listing{}, fmt.Errorf("list replications of pairing %s: %w: the remote session ends again and again", pairing, ErrRemote)
}

// search lists replications past the shared listing.
func (c *Client) search(ctx context.Context, pairing string, filter url.Values) (listing, error) {
	l := listing{incomplete: make(map[string]error), at: c.config.Now()}
	query := url.Values{"extended_info": {"true"}}
	maps.Copy(query, filter)
	r := request{template: replicationsTemplate, ids: []string{pairing}, pairing: pairing, query: query}
	found, err := list(ctx, c, r, "id", func(w wireReplication) string { return w.ID })
	if errors.Is(err, ErrNotFound) {
		return l, fmt.Errorf("list replications of pairing %s: %w", pairing, ErrPairing)
	}
	if err != nil {
		return l, err
	}
	for _, w := range found {
		if err := w.complete(); err != nil {
			l.incomplete[w.ID] = err
		}
		l.replications = append(l.replications, w.domain())
	}
	sortBy(l.replications, func(r Replication) string { return r.ID })
	return l, nil
}

// Replication gives one replication out of the shared listing: ErrNotFound only when it is certain that there is none.
// A replication that is not in the listing is asked for by its id, and its absence counts only while pairing, session and
// remote session are well: without them, or without the privilege to see it, it would look absent just so.
func (c *Client) Replication(ctx context.Context, pairing, id string) (Replication, error) {
	l, err := c.listing(ctx, pairing)
	if err != nil {
		return Replication{}, err
	}
	for _, r := range l.replications {
		if r.ID == id && l.incomplete[id] == nil {
			return r, nil
		}
	}
	return c.Fresh(ctx, pairing, id)
}

// Fresh reads one replication past the shared listing; otherwise as Replication.
func (c *Client) Fresh(ctx context.Context, pairing, id string) (Replication, error) {
	for range readings {
		before, err := c.standing(ctx, pairing)
		if err != nil {
			return Replication{}, err
		}
		found, err := c.readOne(ctx, pairing, id)
		if err == nil || (!errors.Is(err, ErrNotFound) && !errors.Is(err, ErrPartial)) {
			return found, err
		}
		after, failed := c.examine(ctx, pairing)
		if failed == nil {
			_, failed = c.readPairing(ctx, pairing)
		}
		if failed != nil {
			return Replication{}, failed
		}
		if before == after {
			return found, tolerated(err)
		}
	}
	return Replication{}, fmt.Errorf("read replication %s: %w: the remote session ends again and again", id, ErrRemote)
}

func (c *Client) readOne(ctx context.Context, pairing, id string) (Replication, error) {
	r := request{method: http.MethodGet, template: replicationTemplate, ids: []string{pairing, id}, pairing: pairing}
	var w wireReplication
	if err := c.call(ctx, r, &w); err != nil {
		return Replication{}, err
	}
	return w.domain(), w.complete()
}

// Of finds the replications of a machine past the shared listing. A machine has one outgoing replication at most.
func (c *Client) Of(ctx context.Context, pairing, machine string) ([]Replication, error) {
	filter := url.Values{"filter_property": {"vm_id"}, "filter": {machine}}
	if vcenter := VCenterOf(machine); vcenter != "" {
		filter.Set("source_vc_guid", vcenter)
	}
	l, err := c.search(ctx, pairing, filter)
	if err != nil {
		return nil, err
	}
	return ofMachine(l.replications, machine), nil
}

// KnownOf finds the replications of a machine in the shared listing.
func (c *Client) KnownOf(ctx context.Context, pairing, machine string) ([]Replication, error) {
	all, err := c.Replications(ctx, pairing)
	if err != nil {
		return nil, err
	}
	return ofMachine(all, machine), nil
}

// ofMachine checks for itself: how the gateway's filter matches is not documented.
func ofMachine(all []Replication, machine string) []Replication {
	var of []Replication
	for _, r := range all {
		if r.MachineID == machine {
			of = append(of, r)
		}
	}
	return of
}

// ReplicatedDisk is a disk of a replicated machine and its replica.
type ReplicatedDisk struct {
	Disk          Disk
	Replicated    bool
	DatastoreID   string
	DatastoreName string
	// Path is that of the replica in its datastore.
	Path                 string
	PolicyID, PolicyName string
	// UsedBytes is the size of the replica; the API gives no unit, and bytes are assumed.
	UsedBytes int64
}

// ReplicatedDisks reads the disks of a replication, the home folder among them, sorted by name.
func (c *Client) ReplicatedDisks(ctx context.Context, pairing, id string) ([]ReplicatedDisk, error) {
	type wire struct {
		Disk        Disk              `json:"vm_disk"`
		Replicated  bool              `json:"replicated"`
		Destination wireDatastorePath `json:"destination_path"`
		PolicyID    string            `json:"destination_storage_policy_id"`
		PolicyName  string            `json:"destination_storage_policy_name"`
		UsedBytes   int64             `json:"replica_disk_usage"`
	}
	r := request{template: replicationTemplate + "/disks", ids: []string{pairing, id}, pairing: pairing}
	return listed(ctx, c, r, "", func(w wire) string { return w.Disk.Name() }, func(w wire) ReplicatedDisk {
		return ReplicatedDisk{
			Disk: w.Disk, Replicated: w.Replicated, DatastoreID: w.Destination.DatastoreID, DatastoreName: w.Destination.DatastoreName,
			Path: w.Destination.join(), PolicyID: w.PolicyID, PolicyName: w.PolicyName, UsedBytes: w.UsedBytes,
		}
	})
}

// Issue is something that is wrong with a replication or one of its sites.
type Issue struct {
	Entity, EntityName, Description string
	// Status is WARNING or ERROR; Type is VC, VRS, VRMS or UNKNOWN.
	Status, Type string
	At           time.Time
}

// Issues lists what is wrong with the replications of a pairing; a gateway without such a list has none to tell.
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
	issues, err := listed(ctx, c, r, "", key, func(w wire) Issue {
		return Issue{Entity: w.Entity, EntityName: w.EntityName, Description: w.Description, Status: w.Status, Type: w.Type, At: instant(w.At)}
	})
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	return issues, err
}
