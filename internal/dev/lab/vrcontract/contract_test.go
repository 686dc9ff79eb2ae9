package vrcontract_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/contract"
	"terraform-provider-vsla/internal/dev/lab/vrcontract"
)

type recorder struct {
	testing.TB
	failures []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

const (
	base    = "/api/rest/vr/v2"
	pairing = "4b0eab66-5aa5-4ea2-8f85-5d5ff0d3a1f2"
)

func request(t *testing.T, method, path, body string) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, base+path, strings.NewReader(body))
	r.Header.Set("x-dr-session", "s")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	} else {
		r.Body = http.NoBody
	}
	return r
}

const disk = `{"vm_disk":{"vm_id":"VirtualMachine:vm-1:g"},"enabled_for_replication":true,` +
	`"destination_datastore_id":"Datastore:ds-1:g","destination_disk_format":"THIN"}`

func spec(rpo string) string {
	return `[{"vm_id":"VirtualMachine:vm-1:g","target_vc_id":"g","rpo":` + rpo +
		`,"network_compression_enabled":false,"auto_replicate_new_disks":true,` +
		`"lwd_encryption_enabled":false,"mpit_enabled":false,"disks":[` + disk + `]}]`
}

func TestStrict(t *testing.T) {
	t.Parallel()
	const (
		replications = "/pairings/" + pairing + "/replications"
		servers      = "/pairings/" + pairing + "/vrs/v/replication-servers"
		page         = `{"total":1,"offset":0,"limit":100}`
		ends         = `{"links":{"self":{"href":"x"},"next":null,"previous":null}}`
		task         = `{"id":"t","status":"QUEUED"}`
		misspelt     = `{"id":"t","status":"QUEUED","prgress":1,"_meta":{}}`
		taken        = "should be refused"
	)
	list := func(rows, meta string) string { return `{"list":[` + rows + `],"_meta":` + meta + `}` }
	for _, test := range []struct {
		name   string
		method string
		path   string
		body   string
		status int
		answer string
		fails  string // part of the failure message; empty means success
	}{
		{"a list", "GET", "/tasks", "", 200, list(`{"id":"t","status":"QUEUED","result":null}`, page), ""},
		{"an unknown status", "GET", "/tasks", "", 200, list(`{"id":"t","status":"WAITING"}`, `{}`), "WAITING"},
		{
			"a misspelt property",
			"GET",
			"/tasks",
			"",
			200,
			list(`{"id":"t","status":"QUEUED","prgress":1}`, `{}`),
			"prgress",
		},
		{"a misspelt property beside _meta", "GET", "/tasks/t", "", 200, misspelt, "prgress"},
		{"a required property of the inherited part", "GET", "/tasks/t", "", 200, `{"id":"t","_meta":{}}`, "status"},
		{"a free result", "GET", "/tasks/t", "", 200, `{"id":"t","status":"SUCCESS","result":{"anything":1}}`, ""},
		{"null at the ends of a list", "GET", "/tasks", "", 200, list(``, ends), ""},
		{"an id that is not a UUID", "GET", "/pairings", "", 200, list(`{"pairing_id":"pairing-1"}`, `{}`), "UUID"},
		{"a session that is refused", "GET", "/session", "", 401, "", ""},
		{"a limiter", "GET", "/tasks", "", 429, "", ""},
		{"a conflict", "POST", replications, spec("15"), 409, "", ""},
		{"a proxy", "GET", "/tasks", "", 503, "", ""},
		{"an undeclared status", "GET", "/tasks", "", 418, "", "status is not supported"},
		{"an unknown pairing", "GET", "/pairings/" + pairing + "/vrs", "", 404, "", ""},
		{"no such list of pairings", "GET", "/pairings", "", 404, "", "status is not supported"},
		{"registered and accepted", "POST", servers, `{"value":"x"}`, 202, task, ""},
		{"an error without JSON", "GET", "/tasks", "", 500, "", "Content-Type"},
		{"a good request", "POST", replications, spec("15"), 202, list(task, `{}`), ""},
		{"a bad request", "POST", replications, spec("4"), 400, `{"op_id":"` + pairing + `"}`, taken},
		{"several parameters", "GET", "/tasks?filter_property=id&filter=a&filter=b", "", 200, list(``, `{}`), ""},
		{
			"a parameter of no operation",
			"GET",
			"/tasks?filter_prop=id",
			"",
			200,
			list(``, `{}`),
			`parameter "filter_prop"`,
		},
		{"no operation", "GET", "/task", "", 200, list(``, `{}`), "no operation"},
		{"no body", "POST", replications, "", 202, list(``, `{}`), taken},
		{"no body again", "POST", replications + "/r/actions/reconfigure", "", 202, task, taken},
		{"one login for two", "POST", "/pairings/" + pairing + "/remote-session", "", 204, "", taken},
		{"an empty id", "GET", "/tasks/", "", 200, list(``, `{}`), taken},
		{"an id with colons", "GET", replications + "/HmsGroup%3AGID-1%3Ag", "", 404, "", ""},
		{"the list beside an id", "GET", replications + "/count", "", 200, `{"count":1}`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			contract := vrcontract.Load(t)
			kept := &recorder{TB: t}
			seen := ""
			handler := contract.Strict(kept, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				assert.NoError(t, err)
				seen = r.URL.RequestURI() + string(body)
				if test.answer != "" {
					w.Header().Set("Content-Type", "application/json;charset=UTF-8")
				}
				w.WriteHeader(test.status)
				_, _ = io.WriteString(w, test.answer)
			}))
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, request(t, test.method, test.path, test.body))
			assert.Equal(t, base+test.path+test.body, seen, "the middleware changed the exchange")
			assert.Equal(t, test.status, w.Code, "the middleware changed the exchange")
			assert.Equal(t, test.answer, w.Body.String(), "the middleware changed the exchange")
			text := strings.Join(kept.failures, "\n")
			require.Equal(t, text == "", test.fails == "")
			assert.Contains(t, text, test.fails)
		})
	}
}

// TestUnits verifies the units of the values that the client converts.
func TestUnits(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("contract.json")
	require.NoError(t, err)
	facts, err := contract.ParseFacts(text)
	require.NoError(t, err)
	for _, of := range []struct{ kind, field, unit string }{
		{"ConfigureReplicationSpec", "rpo", "minutes"},
		{"Datastore", "free_space", "bytes"},
		{"ReconfigureReplicationSpec", "rpo", "minutes"},
		{"ReplicationInfo", "current_rpo_violation", "minutes"},
		{"ReplicationInfo", "last_sync_duration", "seconds"},
		{"ReplicationInfo", "last_sync_size", "bytes"},
		{"ReplicationInfo", "last_sync_time", "milliseconds"},
		{"ReplicationInfo", "rpo", "minutes"},
		{"Task", "progress", "percentage"},
		{"VmCapabilities", "min_rpo_mins", "minutes"},
	} {
		_, unit, _ := strings.Cut(facts.Types[of.kind].Fields[of.field], " in ")
		assert.Equal(t, of.unit, unit, "%s.%s", of.kind, of.field)
	}
}
