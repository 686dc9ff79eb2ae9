package gateway

import (
	"net/http"
	"strings"
	"time"

	"terraform-provider-vsla/internal/dev/lab/gateway/replica"
)

type replication struct {
	id     string
	vmID   string
	name   string
	target *site
	spec   replicationSpec
	disks  []*disk
	server *replicationServer
	engine *replica.Replica

	number         int // number of replications before this one was added
	created        time.Duration
	configuredAt   time.Duration // end of the last configuration
	busy           bool
	deleted        bool
	configured     int
	configState    string
	configError    *errorInfo
	solution       *string
	recoveryState  string
	statusOverride string // set by SetStatus
	vmDeleted      bool
	activeImage    bool
}

type disk struct {
	source vmDisk
	spec   diskSpec
	seeded bool
	// path is the disk's path on the target datastore.
	path string
}

func (g *Gateway) byID(id string) *replication {
	for _, r := range g.replications {
		if r.id == id {
			return r
		}
	}
	return nil
}

func (g *Gateway) byVM(id string) *replication {
	for _, r := range g.replications {
		if r.vmID == id || moidOf(r.vmID) == id {
			return r
		}
	}
	return nil
}

func (g *Gateway) replicationOf(c *call) *replication {
	r := g.byID(c.r.PathValue("replication_id"))
	if r == nil || strings.EqualFold(c.r.PathValue("pairing_id"), g.selfPairing) {
		g.writeStatus(c, http.StatusNotFound)
		return nil
	}
	return r
}

func (g *Gateway) syncVMStates() {
	for _, r := range g.replications {
		m, ok := g.local.vc.VMState(moidOf(r.vmID))
		if !ok {
			if !r.vmDeleted {
				r.vmDeleted = true
				r.engine.Fail(
					replica.Fault{Message: "The VM does not exist.", Details: "vCenter has no VM " + r.vmID + "."},
				)
			}
			continue
		}
		r.engine.SetPower(m.PowerState == "poweredOn")
	}
}

func (r *replication) disk(key int32) *disk {
	for _, d := range r.disks {
		if d.source.key() == key {
			return d
		}
	}
	return nil
}

func (r *replication) status() replicationStatus {
	violated := r.engine.Overdue() > 0
	base := string(r.engine.State())
	switch {
	case r.statusOverride != "":
		return replicationStatus{Status: r.statusOverride, RPOViolation: violated}
	case r.busy:
		base = string(replica.Configuring)
	}
	if violated {
		switch replica.State(base) {
		case replica.DeltaSync, replica.FullSync, replica.NotActive, replica.Failed:
			base += "_RPO_VIOLATION"
		case replica.OK:
			base = "RPO_VIOLATION"
		case replica.Configuring, replica.InitialSync, replica.Moving, replica.Paused: // no suffix in these states
		}
	}
	return replicationStatus{Status: base, RPOViolation: violated}
}

var remoteFields = []string{
	"target_site_name",
	"replication_server_name",
	"target_replication_server_uuid",
	"recovery_state",
}

func (g *Gateway) infoOf(r *replication, missing bool) replicationInfo {
	status := r.status()
	info := replicationInfo{
		Name:                r.name,
		ID:                  r.id,
		VMID:                new(r.vmID),
		SourceSiteName:      g.local.name,
		SourceVCID:          g.local.vcID,
		TargetSiteName:      r.target.name,
		TargetVCID:          r.target.vcID,
		Status:              &status,
		RPO:                 r.spec.RPO,
		Type:                "VC_TO_VC",
		ServerName:          r.server.Name,
		ServerUUID:          r.server.UUID,
		RecoverySolution:    r.solution,
		ConfigurationState:  r.configState,
		ConfigurationError:  r.configError,
		RecoveryState:       r.recoveryState,
		CurrentRPOViolation: int64(r.engine.Overdue() / time.Minute),
		Quiescing:           r.spec.Quiesce,
		NetworkCompression:  r.spec.NetworkCompression,
		AutoReplicate:       r.spec.AutoReplicate,
		MPIT:                r.spec.MPIT,
		MPITInstances:       r.spec.MPITInstances,
		MPITDays:            r.spec.MPITDays,
		VMDataSets:          r.spec.VMDataSets,
	}
	if !g.config.Switches.Latest.OmitOptional {
		info.Encryption = &r.spec.Encryption
	}
	if g.config.Switches.Enhanced {
		info.EnhancedReplication = new(r.spec.Enhanced != nil && *r.spec.Enhanced)
	}
	if f := r.engine.Fault(); f != nil && r.configError == nil {
		info.LastGroupError = &errorInfo{Message: f.Message, Details: f.Details}
	}
	if last, ok := r.engine.LastSync(); ok {
		info.LastSyncTime = millis(last.End)
		info.LastSyncSize = last.Bytes
		info.LastSyncDuration = int64((last.End - last.Start + time.Second - 1) / time.Second)
	}
	if p, ok := r.engine.Progress(); ok {
		info.SyncProgress = &syncProgress{
			Progress:           p.Percent,
			ChecksumCurrent:    p.ChecksumDone,
			ChecksumTotal:      p.ChecksumTotal,
			TransferredCurrent: p.TransferDone,
			TransferredTotal:   p.TransferTotal,
		}
	}
	if missing {
		info.TargetSiteName = ""
		info.ServerName = nil
		info.ServerUUID = nil
		info.RecoveryState = ""
	}
	return info
}

func (g *Gateway) listReplications(c *call) {
	q := c.r.URL.Query()
	if _, err := flag(q, "extended_info"); err != nil {
		g.writeBadRequest(c, err.Error())
		return
	}
	if q.Has("source_vc_guid") && !isUUID(q.Get("source_vc_guid")) {
		g.writeBadRequest(c, "source_vc_guid is not a UUID")
		return
	}
	list := []replicationInfo{}
	dropped := c.missing && g.config.Switches.PartialDropsRows
	for _, r := range g.replications {
		hidden := g.engine.Now() < r.created+g.config.Switches.HideFor
		elsewhere := q.Has("source_vc_guid") && !strings.EqualFold(q.Get("source_vc_guid"), g.local.vcID)
		if hidden || elsewhere || dropped || strings.EqualFold(c.r.PathValue("pairing_id"), g.selfPairing) {
			continue
		}
		list = append(list, g.infoOf(r, c.missing))
	}
	writePage(g, c, list, func(rows []replicationInfo) (lacks []metaError) {
		if dropped {
			return missingFields("$", "list")
		}
		return eachMissing(c, len(rows), remoteFields...)
	})
}

func (g *Gateway) getReplication(c *call) {
	if r := g.replicationOf(c); r != nil {
		info := g.infoOf(r, c.missing)
		info.Meta = g.newMeta(c.missing, remoteFields...)
		g.writeJSON(c, http.StatusOK, info)
	}
}

func (g *Gateway) replicationIssues(c *call) {
	if q := c.r.URL.Query(); q.Has("source_vc_guid") && !isUUID(q.Get("source_vc_guid")) {
		g.writeBadRequest(c, "source_vc_guid is not a UUID")
		return
	}
	list := []issue{}
	for _, r := range g.replications {
		if f := r.engine.Fault(); f != nil {
			list = append(list, issue{
				Entity:      r.id,
				EntityName:  new(r.name),
				Description: f.Message,
				Timestamp:   millis(g.engine.Now()),
				Status:      "ERROR",
				IssueType:   "UNKNOWN",
			})
		}
	}
	writePage(g, c, list, nil)
}

func eachMissing(c *call, rows int, names ...string) (lacks []metaError) {
	for i := range rows {
		if c.missing {
			lacks = append(lacks, missingFields(rowPath("$.list", i), names...)...)
		}
	}
	return lacks
}
