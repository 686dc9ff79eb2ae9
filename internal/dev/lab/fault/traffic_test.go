package fault_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
)

func serve(t *testing.T, traffic *fault.Traffic) (url string, handled func() int) {
	t.Helper()
	n := make(chan int, 1)
	n <- 0
	server := httptest.NewServer(traffic.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		n <- 1 + <-n
		_, _ = w.Write(append([]byte("handled "), body...))
	})))
	t.Cleanup(server.Close)
	return server.URL, func() int {
		v := <-n
		n <- v
		return v
	}
}

func get(t *testing.T, url string) (int, http.Header, string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	// Use a new connection for each request, because Go retries a request if the server has closed an idle connection.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		return 0, nil, "", err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	return res.StatusCode, res.Header, string(text), err
}

func TestKind(t *testing.T) {
	t.Parallel()
	envelope := `<?xml version="1.0"?><Envelope xmlns="http://schemas.xmlsoap.org/soap/envelope/"><Header/><Body>` +
		`<RetrievePropertiesEx xmlns="urn:vim25"/></Body></Envelope>`
	const many = "attach-tag-to-multiple-objects"
	for _, test := range []struct {
		method string
		path   string
		body   string
		want   string
	}{
		{"POST", "/rest/com/vmware/cis/session", "", "POST session"},
		{"GET", "/rest/com/vmware/cis/tagging/tag", "", "GET tag"},
		{"GET", "/rest/com/vmware/cis/tagging/tag/id:urn:x", "", "GET tag/{id}"},
		{"PATCH", "/rest/com/vmware/cis/tagging/category/id:urn:x", "", "PATCH category/{id}"},
		{
			"POST",
			"/rest/com/vmware/cis/tagging/tag-association/id:urn:x?~action=" + many,
			"",
			"POST tag-association:" + many,
		},
		{"POST", "/api/session", "", "POST session"},
		{"GET", "/api/cis/tagging/tag/urn:x", "", "GET tag/{id}"},
		{"POST", "/api/cis/tagging/tag-association/urn:x?action=" + many, "", "POST tag-association:" + many},
		{"GET", "/api/vcenter/tagging/tags?page_size=5", "", "GET /api/vcenter/tagging/tags"},
		{"GET", "/api/vcenter/tagging/associations", "", "GET /api/vcenter/tagging/associations"},
		{"POST", "/sdk", envelope, "soap:RetrievePropertiesEx"},
		{"POST", "/sdk", "no XML", "soap:unreadable"},
	} {
		req := httptest.NewRequestWithContext(t.Context(), test.method, test.path, strings.NewReader(test.body))
		assert.Equal(t, test.want, fault.Kind(req))
		rest, err := io.ReadAll(req.Body)
		require.NoError(t, err)
		assert.Equal(t, test.body, string(rest))
	}
}

func TestTraffic_breaks(t *testing.T) {
	t.Parallel()
	traffic := fault.NewTraffic()
	url, handled := serve(t, traffic)
	traffic.Break(
		fault.Rule{
			Kind:   "GET /b",
			Skip:   1,
			Times:  1,
			Status: 503,
			Body:   "no",
			Header: map[string]string{"Retry-After": "3"},
		},
	)
	traffic.Break(fault.Rule{Kind: "GET /done", Times: 1, Status: 502, HandleFirst: true})
	traffic.Break(fault.Rule{Kind: "GET /cut", Times: 1, CloseConnection: true})
	traffic.Break(fault.Rule{Kind: "GET /cut-done", Times: 1, CloseConnection: true, HandleFirst: true})
	hooked := false
	traffic.Break(fault.Rule{Kind: "GET /hook", Before: func(*http.Request) { hooked = true }})

	for i, want := range []int{200, 503, 200} {
		status, header, _, err := get(t, url+"/b")
		require.NoError(t, err, "request %d", i+1)
		assert.Equal(t, want, status, "request %d", i+1)
		assert.Equal(t, want == 503, header.Get("Retry-After") == "3", "request %d", i+1)
	}
	assert.Equal(t, 2, handled())
	status, _, _, err := get(t, url+"/done")
	require.NoError(t, err, "done and then lost")
	assert.Equal(t, 502, status, "done and then lost")
	assert.Equal(t, 3, handled(), "done and then lost")
	_, _, _, err = get(t, url+"/cut")
	require.True(t, isCut(err), "cut before: %v, %d handled", err, handled())
	assert.Equal(t, 3, handled())
	_, _, _, err = get(t, url+"/cut-done")
	require.True(t, isCut(err), "cut after: %v, %d handled", err, handled())
	assert.Equal(t, 4, handled())
	status, _, text, err := get(t, url+"/hook")
	require.NoError(t, err, "hook")
	assert.Equal(t, 200, status, "hook")
	assert.Equal(t, "handled ", text, "hook")
	assert.True(t, hooked, "hook: %d %q, %v", status, text, err)
	traffic.Break(fault.Rule{Status: 500})
	traffic.Mend()
	status, _, _, err = get(t, url+"/x")
	require.NoError(t, err, "mended")
	assert.Equal(t, 200, status, "mended")
}

func isCut(err error) bool { return errors.Is(err, io.EOF) }
