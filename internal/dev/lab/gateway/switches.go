package gateway

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"time"

	"terraform-provider-vsla/internal/dev/lab/gateway/replica"
)

// Switches configure undocumented behavior. The zero value selects the defaults.
type Switches struct {
	// SessionTTL and SessionIdle are the maximum age and the idle timeout of local and remote sessions, in virtual
	// time. Both default to 5 minutes. A negative value means no limit.
	SessionTTL  time.Duration
	SessionIdle time.Duration
	// RemoteStatus is the response status if a required remote session is missing. The default is 401. A 401 response
	// has no body.
	RemoteStatus int
	// PartialSilent leaves _meta.errors empty even if data is missing. PartialDropsRows omits all replications if data
	// is missing.
	PartialSilent    bool
	PartialDropsRows bool
	// DownStatus is the response status of calls that need the remote site while it is down. The default is 500.
	DownStatus int

	// FailInTask answers an invalid request with a failed task instead of status 400.
	FailInTask bool
	// StrictState rejects pausing a paused replication, resuming a running one, and syncing in a state that does not
	// allow it.
	StrictState bool
	// SyncTaskWaits makes a sync task end when the sync ends instead of when it starts.
	SyncTaskWaits bool
	// Enhanced lowers the minimum RPO to 1 minute and adds the enhanced_replication field.
	Enhanced bool
	// Latest selects parts of the newest revision of the API.
	Latest Latest
	// BusyFor is how long a replication cannot be reconfigured after it was last configured.
	BusyFor time.Duration
	// NullServerMoves moves a replication to another server if a reconfiguration does not specify a server ("In case of
	// null, the server will be automatically determined"). By default the replication stays on its server.
	NullServerMoves bool
	// NeedThumbprint rejects reconnecting a disconnected pairing without the certificate thumbprint.
	NeedThumbprint bool
	// HideFor is how long lists omit a new replication.
	HideFor time.Duration

	// FilterContains makes filters match substrings.
	FilterContains bool
	// FilterByNameOnly returns 400 if filter_property is not name.
	FilterByNameOnly bool
	// SortByNameOnly returns 400 if sort_by is not name.
	SortByNameOnly bool
	// PageCap is the maximum page size of lists; 0 means no limit.
	PageCap int

	// RequireContentType returns 415 for requests without "Content-Type: application/json", even if they have no body.
	RequireContentType bool
	// Capitals writes the IDs of the vCenters in capitals, unlike the vCenters themselves.
	Capitals bool
	// SelfPairing lists an additional pairing of the site with itself.
	SelfPairing bool
	// Rule determines when a replication's next sync starts. The default is replica.NextStart.
	Rule replica.Rule

	// UsedFromInventory makes the initial sync transfer the used bytes that vCenter reports. By default, or if vCenter
	// reports none, it transfers the full capacity. SetUsed overrides both.
	UsedFromInventory bool
	// ChangeRate is the default change rate of running VMs, in bytes per second. SetChangeRate overrides it.
	ChangeRate float64

	// Limits are the request limits. By default there are none; DefaultLimits returns the documented limits.
	Limits Limits
}

// Latest selects parts of the newest revision of the API, which were released in several steps. Without a part, its
// fields are missing and its operations return 404.
type Latest struct {
	// DiskFormat adds destination_disk_format to the replicas.
	DiskFormat bool
	// ActiveImage adds the image of a test recovery.
	ActiveImage bool
	// Mappings adds the replication mappings and their tests.
	Mappings bool
	// Capabilities adds the capabilities of a pairing and its VMs.
	Capabilities bool
	// BuildNumber adds build_number to servers.
	BuildNumber bool
	// OmitOptional omits fields that are optional: encryption_enabled of a replication, and replicated of a disk.
	OmitOptional bool
	// OmitDisks omits the disks of a list of VMs unless include_disks is set.
	OmitDisks bool
}

// AllOfLatest returns all parts of the newest revision.
func AllOfLatest() Latest {
	return Latest{DiskFormat: true, ActiveImage: true, Mappings: true, Capabilities: true, BuildNumber: true}
}

// Limits are the maximum numbers of requests per window for a client address, the whole service and a session. 0 means
// no limit.
type Limits struct {
	IP, Service, Session int
	// Window is measured on the virtual clock. The default is 60 s.
	Window time.Duration
	// Status is the status of rejected requests, 429 by default. RetryAfter adds the Retry-After header.
	Status     int
	RetryAfter bool
}

// DefaultLimits returns the documented limits of a new appliance, in requests per minute: 100 from one address, 50 in
// one session and 1,000 in total.
func DefaultLimits() Limits { return Limits{IP: 100, Service: 1000, Session: 50, RetryAfter: true} }

const (
	// moveRate and checksumRate are in bytes per second.
	moveRate, checksumRate = 100e6, 100e6
	// compression is the compressed size relative to the original size. seedDelta is the fraction of a seeded disk that
	// still has to be transferred.
	compression, seedDelta = 0.5, 0.1
)

const pageSize, maxInstances = 100, 24

func (s Switches) withDefaults() Switches {
	s.SessionTTL = cmp.Or(s.SessionTTL, 5*time.Minute)
	s.SessionIdle = cmp.Or(s.SessionIdle, 5*time.Minute)
	s.RemoteStatus = cmp.Or(s.RemoteStatus, 401)
	s.DownStatus = cmp.Or(s.DownStatus, 500)
	s.Limits.Window = cmp.Or(s.Limits.Window, time.Minute)
	s.Limits.Status = cmp.Or(s.Limits.Status, 429)
	return s
}

type answerChange struct {
	operation string
	times     int
	change    func(map[string]any)
}

// ChangeAnswers modifies the JSON of an operation's next responses, or of all later responses if times is 0.
// Config.Wrap sees the original responses. change must not call methods of the Gateway, because it is locked.
func (g *Gateway) ChangeAnswers(operationID string, times int, change func(answer map[string]any)) {
	defer g.lock()()
	if times == 0 {
		times = -1
	}
	g.answerChanges = append(g.answerChanges, &answerChange{operation: operationID, times: times, change: change})
}

func (g *Gateway) changeAnswers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inner := httptest.NewRecorder()
		next.ServeHTTP(inner, r)
		body := inner.Body.Bytes()
		if inner.Code < http.StatusMultipleChoices && len(body) > 0 {
			body = g.applyChange(g.kind(r), body)
		}
		maps.Copy(w.Header(), inner.Header())
		w.WriteHeader(inner.Code)
		_, _ = w.Write(body)
	})
}

func (g *Gateway) applyChange(operationID string, answer []byte) []byte {
	defer g.lock()()
	for _, s := range g.answerChanges {
		if s.operation != operationID || s.times == 0 {
			continue
		}
		s.times--
		var v map[string]any
		if err := json.Unmarshal(answer, &v); err != nil {
			panic(err)
		}
		s.change(v)
		changed, err := json.Marshal(v)
		if err != nil {
			panic(fmt.Sprintf("Spoil turned %s into something that is not JSON: %v", operationID, err))
		}
		return changed
	}
	return answer
}
