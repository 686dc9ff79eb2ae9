package vsphere_test

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/vsphere"
)

type requestPaths struct {
	mu   sync.Mutex
	list []string
}

func (p *requestPaths) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.list = append(p.list, r.URL.Path)
		p.mu.Unlock()
		next.ServeHTTP(w, r)
	})
}

func (p *requestPaths) takeCount(prefix string) (n, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, path := range p.list {
		if strings.HasPrefix(path, prefix) {
			n++
		}
	}
	total, p.list = len(p.list), nil
	return n, total
}

// TestProtocol_costs checks that choosing the protocol takes no additional request if the server supports /api, and
// otherwise one per connection.
func TestProtocol_costs(t *testing.T) {
	t.Parallel()
	for release, logins := range map[tagging.Release]int{
		tagging.Release70: 2,
		tagging.Release80: 1,
		tagging.Release91: 1,
	} {
		v, c, _ := startLab(t, vcsim.Config{VMs: -1, Release: release})
		for i := range 5 {
			_, err := c.Tag(t.Context(), strconv.Itoa(i))
			require.ErrorIs(t, err, vsphere.ErrNotFound, "%+v", release)
		}
		v.ExpireSessions()
		_, err := c.Tag(t.Context(), "x")
		require.ErrorIs(t, err, vsphere.ErrNotFound, "%+v", release)
		// One more login for the expired session, plus the request that detected the expiry.
		assert.Equal(t, logins+1, v.Traffic().Count("POST session"), "%+v", release)
		assert.Equal(t, 5+2, v.Traffic().Count("GET tag/{id}"), "%+v", release)
	}
}

func withoutTagging(prefix string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, prefix) {
				tagging.NoSuchOperation(w, r)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// TestProtocol_sessionsOnly checks that a client of vCenter 7.0, which has sessions but no tagging below /api, switches
// to /rest after its first request and keeps its session.
func TestProtocol_sessionsOnly(t *testing.T) {
	t.Parallel()
	v, c, sleeps := startLab(t, vcsim.Config{VMs: 3, Wrap: withoutTagging("/api/cis/tagging/")})
	category, err := c.CreateCategory(t.Context(), vsphere.Category{Name: "sla", Cardinality: vsphere.Single})
	require.NoError(t, err)
	require.NoError(t, c.DeleteCategory(t.Context(), category))
	require.Equal(t, 1, v.Traffic().Count("POST session"))
	assert.Empty(t, sleeps.sleeps)
	assert.Equal(t, 2, v.Traffic().Count("POST category"))
}

func TestProtocol_isKept(t *testing.T) {
	t.Parallel()
	var sent requestPaths
	v, c, _ := startLab(t, vcsim.Config{VMs: -1, Wrap: sent.wrap})
	v.Tags().SetMissing(tagging.MissingService)
	_, err := c.Tag(t.Context(), "x")
	require.ErrorIs(t, err, vsphere.ErrNoOperation)
	v.Tags().SetMissing(tagging.NotMissing)
	newTag(t, c)
	sent.takeCount("")
	v.Traffic().Break(fault.Rule{
		Kind:   "GET tag/{id}",
		Times:  1,
		Status: http.StatusNotFound,
		Body:   `{"error_type":"OPERATION_NOT_FOUND","messages":[]}`,
	})
	_, err = c.Tag(t.Context(), "x")
	require.ErrorIs(t, err, vsphere.ErrNotFound)
	n, total := sent.takeCount("/rest/")
	require.Equal(t, 0, n)
	assert.Equal(t, 1, total)
}
