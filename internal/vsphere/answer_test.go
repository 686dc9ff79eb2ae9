package vsphere_test

import (
	"errors"
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

// TestNotFound_forms checks that a 404 that does not identify a missing object is retried and never becomes
// ErrNotFound, because vCenter returns such a 404 while its services are starting.
func TestNotFound_forms(t *testing.T) {
	t.Parallel()
	for name, form := range map[string]tagging.Missing{
		"no such URL":       tagging.MissingURL,
		"endpoint starts":   tagging.MissingHTTP,
		"no such operation": tagging.MissingOperation,
		"service starts":    tagging.MissingService,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, c, sleeps := startLab(t, vcsim.Config{})
			tag := newTag(t, c)
			v.Tags().SetMissing(form)
			for what, read := range map[string]func() error{
				"tag": func() error {
					_, err := c.Tag(t.Context(), tag)
					return err
				},
				"associations": func() error {
					_, err := c.ObjectsWithTag(t.Context(), tag)
					return err
				},
				"category": func() error {
					_, err := c.Category(t.Context(), "x")
					return err
				},
			} {
				err := read()
				require.ErrorIs(t, err, vsphere.ErrNoOperation, what)
				require.NotErrorIs(t, err, vsphere.ErrNotFound, what)
			}
			if len(sleeps.sleeps) != 12 { // four delays per call
				t.Errorf("waited %d times, want 12", len(sleeps.sleeps))
			}
			require.Error(t, c.DeleteTag(t.Context(), tag), "the tag passes for deleted")
			v.Tags().SetMissing(tagging.NotMissing)
			_, err := c.Tag(t.Context(), tag)
			assert.NoError(t, err)
		})
	}
}

func TestNotFound_untyped(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{})
	tag := newTag(t, c)
	for _, kind := range []string{
		"GET tag/{id}", "DELETE tag/{id}",
		"POST tag-association/{id}?list-attached-objects",
	} {
		v.Traffic().Break(fault.Rule{Kind: kind, Status: http.StatusNotFound, Body: "Not found"})
	}
	read := func(id string) error {
		_, err := c.Tag(t.Context(), id)
		return err
	}
	err := read(tag)
	require.NotErrorIs(t, err, vsphere.ErrNotFound)
	require.ErrorIs(t, err, vsphere.ErrUnavailable)
	_, err = c.ObjectsWithTag(t.Context(), tag)
	require.NotErrorIs(t, err, vsphere.ErrNotFound)
	require.Error(t, c.DeleteTag(t.Context(), tag), "a tag that exists passes for deleted")
	require.ErrorIs(t, read("urn:vmomi:InventoryServiceTag:1:GLOBAL"), vsphere.ErrNotFound)
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

// TestErrorType checks that the upper-case error type at the top level of an /api response takes precedence over the
// status.
func TestErrorType(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{})
	for body, want := range map[string]error{
		`{"error_type":"ALREADY_EXISTS","messages":[]}`:  vsphere.ErrConflict,
		`{"error_type":"UNAUTHORIZED","messages":[]}`:    vsphere.ErrPermission,
		`{"error_type":"NOT_FOUND","messages":[]}`:       vsphere.ErrNotFound,
		`{"error_type":"UNAUTHENTICATED","messages":[]}`: vsphere.ErrSession,
		`{"error_type":"SOMETHING_NEW","messages":[]}`:   vsphere.ErrInvalid,
	} {
		v.Traffic().Break(fault.Rule{Kind: "GET tag/{id}", Status: http.StatusBadRequest, Body: body})
		_, err := c.Tag(t.Context(), "x")
		require.ErrorIs(t, err, want, body)
		v.Traffic().Mend()
	}
}

func TestSession_wrappedEnd(t *testing.T) {
	t.Parallel()
	v, c, sleeps := startLab(t, vcsim.Config{})
	tag := newTag(t, c)
	v.WrapSessionEnds(true)
	v.ExpireSessions()
	_, err := c.Tag(t.Context(), tag)
	require.NoError(t, err)
	assert.Empty(t, sleeps.sleeps)
	v.ExpireSessions() // Close must ignore the expired session
}

func TestLogin_doesNotLockTheAccount(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{}, func(config *vsphere.Config) { config.Password = "stale" })
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

func TestLogin_sessionLimit(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{MaxSessions: 1})
	newTag(t, c)
	sleeps := &sleepRecorder{}
	other, err := vsphere.New(vsphere.Config{
		Server:   v.URL(),
		User:     v.User(),
		Password: v.Password(),
		Settings: transport.Settings{Insecure: true, Sleep: sleeps.sleep, Now: sleeps.now},
	})
	require.NoError(t, err)
	_, err = other.Tag(t.Context(), "x")
	require.ErrorIs(t, err, vsphere.ErrSessionLimit)
	require.NotErrorIs(t, err, vsphere.ErrUnavailable)
	require.Len(t, sleeps.sleeps, 4)
	for _, d := range sleeps.sleeps {
		assert.GreaterOrEqual(t, d, 15*time.Second)
	}
}

func TestMissingField(t *testing.T) {
	t.Parallel()
	const body = `{"type":"com.vmware.vapi.std.errors.invalid_argument","value":{"messages":[{"args":[],` +
		`"default_message":"missing","id":"vapi.data.structure.field.missing"}]}}`
	v, c, sleeps := startLab(t, vcsim.Config{})
	v.Traffic().Break(fault.Rule{Kind: "POST category", Times: 1, Status: http.StatusBadRequest, Body: body})
	newTag(t, c)
	v.Traffic().Break(fault.Rule{Kind: "POST category", Status: http.StatusBadRequest, Body: body})
	v.Traffic().Reset()
	_, err := c.CreateCategory(t.Context(), vsphere.Category{Name: "b"})
	require.ErrorIs(t, err, vsphere.ErrInvalid)
	require.Equal(t, 2, v.Traffic().Count("POST category"))
	assert.Empty(t, sleeps.sleeps)
}

func TestNotReached(t *testing.T) {
	t.Parallel()
	v, c, sleeps := startLab(t, vcsim.Config{})
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
	assert.Len(t, sleeps.sleeps, 1)
	v.Traffic().Break(fault.Rule{Kind: "POST session", Status: http.StatusNotFound, Body: "<html>404</html>"})
	_, err := c.Tag(t.Context(), "x")
	require.ErrorIs(t, err, vsphere.ErrNotVCenter)
	assert.NotErrorIs(t, err, vsphere.ErrNotFound)
}

// TestLogin_notVCenter verifies that a server without the login of SOAP is no vCenter.
func TestLogin_notVCenter(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{})
	v.Traffic().Break(fault.Rule{Kind: "soap:Login", Status: http.StatusNotFound})
	_, err := c.VirtualMachines(t.Context(), vsphere.VMFilter{}, vsphere.VMParts{})
	require.ErrorIs(t, err, vsphere.ErrNotVCenter)
}

// TestErrors_visible verifies that the text of a server adds no line to a job's log.
func TestErrors_visible(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{})
	tag := newTag(t, c)
	v.Traffic().Break(fault.Rule{
		Kind:   "GET tag/{id}",
		Status: http.StatusBadRequest,
		Body: `{"messages":[
		{"id":"x","default_message":"no\n::error::x\u001b[2J"}]}`,
	})
	_, err := c.Tag(t.Context(), tag)
	assert.ErrorContains(t, err, `no\n::error::x\x1b[2J`)
}

// TestLists_null verifies that null in place of a list does not pass for an empty list.
func TestLists_null(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{
		"GET category", "POST tag-association:list-attached-objects-on-tags",
		"POST tag-association:list-attached-tags-on-objects",
	} {
		v, c, _ := startLab(t, vcsim.Config{})
		tag := newTag(t, c)
		v.Traffic().Break(fault.Rule{Kind: kind, Status: http.StatusOK, Body: "null"})
		_, err := c.Categories(t.Context(), func(vsphere.Category) bool { return true })
		_, listed := c.ObjectsByTag(t.Context(), []string{tag})
		_, attached := c.TagsOfObjects(t.Context(), []vsphere.Object{{Type: "VirtualMachine", ID: "vm-1"}})
		assert.ErrorContains(t, errors.Join(err, listed, attached), "a list is missing or null", kind)
	}
}

// TestLogin_notUnderstood verifies that a login whose response nobody understands is repeated once, because each might
// open a session.
func TestLogin_notUnderstood(t *testing.T) {
	t.Parallel()
	for _, run := range [][2]string{
		{"POST session", "<html>"},
		{"POST session", `""`},
		{"soap:Login", "<html></html>"},
		{"soap:Login", "<html"},
	} {
		kind, body := run[0], run[1]
		v, c, _ := startLab(t, vcsim.Config{})
		v.Traffic().Break(fault.Rule{Kind: kind, Status: http.StatusOK, Body: body})
		_, err := c.Tag(t.Context(), "x")
		_, listed := c.VirtualMachines(t.Context(), vsphere.VMFilter{}, vsphere.VMParts{})
		require.ErrorIs(t, errors.Join(err, listed), vsphere.ErrUnavailable, kind)
		assert.Equal(t, 2, v.Traffic().Count(kind), kind)
	}
}
