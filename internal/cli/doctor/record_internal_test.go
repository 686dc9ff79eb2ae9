package doctor

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRequestText(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"/api/vcenter/tagging/tags?page_size=1000&marker=abc": "GET /api/vcenter/tagging/tags?marker={value}" +
			"&page_size=1000",
		"/api/vcenter/tagging/tags?page_size=web01":      "GET /api/vcenter/tagging/tags?page_size={value}",
		"/api/vcenter/tagging/tags?names=a&names=b":      "GET /api/vcenter/tagging/tags?names={value}",
		"/api/vcenter/tagging/tags?web01=1":              "GET /api/vcenter/tagging/tags?{parameter}={value}",
		"/api/vcenter/tagging/tags?names=vcenter":        "GET /api/vcenter/tagging/tags?names={value}",
		"/api/vcenter/tagging/tags?names=1001":           "GET /api/vcenter/tagging/tags?names={value}",
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
