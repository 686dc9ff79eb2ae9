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

type paths struct {
	mu   sync.Mutex
	list []string
}

func (p *paths) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.list = append(p.list, r.URL.Path)
		p.mu.Unlock()
		next.ServeHTTP(w, r)
	})
}

func (p *paths) take(prefix string) (n, total int) {
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

func lifeOfTags(t *testing.T, v *vcsim.VCenter, c *vsphere.Client) {
	t.Helper()
	ctx, vms := t.Context(), allVMs(v)
	check := func(what string, err error) {
		t.Helper()
		require.NoError(t, err, what)
	}
	category, err := c.CreateCategory(ctx, vsphere.Category{
		Name: "sla", Cardinality: vsphere.Multiple, AssociableTypes: []string{"VirtualMachine"},
	})
	check("create a category", err)
	_, err = c.CreateCategory(ctx, vsphere.Category{Name: "sla", Cardinality: vsphere.Multiple})
	assert.ErrorIs(t, err, vsphere.ErrConflict)
	check("update the category", c.UpdateCategory(ctx, vsphere.Category{
		ID: category, Name: "SLA", Description: "promises", Cardinality: vsphere.Multiple,
		AssociableTypes: []string{"VirtualMachine", "HostSystem"},
	}))
	read, err := c.CategoryByName(ctx, "SLA")
	check("read the category", err)
	require.Equal(t, "promises", read.Description)
	assert.Len(t, read.AssociableTypes, 2)
	gold, err := c.CreateTag(ctx, vsphere.Tag{Name: "gold", CategoryID: category})
	check("create a tag", err)
	silver, err := c.CreateTag(ctx, vsphere.Tag{Name: "silver", CategoryID: category})
	check("create another tag", err)
	check("update the tag", c.UpdateTag(ctx, vsphere.Tag{ID: gold, Name: "gold", Description: "15 minutes"}))
	tag, err := c.TagByName(ctx, category, "gold")
	check("read the tag", err)
	assert.True(t, tag.ID == gold && tag.Description == "15 minutes" && tag.CategoryID == category,
		"the tag is %+v", tag)
	check("attach a tag", c.AttachTag(ctx, gold, vms))
	check("attach tags", c.AttachTags(ctx, vms[0], []string{silver}))
	for what, n := range map[string]func() (int, error){
		"tags of the category": func() (int, error) { return c.CountTags(ctx, category) },
		"objects of the tag":   func() (int, error) { list, err := c.ObjectsWithTag(ctx, silver); return len(list) + 1, err },
		"tags of the object":   func() (int, error) { list, err := c.TagsOfObject(ctx, vms[0]); return len(list), err },
		"objects by tag": func() (int, error) {
			list, err := c.ObjectsByTag(ctx, []string{gold, silver})
			return len(list), err
		},
		"tags by object": func() (int, error) {
			list, err := c.TagsOfObjects(ctx, vms[:1])
			return len(list[vms[0]]), err
		},
	} {
		got, err := n()
		require.NoError(t, err, what)
		assert.Equal(t, 2, got, what)
	}
	check("detach a tag", c.DetachTag(ctx, gold, vms))
	check("detach tags", c.DetachTags(ctx, vms[0], []string{silver}))
	count, err := c.Associations(ctx, []string{gold, silver})
	require.NoError(t, err)
	assert.Equal(t, 0, count.Objects)
	check("delete a tag", c.DeleteTag(ctx, gold))
	check("delete it again", c.DeleteTag(ctx, gold))
	_, err = c.Tag(ctx, gold)
	assert.ErrorIs(t, err, vsphere.ErrNotFound)
	check("delete the category", c.DeleteCategory(ctx, category))
	_, err = c.CountTags(ctx, category)
	assert.ErrorIs(t, err, vsphere.ErrNotFound)
	assert.Empty(t, v.Tags().Leftovers())
}

// TestProtocol_byRelease: every operation works on every release, below /api where the release has tagging there and
// below /rest before. Requests and answers keep the vendor's contract, which start checks.
func TestProtocol_byRelease(t *testing.T) {
	t.Parallel()
	for release, prefix := range map[tagging.Release]string{
		tagging.Release67: "/rest/", tagging.Release70: "/rest/",
		tagging.Release80: "/api/", tagging.Release90: "/api/", tagging.Release91: "/api/",
	} {
		t.Run(string(release), func(t *testing.T) {
			t.Parallel()
			var sent paths
			v, c, naps := start(t, vcsim.Config{VMs: 3, Release: release, Wrap: sent.wrap})
			lifeOfTags(t, v, c)
			other := map[string]string{"/rest/": "/api/cis/", "/api/": "/rest/"}[prefix]
			n, _ := sent.take(other)
			assert.Equal(t, 0, n, other)
			assert.Empty(t, naps.taken)
		})
	}
}

// TestProtocol_costs: where /api is served, the choice costs no request; where it is not, one for the connection.
func TestProtocol_costs(t *testing.T) {
	t.Parallel()
	for release, logins := range map[tagging.Release]int{
		tagging.Release70: 2, tagging.Release80: 1, tagging.Release91: 1,
	} {
		v, c, _ := start(t, vcsim.Config{VMs: -1, Release: release})
		for i := range 5 {
			_, err := c.Tag(t.Context(), strconv.Itoa(i))
			assert.ErrorIs(t, err, vsphere.ErrNotFound, release)
		}
		v.ExpireSessions()
		_, err := c.Tag(t.Context(), "x")
		assert.ErrorIs(t, err, vsphere.ErrNotFound, release)
		// A login more for the session that expired, and the request that found out.
		assert.Equal(t, logins+1, v.Traffic().Count("POST session"), release)
		assert.Equal(t, 5+2, v.Traffic().Count("GET tag/{id}"), release)
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

// TestProtocol_sessionsOnly: 7.0 has sessions below /api before it has tagging there. The first request finds out, and
// the others go below /rest at once, with the same session.
func TestProtocol_sessionsOnly(t *testing.T) {
	t.Parallel()
	v, c, naps := start(t, vcsim.Config{VMs: 3, Wrap: withoutTagging("/api/cis/tagging/")})
	lifeOfTags(t, v, c)
	require.Equal(t, 1, v.Traffic().Count("POST session"))
	assert.Empty(t, naps.taken)
	assert.Equal(t, 3, v.Traffic().Count("POST category"))
}

// TestProtocol_isKept: services that start for a while do not change a protocol that has worked, nor choose one.
func TestProtocol_isKept(t *testing.T) {
	t.Parallel()
	var sent paths
	v, c, _ := start(t, vcsim.Config{VMs: -1, Wrap: sent.wrap})
	v.Tags().SetMissing(tagging.MissingService)
	_, err := c.Tag(t.Context(), "x")
	assert.ErrorIs(t, err, vsphere.ErrNoOperation)
	v.Tags().SetMissing(tagging.NotMissing)
	newTag(t, c)
	sent.take("")
	v.Traffic().Break(fault.Rule{
		Kind: "GET tag/{id}", Times: 1, Status: http.StatusNotFound,
		Body: `{"error_type":"OPERATION_NOT_FOUND","messages":[]}`,
	})
	_, err = c.Tag(t.Context(), "x")
	assert.ErrorIs(t, err, vsphere.ErrNotFound)
	n, total := sent.take("/rest/")
	require.Equal(t, 0, n)
	assert.Equal(t, 1, total)
}
