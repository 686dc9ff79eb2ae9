package vsphere_test

import (
	"errors"
	"net/http"
	"sync"
	"testing"
	"time"

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
				if err := read(); !errors.Is(err, vsphere.ErrNoOperation) || errors.Is(err, vsphere.ErrNotFound) {
					t.Errorf("%s: %v, want %v", what, err, vsphere.ErrNoOperation)
				}
			}
			if len(naps.taken) != 12 { // four waits each
				t.Errorf("waited %d times, want 12", len(naps.taken))
			}
			if err := c.DeleteTag(t.Context(), tag); err == nil {
				t.Error("the tag passes for deleted")
			}
			v.Tags().SetMissing(tagging.NotMissing)
			if _, err := c.Tag(t.Context(), tag); err != nil {
				t.Error(err)
			}
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
	if err := read(tag); errors.Is(err, vsphere.ErrNotFound) || !errors.Is(err, vsphere.ErrUnavailable) {
		t.Errorf("a tag that exists: %v", err)
	}
	if _, err := c.ObjectsWithTag(t.Context(), tag); errors.Is(err, vsphere.ErrNotFound) {
		t.Errorf("associations of a tag that exists: %v", err)
	}
	if err := c.DeleteTag(t.Context(), tag); err == nil {
		t.Error("a tag that exists passes for deleted")
	}
	if err := read("urn:vmomi:InventoryServiceTag:1:GLOBAL"); !errors.Is(err, vsphere.ErrNotFound) {
		t.Errorf("a tag that does not exist: %v", err)
	}
	v.Traffic().Reset()
	var group sync.WaitGroup
	for range 50 {
		group.Go(func() { _ = read(tag) })
	}
	group.Wait()
	if n := v.Traffic().Count("GET tag"); n >= 50 {
		t.Errorf("%d listings for 50 tags that are asked for at the same time", n)
	}
	v.Traffic().Break(fault.Rule{Kind: "GET tag", Status: http.StatusForbidden})
	if err := read(tag); errors.Is(err, vsphere.ErrNotFound) || !errors.Is(err, vsphere.ErrPermission) {
		t.Errorf("without the listing: %v", err)
	}
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
		if _, err := c.Tag(t.Context(), "x"); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", body, err, want)
		}
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
	if _, err := c.Tag(t.Context(), tag); err != nil {
		t.Error(err)
	}
	if len(naps.taken) > 0 {
		t.Errorf("waited %v", naps.taken)
	}
	v.ExpireSessions() // Close must not complain about it
}

// TestLogin_doesNotLockTheAccount: ten resources with a wrong password, by both protocols, are one failed login.
func TestLogin_doesNotLockTheAccount(t *testing.T) {
	t.Parallel()
	v, c, _ := start(t, vcsim.Config{}, func(config *vsphere.Config) { config.Password = "stale" })
	var group sync.WaitGroup
	for range 10 {
		group.Go(func() {
			if _, err := c.Tag(t.Context(), "x"); !errors.Is(err, vsphere.ErrLogin) {
				t.Error(err)
			}
		})
		group.Go(func() {
			_, err := c.VirtualMachines(t.Context(), vsphere.VMFilter{}, vsphere.VMParts{})
			if !errors.Is(err, vsphere.ErrLogin) {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if v.Locked() {
		t.Error("the account is locked")
	}
	if n := v.Traffic().Count("POST session") + v.Traffic().Count("soap:Login"); n != 1 {
		t.Errorf("%d logins, want 1", n)
	}
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
	if err != nil {
		t.Fatal(err)
	}
	_, err = other.Tag(t.Context(), "x")
	if !errors.Is(err, vsphere.ErrSessionLimit) || errors.Is(err, vsphere.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
	if len(naps.taken) != 4 {
		t.Fatalf("waited %v, want four times", naps.taken)
	}
	for _, d := range naps.taken {
		if d < 15*time.Second {
			t.Errorf("waited for %s, want 15s or more", d)
		}
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
	if _, err := c.CreateCategory(t.Context(), vsphere.Category{Name: "b"}); !errors.Is(err, vsphere.ErrInvalid) {
		t.Error(err)
	}
	if n := v.Traffic().Count("POST category"); n != 2 || len(naps.taken) > 0 {
		t.Errorf("%d requests, want 2; waited %v", n, naps.taken)
	}
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
	if err := list(); err != nil {
		t.Fatal(err)
	}
	v.Traffic().Break(fault.Rule{
		Kind:   "soap:CreateContainerView",
		Times:  1,
		Status: http.StatusInternalServerError,
		Body:   soapFault("HostNotReachable", ""),
	})
	if err := list(); err != nil || len(naps.taken) != 1 {
		t.Errorf("%v after waiting %v", err, naps.taken)
	}
	v.Traffic().Break(fault.Rule{Kind: "POST session", Status: http.StatusNotFound, Body: "<html>404</html>"})
	if _, err := c.Tag(t.Context(), "x"); !errors.Is(err, vsphere.ErrNotVCenter) || errors.Is(err, vsphere.ErrNotFound) {
		t.Errorf("login: %v", err)
	}
}
