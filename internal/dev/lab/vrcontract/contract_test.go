package vrcontract_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/vrcontract"
)

type recorder struct {
	testing.TB
	failures []string
}

// Errorf adds a failure.
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

// TestMiddleware has answers that keep the contract and answers that break it, one row for each way of tightening.
func TestMiddleware(t *testing.T) {
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
		name, method, path, body string
		status                   int
		answer                   string
		fails                    string // part of the failure, empty for none
	}{
		{"a list", "GET", "/tasks", "", 200, list(`{"id":"t","status":"QUEUED","result":null}`, page), ""},
		{"an unknown status", "GET", "/tasks", "", 200, list(`{"id":"t","status":"WAITING"}`, `{}`), "WAITING"},
		{"a misspelt property", "GET", "/tasks", "", 200, list(`{"id":"t","status":"QUEUED","prgress":1}`, `{}`), "prgress"},
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
		{"a bad request that is refused", "POST", replications, spec("4"), 400, `{"op_id":"` + pairing + `"}`, ""},
		{"a bad request that is accepted", "POST", replications, spec("4"), 202, list(``, `{}`), taken},
		{"no body", "POST", replications, "", 202, list(``, `{}`), taken},
		{"no body again", "POST", replications + "/r/actions/reconfigure", "", 202, task, taken},
		{"one login for two", "POST", "/pairings/" + pairing + "/remote-session", "", 204, "", taken},
		{"an empty id", "GET", "/tasks/", "", 200, list(``, `{}`), taken},
		{"an id with colons", "GET", replications + "/HmsGroup%3AGID-1%3Ag", "", 404, "", ""},
		{"the list beside an id", "GET", replications + "/count", "", 200, `{"count":1}`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			contract, kept := vrcontract.Load(t), &recorder{TB: t}
			seen := ""
			handler := contract.Middleware(kept, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				assert.NoError(t, err)
				seen = string(body) + "?" + r.URL.RawQuery
				if test.answer != "" {
					w.Header().Set("Content-Type", "application/json;charset=UTF-8")
				}
				w.WriteHeader(test.status)
				_, _ = io.WriteString(w, test.answer)
			}))
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, request(t, test.method, test.path, test.body))
			assert.True(t, seen == test.body+"?" && w.Code == test.status && w.Body.String() == test.answer,
				"the middleware changed the exchange: %q, %d %q", seen, w.Code, w.Body)
			text := strings.Join(kept.failures, "\n")
			require.Equal(t, text == "", test.fails == "")
			assert.Contains(t, text, test.fails)
			assert.Equal(t, test.fails == "", len(contract.Reached()) == 1, "reached %v", contract.Reached())
		})
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

// RoundTrip calls the function.
func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestTransport(t *testing.T) {
	t.Parallel()
	server := func(status int, body string) http.RoundTripper {
		return roundTrip(func(r *http.Request) (*http.Response, error) {
			if r.Body != nil {
				if _, err := io.ReadAll(r.Body); err != nil {
					return nil, err
				}
			}
			return &http.Response{
				StatusCode: status,
				Header:     http.Header{"Content-Type": {"application/json"}},
				Body:       io.NopCloser(strings.NewReader(body)),
			}, nil
		})
	}
	for _, test := range []struct {
		name, path, body string
		status           int
		answer, fails    string
	}{
		{"good", "/tasks?filter_property=id&filter=a&filter=b", "", 200, `{"list":[]}`, ""},
		{
			"a parameter of no operation", "/tasks?filter_prop=id&filter=a", "", 200, `{"list":[]}`,
			`no query parameter "filter_prop"`,
		},
		{"no operation", "/task", "", 200, `{"list":[]}`, "no operation"},
		{"a bad answer", "/tasks", "", 200, `{"list":[{"id":"t"}]}`, "status"},
		{"a bad id", "/pairings/" + pairing + "/vcenters/vc-1/vms", "", 400, `{}`, "UUID"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			contract, kept := vrcontract.Load(t), &recorder{TB: t}
			r := request(t, http.MethodGet, test.path, test.body)
			r.URL.Scheme, r.URL.Host = "https", "appliance.lab"
			res, err := contract.Transport(kept, server(test.status, test.answer)).RoundTrip(r)
			require.NoError(t, err)
			body, err := io.ReadAll(res.Body)
			_ = res.Body.Close()
			require.NoError(t, err)
			assert.Equal(t, test.answer, string(body))
			text := strings.Join(kept.failures, "\n")
			require.Equal(t, text == "", test.fails == "")
			assert.Contains(t, text, test.fails)
		})
	}
}

// TestTransport_broken: an answer that a test breaks on purpose reaches the client unchanged.
func TestTransport_broken(t *testing.T) {
	t.Parallel()
	contract, kept := vrcontract.Load(t), &recorder{TB: t}
	cut := roundTrip(func(*http.Request) (*http.Response, error) {
		body := io.MultiReader(strings.NewReader(`{"li`), io.LimitReader(broken{}, 1))
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(body)}, nil
	})
	r := request(t, http.MethodGet, "/tasks", "")
	res, err := contract.Transport(kept, cut).RoundTrip(r)
	require.NoError(t, err)
	body, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	require.Equal(t, `{"li`, string(body))
	assert.ErrorIs(t, err, errBroken)
	html := roundTrip(func(*http.Request) (*http.Response, error) {
		return &http.Response{
			StatusCode: http.StatusOK,
			Header:     http.Header{"Content-Type": {"text/html"}},
			Body:       io.NopCloser(strings.NewReader("<p>")),
		}, nil
	})
	res, err = contract.Requests(kept, html).RoundTrip(request(t, http.MethodGet, "/tasks", ""))
	require.NoError(t, err)
	_ = res.Body.Close()
	require.Empty(t, kept.failures)
	assert.Empty(t, contract.Reached())
}

var errBroken = errors.New("the line broke")

type broken struct{}

// Read fails.
func (broken) Read([]byte) (int, error) { return 0, errBroken }

func TestContract_operations(t *testing.T) {
	t.Parallel()
	contract := vrcontract.Load(t)
	list := contract.Operations()
	require.Len(t, list, 46)
	assert.Contains(t, list, "configureReplication")
	want := []string{"200", "400", "401", "403", "409", "429", "500", "503"}
	assert.Equal(t, want, contract.Statuses("getVrPairings"))
}
