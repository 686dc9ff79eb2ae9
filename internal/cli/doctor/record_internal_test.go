package doctor

import (
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/contract"
)

func TestFields(t *testing.T) {
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

// TestTexts verifies that errors, events and builds are shown only if they are known. An event ID is known if
// every word in it also occurs in the vendor's event IDs.
func TestTexts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		of   func(string) string
		want map[string]string
	}{
		{func(body string) string { return errorSummary([]byte(body)) }, map[string]string{
			`{"error_type": "NOT_FOUND", "messages": [{"id": "com.vmware.vapi.rest.httpNotFound"}]}`: "NOT_FOUND " +
				"com.vmware.vapi.rest.httpNotFound",
			`{"type": "com.vmware.vapi.std.errors.unauthorized", "value": ` +
				`{"messages": [{"id": "web01"}]}}`: "UNAUTHORIZED " +
				"{message id}",
			`{"error_type": "web01"}`: "{error type}",
			`web01`:                   "",
		}},
		{eventText, map[string]string{
			"hbr.primary.FSQuiescedDeltaCompletedEvent": "`hbr.primary.FSQuiescedDeltaCompletedEvent`",
			"hbr.primary.SyncAbortedEvent":              "`hbr.primary.SyncAbortedEvent`",
			"com.vmware.vcHms.rpoViolatedEvent":         "`com.vmware.vcHms.rpoViolatedEvent`",
			"hbr.primary.PayrollCompletedEvent":         "`hbr.primary.{type}`",
			"com.vmware.vcHms.rpo.web01":                "`com.vmware.vcHms.{type}`",
			"hbr.primary.":                              "`hbr.primary.{type}`",
			"com.example.Event":                         "{type}",
		}},
		{buildOf, map[string]string{
			"0.1.0": "0.1.0",
			"0.0.0-20261122172651-72f049c1abcd+dirty": "0.0.0-20261122172651-72f049c1abcd+dirty",
			"72f049c1abcd":       "72f049c1abcd",
			"72f049c1abcd-dirty": "72f049c1abcd-dirty",
			"dev":                "dev",
			"unknown":            "unknown",
			"built by alice":     "{another build}",
			"":                   "{another build}",
		}},
	} {
		for text, want := range test.want {
			assert.Equal(t, want, test.of(text), text)
		}
	}
}

func TestRequest(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"/api/vcenter/tagging/tags?page_size=1000&marker=abc": "GET /api/vcenter/tagging/tags?marker={value}" +
			"&page_size=1000",
		"/api/vcenter/tagging/tags?page_size=web01":      "GET /api/vcenter/tagging/tags?page_size={value}",
		"/api/vcenter/tagging/tags?names=a&names=b":      "GET /api/vcenter/tagging/tags?names={value}",
		"/api/vcenter/tagging/tags?web01=1":              "GET /api/vcenter/tagging/tags?{parameter}=1",
		"/api/vcenter/tagging/tags?filter=12345678":      "GET /api/vcenter/tagging/tags?filter={value}",
		"/api/cis/tagging/tag?action=list-attached-tags": "GET /api/cis/tagging/tag?action=list-attached-tags",
		"/api/cis/tagging/tag?action=web01":              "GET /api/cis/tagging/tag?action={value}",
		"/api/cis/tagging/tag/urn:vmomi:x":               "GET /api/cis/tagging/tag/{id}",
		"/api/cis/tagging/tag/a%2Fb":                     "GET /api/cis/tagging/tag/{id}",
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://vc.example.com"+url, nil)
		require.NoError(t, err)
		assert.Equal(t, want, requestText(req, nil), url)
	}
}

func TestNames(t *testing.T) {
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

func TestWriteMarkdown_cut(t *testing.T) {
	t.Parallel()
	r := &Report{Version: "1.2.3", Full: true}
	for range 400 {
		r.exchanges = append(r.exchanges, exchange{
			shape: shape{
				request:        "vCenter GET /api/session",
				responseFields: strings.Repeat("x", maxNames),
				status:         200,
			},
			count:   2,
			minTime: time.Millisecond,
			maxTime: 3 * time.Millisecond,
			bytes:   1500,
		})
	}
	r.requests = 800
	var b strings.Builder
	require.NoError(t, r.WriteMarkdown(&b))
	text := b.String()
	n := len(text)
	require.LessOrEqual(t, n, MaxReport, "%d characters, want just below %d", n, MaxReport)
	assert.GreaterOrEqual(t, n, MaxReport-2*maxNames, "%d characters, want just below %d", n, MaxReport)
	shown := strings.Count(text, "vCenter GET /api/session")
	note := "(" + countText(2*(400-shown), "request", "requests") + " of " + countText(400-shown, "kind", "kinds") +
		" omitted to fit the report into an issue)"
	require.Contains(t, text, note, "%+v", shown)
	assert.True(t, strings.HasSuffix(text, "```\n"), "%d shown, no %q", shown, note)
	assert.Contains(t, text, "  200, 2 times, 1 ms to 3 ms, 1,500 bytes\n")
}

func TestRecord(t *testing.T) {
	t.Parallel()
	r := newRecord(nil)
	a, b := shape{request: "a", status: 200}, shape{request: "b", status: 200}
	r.add(a, 5, 3*time.Millisecond)
	r.add(b, 0, time.Millisecond)
	r.add(a, 7, time.Millisecond)
	list, requests := r.all()
	want := []exchange{
		{shape: a, bytes: 7, count: 2, minTime: time.Millisecond, maxTime: 3 * time.Millisecond},
		{shape: b, count: 1, minTime: time.Millisecond, maxTime: time.Millisecond},
	}
	require.Equal(t, 3, requests)
	assert.Equal(t, want, list)
}

func TestVersion(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{
		"8.0.3":          {"8.0.3", "8.0.3"},
		"24022515":       {"{build}", "24022515"},
		"9.0.2.24383568": {"9.0.2.{build}", "9.0.2.24383568"},
		"":               {"{not a number}", "{not a number}"},
		"8.0\nweb01":     {"{not a number}", "{not a number}"},
		"vc.example.com": {"{not a number}", "{not a number}"},
	} {
		plain, exact := &session{}, &session{options: Options{Build: true}}
		assert.Equal(t, want, [2]string{plain.versionText(text), exact.versionText(text)}, text)
	}
}

func TestGuide(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../templates/guides/accounts.md")
	require.NoError(t, err)
	_, table, found := strings.Cut(string(text), "| check | assumption of vsla |")
	require.True(t, found, "the guide has no table of checks")
	listed := make(map[string]bool)
	id := regexp.MustCompile("`([a-z-]+)`")
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, "|"); len(cells) > 2 {
			for _, match := range id.FindAllStringSubmatch(cells[1], -1) {
				listed[match[1]] = true
			}
		}
	}
	want := append(slices.Clone(eventChecks), "privilege-names", "ended-session")
	for _, c := range vcenterChecks {
		want = append(want, c.id)
	}
	for _, c := range applianceChecks {
		want = append(want, c.id)
	}
	slices.Sort(want)
	assert.Equal(t, want, slices.Sorted(maps.Keys(listed)))
}

// TestRecord_locks adds and lists exchanges concurrently, for the race detector.
func TestRecord_locks(t *testing.T) {
	t.Parallel()
	r := newRecord(nil)
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() { r.add(shape{status: i}, 0, 0) })
		all.Go(func() { r.all() })
	}
	all.Wait()
}
