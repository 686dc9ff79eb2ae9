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
	pairings     []vr.Pairing
	replications []vr.Replication
	// capable counts VMs whose capabilities were read; encrypted counts encrypted ones among them.
	capable, encrypted int
	// remoteRefused: the remote site refused the user. Further attempts could lock the account.
	remoteRefused bool
}

const (
	// sampledVMs is the number of replicated VMs whose capabilities are read.
	sampledVMs = 3
	// sampledPairings is the number of pairings that are read: an appliance accepts 50 requests a minute.
	sampledPairings = 5
)

// statuses are the known statuses, without the suffix of a violated RPO.
var statuses = []string{
	"OK", "SYNC", "FULL_SYNC", "INITIAL_FULL_SYNC", "PAUSED", "RPO_VIOLATION", "MOVING", "ERROR", "CONFIGURING",
	"NOT_ACTIVE", "UNKNOWN", "RECOVERING", "RECOVERED", "DISK_RESIZING", "RECONFIGURING",
}

// examineAppliance reads pairings, replications and capabilities. It skips a user that vCenter has refused, because
// accounts are locked.
func (s *session) examineAppliance(ctx context.Context, client *vr.Client) {
	switch {
	case client == nil:
		s.report.Appliance = append(s.report.Appliance,
			"Not checked: VSLA_REPLICATION_SERVER and --replication-server are not set.")
		return
	case ctx.Err() != nil:
		s.report.Appliance = append(s.report.Appliance, "Not checked: interrupted.")
		return
	case s.report.loginRefused && s.settings.Replication.User == s.settings.User:
		s.report.Appliance = append(s.report.Appliance,
			"Not checked: vCenter refused the same user, and another attempt could lock the account.")
		return
	}
	a := &replicating{session: s, client: client}
	pairings, err := client.Pairings(ctx)
	if err != nil {
		s.report.Failed = append(s.report.Failed, "vSphere Replication: "+reason(err)+".")
		return
	}
	a.pairings = pairings
	if more := len(pairings) - sampledPairings; more > 0 {
		a.describe(counted(more, "pairing was", "pairings were") + " left out.")
	}
	for _, p := range pairings[:min(sampledPairings, len(pairings))] {
		if a.remoteRefused && !p.Single() {
			a.describe("Another pairing was not read, because the remote user was refused.")
			continue
		}
		a.examinePairing(ctx, p)
	}
	a.checks()
}

func (a *replicating) examinePairing(ctx context.Context, p vr.Pairing) {
	if both, err := a.client.Pairing(ctx, p.ID); err == nil {
		p = both
	}
	kind := "A pairing of two sites"
	if p.Single() {
		kind = "A pairing of a site with itself"
	}
	a.describe(fmt.Sprintf("%s, releases %s and %s, status %s.", kind, a.version(p.Local.VRMSVersion),
		a.version(p.Remote.VRMSVersion), known([]string{"OK", "WARNING", "ERROR"}, worse(p), "{unknown status}")))
	if servers, err := a.client.ReplicationServers(ctx, p.ID, p.Local.VRMSID); err == nil {
		a.describe(counted(len(servers), "replication server", "replication servers") + " at the local site.")
	}
	list, incomplete, err := a.client.Judgeable(ctx, p.ID)
	if err != nil {
		a.remoteRefused = errors.Is(err, vr.ErrRemoteLogin)
		a.describe("The replications of the pairing were not read: " + reason(err) + ".")
		return
	}
	a.describe(counted(len(list), "replication", "replications") + " in the pairing.")
	var fields []string
	for _, lacks := range incomplete {
		fields = append(fields, "`"+vr.MissingField(lacks)+"`")
	}
	if len(fields) > 0 {
		a.describe("Replications that lack a field although both sites answer: " + countedList(fields) + ".")
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
		if capability.Encrypted {
			a.encrypted++
		}
		a.describe(
			fmt.Sprintf("A replicated VM: RPO from %s, quiescing %s, compression %s, points in time %s, encryption %s.",
				counted(int(capability.MinRPOMinutes), "minute", "minutes"), yes(capability.Quiescing),
				yes(capability.Compression), yes(capability.PointInTime), yes(capability.Encryption)),
		)
	}
}

// worse returns the status of a site that is not OK.
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

func (a *replicating) describe(sentence string) {
	a.report.Appliance = append(a.report.Appliance, sentence)
}

func (a *replicating) count(matches func(vr.Replication) bool) int {
	n := 0
	for _, r := range a.replications {
		if matches(r) {
			n++
		}
	}
	return n
}

func (a *replicating) checks() {
	a.sorting()
	a.pages()
	if len(a.replications) == 0 {
		for _, id := range []string{"enhanced-replication", "encryption", "points-in-time", "status-words"} {
			a.report.check(id, Unknown, "There is no replication to read.")
		}
	} else {
		a.options()
		a.statusWords()
	}
	a.syncBytes()
	a.requestLimit()
}

// shownSyncs limits the listed syncs. comparedWithin is the maximum distance of the two times of a sync.
const (
	shownSyncs     = 5
	comparedWithin = 5 * time.Minute
)

// syncBytes compares the sizes of newest syncs in the event log with those of the appliance.
func (a *replicating) syncBytes() {
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
			a.describe(fmt.Sprintf("A VM whose newest event has %d bytes has a last_sync_size of %d; the event is %.0f s later.",
				e.Bytes, r.Status.LastSyncSizeBytes, apart.Seconds()))
		}
	}
	switch {
	case differ > 0:
		a.report.check("sync-bytes", Differs, fmt.Sprintf(
			"%d of %d syncs have another size in the event log.", differ, same+differ,
		))
	case same > 0:
		a.report.check("sync-bytes", OK, counted(same, "sync has", "syncs have")+" the same size in the event log.")
	default:
		a.report.check("sync-bytes", Unknown, "No sync is both in the event log and reported by the appliance.")
	}
}

func ofAppliance(e exchange) bool { return strings.HasPrefix(e.request, applianceNames.service+" ") }

func (a *replicating) sorting() {
	sorted := func(e exchange) bool { return ofAppliance(e) && strings.Contains(e.request, "sort_by=") }
	switch {
	case a.record.statuses(http.StatusBadRequest, sorted) > 0:
		a.report.check("sorted-lists", Differs, "A list cannot be sorted by the property that vsla asks for; it reads the "+
			"list unsorted then.")
	case a.record.statuses(http.StatusOK, sorted) > 0:
		a.report.check("sorted-lists", OK, "Lists are sorted by id, as vsla asks.")
	default:
		a.report.check("sorted-lists", Unknown, "No list was read.")
	}
}

func (a *replicating) pages() {
	lists := func(e exchange) bool {
		return ofAppliance(e) && slices.Contains(strings.Split(e.answered, ", "), "list")
	}
	ended := func(e exchange) bool {
		return lists(e) && (e.total == wholeTotal || slices.Contains(strings.Split(e.answered, ", "), "links"))
	}
	unread := func(e exchange) bool { return lists(e) && e.total == otherTotal }
	switch all := a.record.statuses(http.StatusOK, lists); {
	case all == 0:
		a.report.check("list-totals", Unknown, "No list was read.")
	case a.record.statuses(http.StatusOK, unread) > 0:
		a.report.check("list-totals", Differs, "A list has a total that is not a whole number, which vsla cannot read.")
	case a.record.statuses(http.StatusOK, ended) < all:
		a.report.check("list-totals", Differs, "A list has neither a total nor links, so that its end is an empty page.")
	default:
		a.report.check("list-totals", OK, "Every list has a total or links, which show its end.")
	}
}

func (a *replicating) options() {
	all := len(a.replications)
	enhanced := a.count(func(r vr.Replication) bool { return r.Enhanced != vr.FlagUnset })
	switch enhanced {
	case all:
		a.report.check("enhanced-replication", OK, "Every replication reports enhanced_replication, which vsla sends back.")
	case 0:
		a.report.check("enhanced-replication", OK, "No replication reports enhanced_replication, so vsla leaves it out.")
	default:
		a.report.check("enhanced-replication", Differs, fmt.Sprintf("%d of %d replications report enhanced_replication.",
			enhanced, all))
	}
	encrypted := a.count(func(r vr.Replication) bool { return r.Encryption })
	a.report.check("encryption", Unknown, fmt.Sprintf(
		"%d of %d replications encrypt, and %d of %d VMs that were read are encrypted; whether the appliance insists is "+
			"seen by a change only.",
		encrypted,
		all,
		a.encrypted,
		a.capable,
	))
	days := a.count(func(r vr.Replication) bool { return r.PointInTime && r.InstanceDays == 0 })
	if days > 0 {
		a.report.check("points-in-time", OK, fmt.Sprintf("%s a number of points in time with 0 days, which vsla keeps.",
			counted(days, "replication has", "replications have")))
	} else {
		a.report.check("points-in-time", Unknown, "No replication keeps points in time with 0 days.")
	}
}

func (a *replicating) statusWords() {
	unknown := a.count(func(r vr.Replication) bool {
		return !slices.Contains(statuses, strings.TrimSuffix(r.Status.Word, "_RPO_VIOLATION")) &&
			!slices.Contains(statuses, r.Status.Word)
	})
	busy := a.count(func(r vr.Replication) bool { return r.ConfigurationState == "IN_PROGRESS" })
	noStatus := a.count(func(r vr.Replication) bool { return r.Status.Is("UNKNOWN") })
	if unknown > 0 {
		a.report.check("status-words", Differs, fmt.Sprintf(
			"%s a status that vsla does not know.", counted(unknown, "replication has", "replications have"),
		))
		return
	}
	a.report.check("status-words", OK, fmt.Sprintf(
		"Every status is one that vsla knows; %d busy, %d of status UNKNOWN, which vsla does not change.", busy, noStatus,
	))
}

func (a *replicating) requestLimit() {
	sent, refused := 0, 0
	list, _ := a.record.all()
	for _, e := range list {
		if ofAppliance(e) {
			sent += e.count
		}
	}
	for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
		refused += a.record.statuses(status, ofAppliance)
	}
	if refused > 0 {
		a.report.check("request-limit", OK, fmt.Sprintf(
			"%s refused for load, and vsla waited.", counted(refused, "request was", "requests were"),
		))
		return
	}
	a.report.check("request-limit", Unknown, fmt.Sprintf(
		"None of %s was refused for load.", counted(sent, "request", "requests"),
	))
}
