package doctor

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/contract"
)

// TestFieldList verifies that fields.txt contains the fields of all API contracts, and no others.
func TestFieldList(t *testing.T) {
	t.Parallel()
	want := map[string]bool{"value": true, "type": true, "create_spec": true, "update_spec": true}
	for _, file := range []string{"tagcontract", "vrcontract", "snapcontract"} {
		text, err := os.ReadFile("../../dev/lab/" + file + "/contract.json")
		require.NoError(t, err)
		facts, err := contract.ParseFacts(text)
		require.NoError(t, err)
		for _, o := range facts.Types {
			for name := range o.Fields {
				want[name] = true
			}
		}
	}
	require.GreaterOrEqual(t, len(want), 100)
	for name := range want {
		assert.True(t, fields[name], "fields.txt lacks %s", name)
	}
	for name := range fields {
		assert.True(t, want[name], "fields.txt has %s, which no contract has", name)
	}
}

func TestFieldNames(t *testing.T) {
	t.Parallel()
	xml := func(body string) string {
		return `<?xml version="1.0"?><e:Envelope xmlns:e="http://e"><e:Body>` + body + `</e:Body></e:Envelope>`
	}
	for _, test := range []struct{ body, want string }{
		{``, ``},
		{`"token"`, ``},
		{`["a", "b"]`, ``},
		{`{"name": "web01", "web01": {"id": 1}, "web02": {"id": null}}`, `id, name, {2 other names}`},
		{`{"items": [{"tag": "a", "info": {"name": "n"}}, {"tag": "b"}]}`, `info, items, name, tag`},
		{`{"web01": 1}`, `{1 other name}`},
		{`<html>web01</html>`, `text`},
		{xml(`<Login><userName>root</userName><web01>x</web01></Login>`), `Login, userName, {1 other name}`},
		{xml(`<Fault><detail><privId>a</privId><privId>2</privId></detail></Fault>`), `Fault, detail, privId`},
		{xml(`<Logout>`), `Logout`},
	} {
		header := http.Header{"Content-Type": {"application/json"}}
		if strings.HasPrefix(test.body, "<?xml") {
			header.Set("Content-Type", "text/xml; charset=utf-8")
		}
		assert.Equal(t, test.want, fieldNames(header, []byte(test.body)))
	}
}

// TestErrorSummary verifies that an error is shown only if its type and its message IDs are known.
func TestErrorSummary(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, body, want string }{
		{
			"known",
			`{"error_type": "NOT_FOUND", "messages": [{"id": "com.vmware.vapi.rest.httpNotFound"}]}`,
			"NOT_FOUND com.vmware.vapi.rest.httpNotFound",
		},
		{
			"an unknown message",
			`{"type": "com.vmware.vapi.std.errors.unauthorized", "value": {"messages": [{"id": "web01"}]}}`,
			"UNAUTHORIZED {message id}",
		},
		{"an unknown type", `{"error_type": "web01"}`, "{error type}"},
		{"no JSON", `web01`, ""},
	} {
		assert.Equal(t, test.want, errorSummary([]byte(test.body)), test.name)
	}
}
