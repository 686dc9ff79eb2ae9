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

// Switches select undocumented behaviour. A duration of 0 selects the default.
type Switches struct {
	// SessionTTL and SessionIdle end sessions, local and remote, by the virtual clock: default 5 minutes, negative for
	// never.
	SessionTTL, SessionIdle time.Duration
	// RemoteStatus answers calls that lack the remote session: default 401, which has no body.
	RemoteStatus int
	// PartialSilent leaves _meta.errors empty where data is missing; PartialDropsRows leaves replications out.
	PartialSilent, PartialDropsRows bool
	// DownStatus answers calls that need a remote site which is down: default 500.
	DownStatus int

	// FailInTask turns a refusal into a task that fails; by default it is a 400.
	FailInTask bool
	// StrictState rejects pausing a paused replication, resuming a running one, and syncing in a state without sync.
	StrictState bool
	// SyncTaskWaits ends the sync task with the data; by default it ends when the sync has begun.
	SyncTaskWaits bool
	// Enhanced lowers the RPO's floor to 1 minute and knows the field enhanced_replication.
	Enhanced bool
	// BusyFor refuses to reconfigure a replication for so long after its last configuration ended.
	BusyFor time.Duration
	// NullServerMoves moves a replication to another server when a reconfiguration names none ("In case of null, the
	// server will be automatically determined"); by default it stays.
	NullServerMoves bool
	// NeedThumbprint refuses to reconnect a separated pairing unless the thumbprint of the certificate is sent.
	NeedThumbprint bool
	// HideFor keeps a new replication out of lists for so long after it was configured.
	HideFor time.Duration

	// FilterContains lets filters match parts of a value.
	FilterContains bool
	// FilterByNameOnly answers 400 to a filter_property other than name.
	FilterByNameOnly bool
	// SortByNameOnly answers 400 to a sort_by other than name.
	SortByNameOnly bool
	// PageCap is the largest page of a list, 0 for no limit.
	PageCap int

	// RequireContentType answers 415 to every request without "Content-Type: application/json", those without a body
	// included.
	RequireContentType bool
	// SelfPairing adds a pairing of the site with itself to the list.
	SelfPairing bool
	// Rule decides when the next sync of a replication starts: default replica.NextStart.
	Rule replica.Rule

	// UsedFromInventory sends the used bytes that vCenter reports; by default, and for disks unknown to it, the capacity.
	UsedFromInventory bool
	// ChangeRate is the default change rate of a running VM, in bytes per second; SetChangeRate overrides it.
	ChangeRate float64

	// Limits are the request limits; the zero value has none. DefaultLimits are the documented ones.
	Limits Limits
}

// Limits are the requests in a window, for each of the three tiers; 0 is no limit.
type Limits struct {
	IP, Service, Session int
	// Window is 60 s by default, on the virtual clock.
	Window time.Duration
	// Status is the answer, default 429; RetryAfter adds the header.
	Status     int
	RetryAfter bool
}

// DefaultLimits are the limits of a fresh appliance: 100 requests a minute from one address, 1,000 in all, 50 in one
// session.
func DefaultLimits() Limits { return Limits{IP: 100, Service: 1000, Session: 50, RetryAfter: true} }

const (
	// moveRate and checksumRate are how fast replicas are moved and seeds compared: bytes a second.
	moveRate, checksumRate = 100e6, 100e6
	// compression is the part that is left of compressed traffic, seedDelta that of a seed that differs and is sent.
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

// Spoil changes the next answers of an operation, as JSON, before they are sent but outside of Config.Wrap; times 0
// means all that follow. change runs while the appliance is locked, so it may not call it.
func (g *Gateway) Spoil(operationID string, times int, change func(answer map[string]any)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if times == 0 {
		times = -1
	}
	g.spoilers = append(g.spoilers, &spoiler{operation: operationID, times: times, change: change})
}

// MendAnswers takes every Spoil back.
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
			panic(err) // written by this package
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

// Rows are the rows of a list, or the answer itself.
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

// MetaError announces that a field of the answer could not be read; field is a JSONPath.
func MetaError(field string) func(map[string]any) {
	return func(answer map[string]any) {
		metaOf(answer)["errors"] = []any{map[string]any{"code": missingCode, "message": missingMessage, "field": field}}
	}
}

// NullMeta makes _meta null.
func NullMeta(answer map[string]any) { answer["_meta"] = nil }

// UnknownValue writes a value that the API does not know into a field of every row.
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

// ExtraFields adds fields that the API does not know.
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

// NullLinks makes the links of a list null.
func NullLinks(answer map[string]any) {
	metaOf(answer)["links"] = map[string]any{"self": nil, "next": nil, "previous": nil}
}

// DuplicateRow lists the first row twice.
func DuplicateRow(answer map[string]any) {
	if list, ok := answer["list"].([]any); ok && len(list) > 0 {
		answer["list"] = append([]any{list[0]}, list...)
	}
}

func logLine(at time.Time, kind string, status int) string {
	return fmt.Sprintf("%s %s %d\n", at.Format(time.RFC3339Nano), kind, status)
}
