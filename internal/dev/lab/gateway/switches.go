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

// Switches configure undocumented behavior. A duration of 0 selects the default.
type Switches struct {
	// SessionTTL and SessionIdle end local and remote sessions by the virtual clock, default 5 minutes; a negative
	// value means never.
	SessionTTL, SessionIdle time.Duration
	// RemoteStatus is the status of calls without the required remote session. The default 401 has no body.
	RemoteStatus int
	// PartialSilent leaves _meta.errors empty if data is missing. PartialDropsRows omits replications.
	PartialSilent, PartialDropsRows bool
	// DownStatus is the status of calls that need a remote site which is down, default 500.
	DownStatus int

	// FailInTask reports an invalid request as a failed task instead of a 400.
	FailInTask bool
	// StrictState rejects pausing a paused replication, resuming a running one, and syncing in a state without sync.
	StrictState bool
	// SyncTaskWaits ends the task of a sync with the sync instead of at its start.
	SyncTaskWaits bool
	// Enhanced lowers the minimum RPO to 1 minute and supports the field enhanced_replication.
	Enhanced bool
	// BusyFor is the time after a configuration in which reconfiguring the replication is refused.
	BusyFor time.Duration
	// NullServerMoves moves a replication to another server if a reconfiguration names none ("In case of null, the
	// server will be automatically determined"). By default it keeps its server.
	NullServerMoves bool
	// NeedThumbprint refuses to reconnect a disconnected pairing without the thumbprint of the certificate.
	NeedThumbprint bool
	// HideFor is the time for which lists omit a new replication.
	HideFor time.Duration

	// FilterContains lets filters match substrings.
	FilterContains bool
	// FilterByNameOnly returns 400 for a filter_property other than name.
	FilterByNameOnly bool
	// SortByNameOnly returns 400 for a sort_by other than name.
	SortByNameOnly bool
	// PageCap is the maximum page size of a list; 0 means no limit.
	PageCap int

	// RequireContentType returns 415 for every request without "Content-Type: application/json", even without a body.
	RequireContentType bool
	// SelfPairing adds a pairing of the site with itself to the list.
	SelfPairing bool
	// Rule determines the start of a replication's next sync, default replica.NextStart.
	Rule replica.Rule

	// UsedFromInventory uses the used bytes reported by vCenter for the initial sync. The default, also for disks
	// unknown to vCenter, is the capacity.
	UsedFromInventory bool
	// ChangeRate is the default change rate of a running VM, in bytes per second; SetChangeRate overrides it.
	ChangeRate float64

	// Limits are the request limits. The zero value has none. See DefaultLimits for the documented ones.
	Limits Limits
}

// Limits are the numbers of requests per window for each of the three tiers; 0 means no limit.
type Limits struct {
	IP, Service, Session int
	// Window is a duration of the virtual clock, default 60 s.
	Window time.Duration
	// Status is the response status, default 429. RetryAfter adds the header.
	Status     int
	RetryAfter bool
}

// DefaultLimits are the limits of a new appliance: 100 requests per minute from one address, 1,000 in total, 50 in one
// session.
func DefaultLimits() Limits { return Limits{IP: 100, Service: 1000, Session: 50, RetryAfter: true} }

const (
	// moveRate and checksumRate are the speeds of moving replicas and comparing seeds in bytes per second.
	moveRate, checksumRate = 100e6, 100e6
	// compression is the relative size of compressed traffic, seedDelta the part of a seed that differs and is sent.
	compression, seedDelta = 0.5, 0.1
)

const pageSize, mostInstances = 100, 24

func (s Switches) withDefaults() Switches {
	s.SessionTTL = cmp.Or(s.SessionTTL, 5*time.Minute)
	s.SessionIdle = cmp.Or(s.SessionIdle, 5*time.Minute)
	s.RemoteStatus = cmp.Or(s.RemoteStatus, 401)
	s.DownStatus = cmp.Or(s.DownStatus, 500)
	s.Limits.Window = cmp.Or(s.Limits.Window, time.Minute)
	s.Limits.Status = cmp.Or(s.Limits.Status, 429)
	return s
}

type spoiler struct {
	operation string
	times     int
	change    func(map[string]any)
}

// Spoil changes the next answers of an operation as JSON, outside of Config.Wrap. times 0 changes all of them. change
// must not call the appliance, which is locked.
func (g *Gateway) Spoil(operationID string, times int, change func(answer map[string]any)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if times == 0 {
		times = -1
	}
	g.spoilers = append(g.spoilers, &spoiler{operation: operationID, times: times, change: change})
}

// MendAnswers reverts all calls of Spoil.
func (g *Gateway) MendAnswers() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.spoilers = nil
}

func (g *Gateway) spoiled(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inner := httptest.NewRecorder()
		next.ServeHTTP(inner, r)
		body := inner.Body.Bytes()
		if inner.Code < http.StatusMultipleChoices && len(body) > 0 {
			body = g.spoil(g.kind(r), body)
		}
		maps.Copy(w.Header(), inner.Header())
		w.WriteHeader(inner.Code)
		_, _ = w.Write(body)
	})
}

func (g *Gateway) spoil(operationID string, answer []byte) []byte {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range g.spoilers {
		if s.operation != operationID || s.times == 0 {
			continue
		}
		s.times--
		var v map[string]any
		if err := json.Unmarshal(answer, &v); err != nil {
			panic(err) // the JSON is written by this package
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

func metaOf(answer map[string]any) map[string]any {
	meta, ok := answer["_meta"].(map[string]any)
	if !ok {
		meta = map[string]any{}
		answer["_meta"] = meta
	}
	return meta
}

// Rows returns the rows of a list, or the answer itself.
func Rows(answer map[string]any) []map[string]any {
	list, ok := answer["list"].([]any)
	if !ok {
		return []map[string]any{answer}
	}
	rows := make([]map[string]any, 0, len(list))
	for _, row := range list {
		if row, ok := row.(map[string]any); ok {
			rows = append(rows, row)
		}
	}
	return rows
}

// MetaError adds an error for a field that could not be read. field is a JSONPath.
func MetaError(field string) func(map[string]any) {
	return func(answer map[string]any) {
		metaOf(answer)["errors"] = []any{map[string]any{"code": missingCode, "message": missingMessage, "field": field}}
	}
}

// NullMeta sets _meta to null.
func NullMeta(answer map[string]any) { answer["_meta"] = nil }

// UnknownValue sets a field of every row to a value that the API does not define.
func UnknownValue(name string) func(map[string]any) {
	return func(answer map[string]any) {
		for _, row := range Rows(answer) {
			if status, ok := row[name].(map[string]any); ok && name == "status" {
				status["status"] = "RECONFIGURING"
				continue
			}
			row[name] = "RECONFIGURING"
		}
	}
}

// ExtraFields adds fields that the API does not define.
func ExtraFields(answer map[string]any) {
	for _, row := range append(Rows(answer), answer) {
		row["a_later_field"] = map[string]any{"nested": []any{1, "two", nil}}
	}
}

// WrongTotal adds n to the total of a list.
func WrongTotal(n float64) func(map[string]any) {
	return func(answer map[string]any) {
		meta := metaOf(answer)
		total, _ := meta["total"].(float64)
		meta["total"] = total + n
	}
}

// NullLinks sets the links of a list to null.
func NullLinks(answer map[string]any) {
	metaOf(answer)["links"] = map[string]any{"self": nil, "next": nil, "previous": nil}
}

// DuplicateRow duplicates the first row.
func DuplicateRow(answer map[string]any) {
	if list, ok := answer["list"].([]any); ok && len(list) > 0 {
		answer["list"] = append([]any{list[0]}, list...)
	}
}

func logLine(at time.Time, kind string, status int) string {
	return fmt.Sprintf("%s %s %d\n", at.Format(time.RFC3339Nano), kind, status)
}
