package tagcontract_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/tagcontract"
)

type recorder struct {
	testing.TB
	failures []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

const (
	api     = "/api/cis/tagging/"
	rest    = "/rest/com/vmware/cis/tagging/"
	tag     = `{"name":"gold","description":"","category_id":"c"}`
	created = `{"create_spec":` + tag + `}`

	model    = `{"id":"t","name":"gold","description":"","category_id":"c","used_by":[]}`
	messages = `"messages":[{"id":"x","default_message":"x","args":[]}]`
	notFound = `{"error_type":"NOT_FOUND",` + messages + `}`
	wrapped  = `{"type":"com.vmware.vapi.std.errors.not_found","value":{"error_type":"NOT_FOUND",` + messages + `}}`
)

func TestStrict(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		method string
		path   string
		body   string
		status int
		answer string
		fails  string // part of the failure message; empty means success
	}{
		{"api: a tag", "GET", api + "tag/t", "", 200, model, ""},
		{"api: a tag in an envelope", "GET", api + "tag/t", "", 200, `{"value":` + model + `}`, "value"},
		{
			"api: a tag without a name",
			"GET",
			api + "tag/t",
			"",
			200,
			strings.Replace(model, `"name":"gold",`, "", 1),
			"name",
		},
		{"api: a create", "POST", api + "tag", tag, 201, `"t"`, ""},
		{"api: a create with 200", "POST", api + "tag", tag, 200, `"t"`, "status is not supported"},
		{
			"api: a wrapped create",
			"POST",
			api + "tag",
			`{"create_spec":` + tag + `}`,
			400,
			notFound,
			"should be refused",
		},
		{"api: an update", "PATCH", api + "tag/t", `{"name":"x"}`, 204, "", ""},
		{"api: an update of an unknown field", "PATCH", api + "tag/t", `{"nam":"x"}`, 204, "", "should be refused"},
		{"api: an action", "POST", api + "tag-association/t?action=list-attached-objects", "", 200, `[]`, ""},
		{"api: an unknown action", "POST", api + "tag-association/t?action=list", "", 404, notFound, "no operation"},
		{
			"api: an action of /rest",
			"POST",
			api + "tag-association/t?~action=attach",
			"",
			404,
			notFound,
			"no operation",
		},
		{"api: an error", "GET", api + "tag/t", "", 404, notFound, ""},
		{"api: an error with another status", "GET", api + "tag/t", "", 403, notFound, "NOT_FOUND"},
		{"api: an error of /rest", "GET", api + "tag/t", "", 404, wrapped, `the error ""`},
		{"api: a page", "GET", "/api/vcenter/tagging/tags?page_size=5&marker=m", "", 200, `{"items":[]}`, ""},
		{
			"api: a misspelt parameter",
			"GET",
			"/api/vcenter/tagging/tags?pagesize=5",
			"",
			200,
			`{"items":[]}`,
			"pagesize",
		},
		{"api: no number", "GET", "/api/vcenter/tagging/tags?page_size=x", "", 200, `{"items":[]}`, "page_size"},
		{"rest: a tag", "GET", rest + "tag/id:t", "", 200, `{"value":` + model + `}`, ""},
		{"rest: a tag without its envelope", "GET", rest + "tag/id:t", "", 200, model, "no value"},
		{"rest: a create", "POST", rest + "tag", created, 200, `{"value":"t"}`, ""},
		{"rest: a create without its wrapper", "POST", rest + "tag", tag, 400, wrapped, "should be refused"},
		{"rest: a wrong wrapper", "PATCH", rest + "tag/id:t", `{"create_spec":{}}`, 400, wrapped, "should be refused"},
		{"rest: a create with 201", "POST", rest + "tag", created, 201, `{"value":"t"}`, "status is 201"},
		{
			"rest: a category's tags",
			"POST",
			rest + "tag/id:c?~action=list-tags-for-category",
			"",
			200,
			`{"value":["t"]}`,
			"",
		},
		{"rest: a delete", "DELETE", rest + "tag/id:t", "", 200, `{"value":null}`, ""},
		{"rest: an error", "GET", rest + "tag/id:t", "", 404, wrapped, ""},
		{"rest: an error of /api", "GET", rest + "tag/id:t", "", 404, notFound, "no value"},
		{
			"rest: the session",
			"POST",
			"/rest/com/vmware/cis/session?~action=get",
			"",
			200,
			`{"value":{"user":"u","created_time":"2024-01-01T00:00:00Z","last_accessed_time":"2024-01-01T00:00:00Z"}}`,
			"",
		},
		{"another service", "GET", "/rest/com/vmware/cis/other", "", 418, "anything", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			kept := &recorder{TB: t}
			handler := tagcontract.Load(t).Strict(kept, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if test.answer != "" {
					w.Header().Set("Content-Type", "application/json")
				}
				w.WriteHeader(test.status)
				_, _ = io.WriteString(w, test.answer)
			}))
			r := httptest.NewRequestWithContext(t.Context(), test.method, test.path, strings.NewReader(test.body))
			r.Header.Set("Vmware-Api-Session-Id", "s")
			if test.body != "" {
				r.Header.Set("Content-Type", "application/json")
			}
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			require.Equal(t, test.status, w.Code)
			assert.Equal(t, test.answer, w.Body.String())
			text := strings.Join(kept.failures, "\n")
			require.Equal(t, text == "", test.fails == "")
			assert.Contains(t, text, test.fails)
		})
	}
}
