package vsphere_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vsphere"
)

// TestNotFound_forms: a 404 that does not mean that an object is gone is never ErrNotFound, and is repeated, because it
// ends when the services have started.
func TestNotFound_forms(t *testing.T) {
	t.Parallel()
	for name, form := range map[string]tagging.Missing{
		"no such URL": tagging.MissingURL, "endpoint starts": tagging.MissingHTTP,
		"no such operation": tagging.MissingOperation, "service starts": tagging.MissingService,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, c, naps := start(t, vcsim.Config{})
			tag := newTag(t, c)
			v.Tags().SetMissing(form)
			for what, read := range map[string]func() error{
				"tag":          func() error { _, err := c.Tag(t.Context(), tag); return err },
				"associations": func() error { _, err := c.ObjectsWithTag(t.Context(), tag); return err },
				"category":     func() error { _, err := c.Category(t.Context(), "x"); return err },
			} {
				err := read()
				require.ErrorIs(t, err, vsphere.ErrNoOperation, what)
				assert.NotErrorIs(t, err, vsphere.ErrNotFound, what)
			}
			if len(naps.taken) != 12 { // four waits each
				t.Errorf("waited %d times, want 12", len(naps.taken))
			}
			assert.Error(t, c.DeleteTag(t.Context(), tag), "the tag passes for deleted")
			v.Tags().SetMissing(tagging.NotMissing)
			_, err := c.Tag(t.Context(), tag)
			assert.NoError(t, err)
		})
	}
}

// TestNotFound_untyped: a 404 without a type is believed only when a listing agrees.
func TestNotFound_untyped(t *testing.T) {
	t.Parallel()
	v, c, _ := start(t, vcsim.Config{})
	tag := newTag(t, c)
	for _, kind := range []string{"GET tag/{id}", "DELETE tag/{id}", "POST tag-association/{id}?list-attached-objects"} {
		v.Traffic().Break(fault.Rule{Kind: kind, Status: http.StatusNotFound, Body: "Not found"})
	}
	read := func(id string) error { _, err := c.Tag(t.Context(), id); return err }
	err := read(tag)
	require.NotErrorIs(t, err, vsphere.ErrNotFound)
	assert.ErrorIs(t, err, vsphere.ErrUnavailable)
	_, err = c.ObjectsWithTag(t.Context(), tag)
	assert.NotErrorIs(t, err, vsphere.ErrNotFound)
	assert.Error(t, c.DeleteTag(t.Context(), tag), "a tag that exists passes for deleted")
	assert.ErrorIs(t, read("urn:vmomi:InventoryServiceTag:1:GLOBAL"), vsphere.ErrNotFound)
	v.Traffic().Reset()
	var group sync.WaitGroup
	for range 50 {
		group.Go(func() { _ = read(tag) })
	}
	group.Wait()
	assert.Less(t, v.Traffic().Count("GET tag"), 50)
	v.Traffic().Break(fault.Rule{Kind: "GET tag", Status: http.StatusForbidden})
	err = read(tag)
	require.NotErrorIs(t, err, vsphere.ErrNotFound)
	assert.ErrorIs(t, err, vsphere.ErrPermission)
}

// TestErrorType: below /api the type is at the top level, in capitals, and counts for more than the status.
func TestErrorType(t *testing.T) {
	t.Parallel()
	v, c, _ := start(t, vcsim.Config{})
	for body, want := range map[string]error{
		`{"error_type":"ALREADY_EXISTS","messages":[]}`:  vsphere.ErrConflict,
		`{"error_type":"UNAUTHORIZED","messages":[]}`:    vsphere.ErrPermission,
		`{"error_type":"NOT_FOUND","messages":[]}`:       vsphere.ErrNotFound,
		`{"error_type":"UNAUTHENTICATED","messages":[]}`: vsphere.ErrSession,
		`{"error_type":"SOMETHING_NEW","messages":[]}`:   vsphere.ErrInvalid,
	} {
		v.Traffic().Break(fault.Rule{Kind: "GET tag/{id}", Status: http.StatusBadRequest, Body: body})
		_, err := c.Tag(t.Context(), "x")
		assert.ErrorIs(t, err, want, body)
		v.Traffic().Mend()
	}
}

// TestSession_wrappedEnd: a session that has ended is replaced, even if the answer is a 400 that wraps the reason.
func TestSession_wrappedEnd(t *testing.T) {
	t.Parallel()
	v, c, naps := start(t, vcsim.Config{})
	tag := newTag(t, c)
	v.WrapSessionEnds(true)
	v.ExpireSessions()
	_, err := c.Tag(t.Context(), tag)
	assert.NoError(t, err)
	assert.Empty(t, naps.taken)
	v.ExpireSessions() // Close must not complain about it
}

// TestLogin_doesNotLockTheAccount: ten resources with a wrong password, by both protocols, are one failed login.
func TestLogin_doesNotLockTheAccount(t *testing.T) {
	t.Parallel()
	v, c, _ := start(t, vcsim.Config{}, func(config *vsphere.Config) { config.Password = "stale" })
	var group sync.WaitGroup
	for range 10 {
		group.Go(func() {
			_, err := c.Tag(t.Context(), "x")
			assert.ErrorIs(t, err, vsphere.ErrLogin)
		})
		group.Go(func() {
			_, err := c.VirtualMachines(t.Context(), vsphere.VMFilter{}, vsphere.VMParts{})
			assert.ErrorIs(t, err, vsphere.ErrLogin)
		})
	}
	group.Wait()
	assert.False(t, v.Locked(), "the account is locked")
	assert.Equal(t, 1, v.Traffic().Count("POST session")+v.Traffic().Count("soap:Login"))
}

// TestLogin_sessionLimit: a login above the limit of sessions waits for longer than an outage, and its error names the
// limit.
func TestLogin_sessionLimit(t *testing.T) {
	t.Parallel()
	v, c, _ := start(t, vcsim.Config{MaxSessions: 1})
	newTag(t, c)
	naps := &naps{}
	other, err := vsphere.New(vsphere.Config{
		Server: v.URL(), User: v.User(), Password: v.Password(),
		Settings: transport.Settings{Insecure: true, Sleep: naps.sleep, Now: naps.now},
	})
	require.NoError(t, err)
	_, err = other.Tag(t.Context(), "x")
	require.ErrorIs(t, err, vsphere.ErrSessionLimit)
	assert.NotErrorIs(t, err, vsphere.ErrUnavailable)
	require.Len(t, naps.taken, 4)
	for _, d := range naps.taken {
		assert.GreaterOrEqual(t, d, 15*time.Second)
	}
}

// TestMissingField: vCenter has been seen to miss a field that was sent; the request is repeated once.
func TestMissingField(t *testing.T) {
	t.Parallel()
	const body = `{"type":"com.vmware.vapi.std.errors.invalid_argument","value":{"messages":[{"args":[],` +
		`"default_message":"missing","id":"vapi.data.structure.field.missing"}]}}`
	v, c, naps := start(t, vcsim.Config{})
	v.Traffic().Break(fault.Rule{Kind: "POST category", Times: 1, Status: http.StatusBadRequest, Body: body})
	newTag(t, c)
	v.Traffic().Break(fault.Rule{Kind: "POST category", Status: http.StatusBadRequest, Body: body})
	v.Traffic().Reset()
	_, err := c.CreateCategory(t.Context(), vsphere.Category{Name: "b"})
	assert.ErrorIs(t, err, vsphere.ErrInvalid)
	require.Equal(t, 2, v.Traffic().Count("POST category"))
	assert.Empty(t, naps.taken)
}

// TestNotReached: a fault about a host that vCenter did not reach is repeated, and is not "rejected as invalid"; a
// server without the login of vCenter is not "not found".
func TestNotReached(t *testing.T) {
	t.Parallel()
	v, c, naps := start(t, vcsim.Config{})
	list := func() error {
		_, err := c.VirtualMachines(t.Context(), vsphere.VMFilter{}, vsphere.VMParts{})
		return err
	}
	require.NoError(t, list())
	v.Traffic().Break(fault.Rule{
		Kind:   "soap:CreateContainerView",
		Times:  1,
		Status: http.StatusInternalServerError,
		Body:   soapFault("HostNotReachable", ""),
	})
	require.NoError(t, list())
	assert.Len(t, naps.taken, 1)
	v.Traffic().Break(fault.Rule{Kind: "POST session", Status: http.StatusNotFound, Body: "<html>404</html>"})
	_, err := c.Tag(t.Context(), "x")
	require.ErrorIs(t, err, vsphere.ErrNotVCenter)
	assert.NotErrorIs(t, err, vsphere.ErrNotFound)
}
