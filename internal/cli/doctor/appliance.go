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

type applianceExaminer struct {
	*session

	client       *vr.Client
	replications []vr.Replication
	// capabilityCount is the number of VMs whose capabilities were read.
	capabilityCount int
	// remoteRefused is true if the remote site has rejected the login. Further attempts could lock the account.
	remoteRefused bool
}

const (
	// sampledVMs is the maximum number of replicated VMs whose capabilities are read.
	sampledVMs = 3
	// sampledPairings is the maximum number of pairings that are read. It is limited because an appliance accepts only
	// 50 requests per minute.
	sampledPairings = 5
)

// statuses contains the known status values, without the suffix _RPO_VIOLATION.
var statuses = []string{
	"OK", "SYNC", "FULL_SYNC", "INITIAL_FULL_SYNC", "PAUSED", "RPO_VIOLATION", "MOVING", "ERROR", "CONFIGURING",
	"NOT_ACTIVE", "UNKNOWN", "RECOVERING", "RECOVERED", "DISK_RESIZING", "RECONFIGURING",
}

func (s *session) examineAppliance(ctx context.Context, client *vr.Client) {
	a := &applianceExaminer{session: s, client: client}
	pairings, err := client.Pairings(ctx)
	if err != nil {
		s.report.Failed.add("vSphere Replication: %s.", reason(err))
		return
	}
	if more := len(pairings) - sampledPairings; more > 0 {
		a.report.Appliance.add("%s skipped.", countText(more, "pairing was", "pairings were"))
	}
	for _, p := range pairings[:min(sampledPairings, len(pairings))] {
		if a.remoteRefused && !p.IsSingleVCenter() {
			a.report.Appliance.add(
				"Another pairing was skipped, because the remote site rejected the user or password.",
			)
			continue
		}
		a.examinePairing(ctx, p)
	}
	for _, check := range applianceChecks {
		result, meaning := check.run(a)
		s.report.addCheck(check.id, result, meaning)
	}
}

func (a *applianceExaminer) examinePairing(ctx context.Context, p vr.Pairing) {
	if both, err := a.client.Pairing(ctx, p.ID); err == nil {
		p = both
	}
	kind := "A pairing of two sites"
	if p.IsSingleVCenter() {
		kind = "A pairing of a site with itself"
	}
	a.report.Appliance.add(
		"%s, releases %s and %s, status %s.",
		kind,
		a.versionText(p.Local.VRMSVersion),
		a.versionText(p.Remote.VRMSVersion),
		knownOr([]string{"OK", "WARNING", "ERROR"}, worseStatus(p), "{unknown status}"),
	)
	if servers, err := a.client.ReplicationServers(ctx, p.ID, p.Local.VRMSID); err == nil {
		a.report.Appliance.add(
			"%s at the local site.",
			countText(len(servers), "replication server", "replication servers"),
		)
	}
	list, incomplete, err := a.client.AllReplications(ctx, p.ID)
	if err != nil {
		a.remoteRefused = errors.Is(err, vr.ErrRemoteLogin)
		to := &a.report.Failed
		if errors.Is(err, vr.ErrNoRemoteUser) { // the other site was not to be checked
			to = &a.report.Appliance
		}
		to.add("vSphere Replication: the replications of the pairing could not be read: %s.", reason(err))
		return
	}
	a.report.Appliance.add("%s in the pairing.", countText(len(list), "replication", "replications"))
	var fields []string
	for _, lacks := range incomplete {
		fields = append(fields, "`"+vr.MissingField(lacks)+"`")
	}
	if len(fields) > 0 {
		a.report.Appliance.add(
			"Fields missing in replications, although both sites respond: %s.",
			countedListText(fields),
		)
	}
	a.replications = append(a.replications, list...)
	for _, r := range list {
		if a.capabilityCount == sampledVMs || r.VMID == "" {
			continue
		}
		capability, err := a.client.Capability(ctx, p.ID, r.SourceVCenterID, r.VMID)
		if err != nil {
			continue
		}
		a.capabilityCount++
		a.report.Appliance.add(
			"Capabilities of a replicated VM: minimum RPO %s, quiescing %s, compression %s, points in time %s, "+
				"encryption %s.",
			countText(int(capability.MinRPOMinutes), "minute", "minutes"),
			yesNo(capability.Quiescing),
			yesNo(capability.Compression),
			yesNo(capability.PointInTime),
			yesNo(capability.Encryption),
		)
	}
}

func worseStatus(p vr.Pairing) string {
	if p.Local.Status != "OK" {
		return p.Local.Status
	}
	return p.Remote.Status
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// applianceChecks lists the appliance checks in the order in which they run. Their IDs must never change, because
// published reports contain them.
var applianceChecks = []struct {
	id  string
	run func(*applianceExaminer) (Result, string)
}{
	{"sorted-lists", (*applianceExaminer).checkSorting},
	{"list-totals", (*applianceExaminer).checkTotals},
	{"enhanced-replication", (*applianceExaminer).checkEnhanced},
	{"points-in-time", (*applianceExaminer).checkPointsInTime},
	{"status-words", (*applianceExaminer).checkStatusWords},
	{"sync-bytes", (*applianceExaminer).checkSyncBytes},
}

func (a *applianceExaminer) checkSorting() (Result, string) {
	sorted := func(e exchange) bool { return isApplianceRequest(e) && strings.Contains(e.request, "sort_by=") }
	switch {
	case a.exchanges.countStatus(http.StatusBadRequest, sorted) > 0:
		return Differs, "A list cannot be sorted by the requested property, so vsla reads it unsorted."
	case a.exchanges.countStatus(http.StatusOK, sorted) > 0:
		return OK, "Lists are sorted by ID, as requested."
	default:
		return Unknown, "No list was read."
	}
}

func isApplianceRequest(e exchange) bool {
	return strings.HasPrefix(e.request, serviceAppliance+" ")
}

func (a *applianceExaminer) checkTotals() (Result, string) {
	has := func(e exchange, name string) bool {
		return slices.Contains(strings.Split(e.responseFields, ", "), name)
	}
	lists := func(e exchange) bool { return isApplianceRequest(e) && has(e, "list") }
	ended := func(e exchange) bool { return lists(e) && (e.total == integerTotal || has(e, "links")) }
	unread := func(e exchange) bool { return lists(e) && e.total == otherTotal }
	switch all := a.exchanges.countStatus(http.StatusOK, lists); {
	case all == 0:
		return Unknown, "No list was read."
	case a.exchanges.countStatus(http.StatusOK, unread) > 0:
		return Differs, "The total of a list is not an integer, so vsla cannot read the list."
	case a.exchanges.countStatus(http.StatusOK, ended) < all:
		return Differs, "A list has neither a total nor links, so vsla reads until an empty page."
	default:
		return OK, "All lists have a total or links, which mark the end."
	}
}

func (a *applianceExaminer) count(matches func(vr.Replication) bool) (n, all int) {
	for _, r := range a.replications {
		if matches(r) {
			n++
		}
	}
	return n, len(a.replications)
}

const noReplication = "There are no replications."

func (a *applianceExaminer) checkEnhanced() (Result, string) {
	switch n, all := a.count(func(r vr.Replication) bool { return r.Enhanced != vr.FlagUnset }); {
	case all == 0:
		return Unknown, noReplication
	case n == all:
		return OK, "All replications report enhanced_replication, so vsla includes it in updates."
	case n == 0:
		return OK, "No replication reports enhanced_replication, so vsla omits it."
	default:
		return Differs, fmt.Sprintf("%d of %d replications report enhanced_replication.", n, all)
	}
}

func (a *applianceExaminer) checkPointsInTime() (Result, string) {
	n, _ := a.count(func(r vr.Replication) bool { return r.PointInTime && r.InstanceDays == 0 })
	if n == 0 {
		return Unknown, "No replication keeps points in time with 0 days."
	}
	return OK, countText(n, "replication keeps", "replications keep") +
		" a number of points in time with 0 days. vsla preserves this setting."
}

func (a *applianceExaminer) checkStatusWords() (Result, string) {
	unknown, all := a.count(func(r vr.Replication) bool {
		return !slices.Contains(statuses, strings.TrimSuffix(r.Status.Code, "_RPO_VIOLATION")) &&
			!slices.Contains(statuses, r.Status.Code)
	})
	busy, _ := a.count(func(r vr.Replication) bool { return r.ConfigurationState == "IN_PROGRESS" })
	noStatus, _ := a.count(func(r vr.Replication) bool { return r.Status.Is("UNKNOWN") })
	switch {
	case all == 0:
		return Unknown, noReplication
	case unknown > 0:
		return Differs, countText(unknown, "replication has", "replications have") + " a status that vsla does not " +
			"support."
	default:
		return OK, fmt.Sprintf("All statuses are supported. Configuration in progress: %d. Status UNKNOWN, not "+
			"changed by vsla: %d.", busy, noStatus)
	}
}

// maxSyncs is the maximum number of syncs in the report. Times that differ by at most maxSyncOffset are considered to
// belong to the same sync.
const (
	maxSyncs      = 5
	maxSyncOffset = 5 * time.Minute
)

// checkSyncBytes compares the sizes of the latest syncs in vCenter's events with the sizes that the appliance reports.
func (a *applianceExaminer) checkSyncBytes() (Result, string) {
	same := 0
	differ := 0
	other := 0
	for _, r := range a.replications {
		e, ok := a.latestSync[vr.MOIDOf(r.VMID)]
		if !ok || r.Status.LastSync.IsZero() {
			continue
		}
		apart := e.At.Sub(r.Status.LastSync)
		switch {
		case apart.Abs() > maxSyncOffset:
			other++
		case e.Bytes == r.Status.LastSyncSizeBytes:
			same++
		default:
			differ++
		}
		if same+differ+other <= maxSyncs {
			a.report.Appliance.add(
				"Latest sync of a VM: event %d bytes, last_sync_size %d bytes. The event is %.0f s later.",
				e.Bytes,
				r.Status.LastSyncSizeBytes,
				apart.Seconds(),
			)
		}
	}
	switch {
	case differ > 0:
		return Differs, fmt.Sprintf(
			"%d of %d syncs have different sizes in the event log and at the appliance.",
			differ,
			same+differ,
		)
	case same > 0:
		return OK, countText(same, "sync has", "syncs have") + " the same size in the event log and at the appliance."
	default:
		return Unknown, "No sync is in the event log and also reported by the appliance."
	}
}
