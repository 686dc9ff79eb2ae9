package gateway

import (
	"slices"
	"time"

	"terraform-provider-vsla/internal/dev/lab/gateway/replica"
)

// Replication is a replication as recorded by the appliance.
type Replication struct {
	ID            string
	VM            string
	Name          string
	RPOMinutes    int64
	Quiesce       bool
	Compression   bool
	Encryption    bool
	AutoReplicate bool
	MPIT          bool
	DataSets      bool
	Enhanced      bool
	MPITInstances int32
	MPITDays      int32
	// ServerID identifies the server in use. AskedServerID identifies the requested server, and is empty if none was
	// requested.
	ServerID           string
	AskedServerID      string
	Disks              []Disk
	Status             string
	RPOViolation       bool
	Paused             bool
	ConfigurationState string
	// Configured is the number of successful configurations, including the first.
	Configured int
	// Syncs contains the latest syncs, newest last. SyncCount is the total number of syncs.
	Syncs      []Sync
	SyncCount  int
	Violations []Violation
}

// Disk is a disk of a replicated VM. Key is 0 for the VM's home folder.
type Disk struct {
	Key         int32
	Home        bool
	Replicated  bool
	Seeded      bool
	DatastoreID string
	PolicyID    string
	Format      string
	// Path is the disk's path on the target datastore.
	Path string
}

// Sync is a completed sync.
type Sync struct {
	Start, End time.Time
	Bytes      int64
	Initial    bool
}

// Violation is a period during which the RPO was violated. End is zero while the violation lasts.
type Violation struct{ Start, End time.Time }

// Replications returns all replications in the order in which they were configured.
func (g *Gateway) Replications() []Replication {
	defer g.lock()()
	g.tick()
	list := make([]Replication, 0, len(g.replications))
	for _, r := range g.replications {
		list = append(list, r.record())
	}
	return list
}

func (r *replication) record() Replication {
	status := r.status()
	t := Replication{
		ID:                 r.id,
		VM:                 r.vmID,
		Name:               r.name,
		RPOMinutes:         r.spec.RPO,
		Quiesce:            r.spec.Quiesce,
		Compression:        r.spec.NetworkCompression,
		Encryption:         r.spec.Encryption,
		AutoReplicate:      r.spec.AutoReplicate,
		MPIT:               r.spec.MPIT,
		DataSets:           r.spec.VMDataSets,
		Enhanced:           r.spec.Enhanced != nil && *r.spec.Enhanced,
		MPITInstances:      r.spec.MPITInstances,
		MPITDays:           r.spec.MPITDays,
		ServerID:           r.server.ID,
		Status:             status.Status,
		RPOViolation:       status.RPOViolation,
		Paused:             r.engine.Paused(),
		ConfigurationState: r.configState,
		Configured:         r.configured,
		SyncCount:          r.engine.Count(),
	}
	if r.spec.ServerID != nil {
		t.AskedServerID = *r.spec.ServerID
	}
	for _, d := range r.disks {
		t.Disks = append(t.Disks, d.record())
	}
	for _, one := range r.engine.Syncs() {
		t.Syncs = append(t.Syncs, recordSync(one))
	}
	for _, v := range r.engine.Violations() {
		t.Violations = append(t.Violations, recordViolation(v))
	}
	return t
}

func (d *disk) record() Disk {
	t := Disk{
		Home:        d.source.IsVMHome,
		Replicated:  d.spec.Enabled,
		Seeded:      d.seeded,
		DatastoreID: d.spec.DatastoreID,
		Format:      d.spec.Format,
		Path:        d.path,
	}
	if d.source.DeviceKey != nil {
		t.Key = *d.source.DeviceKey
	}
	if d.spec.PolicyID != nil {
		t.PolicyID = *d.spec.PolicyID
	}
	return t
}

func recordSync(s replica.Sync) Sync {
	return Sync{
		Start:   Epoch.Add(s.Start),
		End:     Epoch.Add(s.End),
		Bytes:   s.Bytes,
		Initial: s.Kind == replica.Initial,
	}
}

func recordViolation(v replica.Violation) Violation {
	t := Violation{Start: Epoch.Add(v.Start)}
	if v.End != 0 {
		t.End = Epoch.Add(v.End)
	}
	return t
}

// Files returns the sorted paths of the disk files on a target datastore.
func (g *Gateway) Files(datastoreID string) []string {
	defer g.lock()()
	return g.filesOn(datastoreID)
}

// AccessLog returns an entry for each answered request.
func (g *Gateway) AccessLog() []Access {
	defer g.lock()()
	return slices.Clone(g.log)
}

// RemotePolicies returns the IDs of the remote site's storage policies: the datastore default, a policy that matches
// every datastore, and a policy that matches none.
func (g *Gateway) RemotePolicies() []string {
	var list []string
	for _, p := range g.remote.policies {
		list = append(list, p.ID)
	}
	return list
}
