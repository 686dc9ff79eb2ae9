package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"terraform-provider-vsla/internal/vr"
)

type replicating struct {
	*session

	client       *vr.Client
	replications []vr.Replication
	// capable is the number of VMs whose capabilities were read.
	capable int
	// remoteRefused is true if the remote site has rejected the login. Further attempts could lock the account.
	remoteRefused bool
}

const (
	// sampledVMs is the maximum number of replicated VMs whose capabilities are read.
	sampledVMs = 3
	// sampledPairings is the maximum number of pairings that are read. It is limited because an appliance accepts only 50
	// requests per minute.
	sampledPairings = 5
)

// statuses are the known status values, without the suffix _RPO_VIOLATION.
var statuses = []string{
	"OK", "SYNC", "FULL_SYNC", "INITIAL_FULL_SYNC", "PAUSED", "RPO_VIOLATION", "MOVING", "ERROR", "CONFIGURING",
	"NOT_ACTIVE", "UNKNOWN", "RECOVERING", "RECOVERED", "DISK_RESIZING", "RECONFIGURING",
}

func (s *session) examineAppliance(ctx context.Context, client *vr.Client) {
	a := &replicating{session: s, client: client}
	pairings, err := client.Pairings(ctx)
	if err != nil {
		s.report.Failed.add("vSphere Replication: %s.", reason(err))
		return
	}
	if more := len(pairings) - sampledPairings; more > 0 {
		a.report.Appliance.add("%s left out.", counted(more, "pairing was", "pairings were"))
	}
	for _, p := range pairings[:min(sampledPairings, len(pairings))] {
		if a.remoteRefused && !p.IsSingleVCenter() {
			a.report.Appliance.add("Another pairing was not read, because the remote user was refused.")
			continue
		}
		a.examinePairing(ctx, p)
	}
	for _, check := range applianceChecks {
		result, meaning := check.run(a)
		s.report.check(check.id, result, meaning)
	}
}

func (a *replicating) examinePairing(ctx context.Context, p vr.Pairing) {
	if both, err := a.client.Pairing(ctx, p.ID); err == nil {
		p = both
	}
	kind := "A pairing of two sites"
	if p.IsSingleVCenter() {
		kind = "A pairing of a site with itself"
	}
	a.report.Appliance.add("%s, releases %s and %s, status %s.", kind, a.version(p.Local.VRMSVersion),
		a.version(p.Remote.VRMSVersion), known([]string{"OK", "WARNING", "ERROR"}, worse(p), "{unknown status}"))
	if servers, err := a.client.ReplicationServers(ctx, p.ID, p.Local.VRMSID); err == nil {
		a.report.Appliance.add("%s at the local site.", counted(len(servers), "replication server", "replication servers"))
	}
	list, incomplete, err := a.client.AllReplications(ctx, p.ID)
	if err != nil {
		a.remoteRefused = errors.Is(err, vr.ErrRemoteLogin)
		a.report.Appliance.add("The replications of the pairing were not read: %s.", reason(err))
		return
	}
	a.report.Appliance.add("%s in the pairing.", counted(len(list), "replication", "replications"))
	var fields []string
	for _, lacks := range incomplete {
		fields = append(fields, "`"+vr.MissingField(lacks)+"`")
	}
	if len(fields) > 0 {
		a.report.Appliance.add("Replications that lack a field although both sites answer: %s.", countedList(fields))
	}
	a.replications = append(a.replications, list...)
	for _, r := range list {
		if a.capable == sampledVMs || r.VMID == "" {
			continue
		}
		capability, err := a.client.Capability(ctx, p.ID, r.SourceVCenterID, r.VMID)
		if err != nil {
			continue
		}
		a.capable++
		a.report.Appliance.add(
			"A replicated VM: RPO from %s, quiescing %s, compression %s, points in time %s, encryption %s.",
			counted(int(capability.MinRPOMinutes), "minute", "minutes"), yes(capability.Quiescing),
			yes(capability.Compression), yes(capability.PointInTime), yes(capability.Encryption))
	}
}

// worse returns the status of the local site unless it is OK. In that case, it returns the status of the remote site.
func worse(p vr.Pairing) string {
	if p.Local.Status != "OK" {
		return p.Local.Status
	}
	return p.Remote.Status
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// applianceChecks run in this order. Their IDs must never change, because published reports contain them.
var applianceChecks = []struct {
	id  string
	run func(*replicating) (Result, string)
}{
	{"sorted-lists", (*replicating).sorting},
	{"list-totals", (*replicating).totals},
	{"enhanced-replication", (*replicating).enhanced},
	{"points-in-time", (*replicating).pointsInTime},
	{"status-words", (*replicating).statusWords},
	{"sync-bytes", (*replicating).syncBytes},
}

func (a *replicating) sorting() (Result, string) {
	sorted := func(e exchange) bool { return ofAppliance(e) && strings.Contains(e.request, "sort_by=") }
	switch {
	case a.record.statuses(http.StatusBadRequest, sorted) > 0:
		return Differs, "A list cannot be sorted by the property that vsla asks for; it reads the list unsorted then."
	case a.record.statuses(http.StatusOK, sorted) > 0:
		return OK, "Lists are sorted by id, as vsla asks."
	default:
		return Unknown, "No list was read."
	}
}

func ofAppliance(e exchange) bool { return strings.HasPrefix(e.request, applianceNames.service+" ") }

func (a *replicating) totals() (Result, string) {
	has := func(e exchange, name string) bool { return slices.Contains(strings.Split(e.answered, ", "), name) }
	lists := func(e exchange) bool { return ofAppliance(e) && has(e, "list") }
	ended := func(e exchange) bool { return lists(e) && (e.total == wholeTotal || has(e, "links")) }
	unread := func(e exchange) bool { return lists(e) && e.total == otherTotal }
	switch all := a.record.statuses(http.StatusOK, lists); {
	case all == 0:
		return Unknown, "No list was read."
	case a.record.statuses(http.StatusOK, unread) > 0:
		return Differs, "A list has a total that is not a whole number, which vsla cannot read."
	case a.record.statuses(http.StatusOK, ended) < all:
		return Differs, "A list has neither a total nor links, so that its end is an empty page."
	default:
		return OK, "Every list has a total or links, which show its end."
	}
}

// count returns the number of replications that match, and the number of all replications.
func (a *replicating) count(matches func(vr.Replication) bool) (n, all int) {
	for _, r := range a.replications {
		if matches(r) {
			n++
		}
	}
	return n, len(a.replications)
}

const nothingToRead = "There is no replication to read."

func (a *replicating) enhanced() (Result, string) {
	switch n, all := a.count(func(r vr.Replication) bool { return r.Enhanced != vr.FlagUnset }); {
	case all == 0:
		return Unknown, nothingToRead
	case n == all:
		return OK, "Every replication reports enhanced_replication, which vsla sends back."
	case n == 0:
		return OK, "No replication reports enhanced_replication, so vsla leaves it out."
	default:
		return Differs, fmt.Sprintf("%d of %d replications report enhanced_replication.", n, all)
	}
}

func (a *replicating) pointsInTime() (Result, string) {
	n, _ := a.count(func(r vr.Replication) bool { return r.PointInTime && r.InstanceDays == 0 })
	if n == 0 {
		return Unknown, "No replication keeps points in time with 0 days."
	}
	return OK, counted(n, "replication has", "replications have") +
		" a number of points in time with 0 days, which vsla keeps."
}

func (a *replicating) statusWords() (Result, string) {
	unknown, all := a.count(func(r vr.Replication) bool {
		return !slices.Contains(statuses, strings.TrimSuffix(r.Status.Code, "_RPO_VIOLATION")) &&
			!slices.Contains(statuses, r.Status.Code)
	})
	busy, _ := a.count(func(r vr.Replication) bool { return r.ConfigurationState == "IN_PROGRESS" })
	noStatus, _ := a.count(func(r vr.Replication) bool { return r.Status.Is("UNKNOWN") })
	switch {
	case all == 0:
		return Unknown, nothingToRead
	case unknown > 0:
		return Differs, counted(unknown, "replication has", "replications have") + " a status that vsla does not know."
	default:
		return OK, fmt.Sprintf("Every status is one that vsla knows; %d busy, %d of status UNKNOWN, which vsla does not "+
			"change.", busy, noStatus)
	}
}

// shownSyncs is the maximum number of syncs that are listed. comparedWithin is the maximum difference between two times
// that are considered to belong to the same sync.
const (
	shownSyncs     = 5
	comparedWithin = 5 * time.Minute
)

// syncBytes compares the sizes of the latest syncs according to vCenter's events and to the appliance.
func (a *replicating) syncBytes() (Result, string) {
	same, differ, other := 0, 0, 0
	for _, r := range a.replications {
		e, ok := a.newest[vr.MOIDOf(r.VMID)]
		if !ok || r.Status.LastSync.IsZero() {
			continue
		}
		apart := e.At.Sub(r.Status.LastSync)
		switch {
		case apart.Abs() > comparedWithin:
			other++
		case e.Bytes == r.Status.LastSyncSizeBytes:
			same++
		default:
			differ++
		}
		if same+differ+other <= shownSyncs {
			a.report.Appliance.add("A VM whose newest event has %d bytes has a last_sync_size of %d; the event is %.0f s later.",
				e.Bytes, r.Status.LastSyncSizeBytes, apart.Seconds())
		}
	}
	switch {
	case differ > 0:
		return Differs, fmt.Sprintf("%d of %d syncs have another size in the event log.", differ, same+differ)
	case same > 0:
		return OK, counted(same, "sync has", "syncs have") + " the same size in the event log."
	default:
		return Unknown, "No sync is both in the event log and reported by the appliance."
	}
}
