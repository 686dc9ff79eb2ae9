package vsphere_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/tagcontract"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vsphere"
)

type sleepRecorder struct {
	mu     sync.Mutex
	sleeps []time.Duration
	clock  time.Time
}

func (n *sleepRecorder) sleep(ctx context.Context, d time.Duration) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.sleeps = append(n.sleeps, d)
	n.clock = n.clock.Add(d)
	return ctx.Err()
}

func (n *sleepRecorder) now() time.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.clock
}

// startLab starts a lab and returns it with a client. At the end of the test, it closes both and checks that no session
// is left. Unless lab.Plain is set, tagging requests and responses are validated against the vendor's contract.
func startLab(t *testing.T, lab vcsim.Config, change ...func(*vsphere.Config)) (*vcsim.VCenter, *vsphere.Client,
	*sleepRecorder,
) {
	t.Helper()
	if !lab.Plain {
		contract, wrap := tagcontract.Load(t), lab.Wrap
		lab.Wrap = func(next http.Handler) http.Handler {
			if next = contract.Strict(t, next); wrap != nil {
				next = wrap(next)
			}
			return next
		}
	}
	v, err := vcsim.Start(t.Context(), lab)
	require.NoError(t, err)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(ca, v.CAPEM(), 0o600))
	sleeps := &sleepRecorder{clock: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)}
	config := vsphere.Config{
		Server: v.URL(), User: v.User(), Password: v.Password(),
		Settings: transport.Settings{CAFile: ca, Sleep: sleeps.sleep, Now: sleeps.now},
	}
	for _, c := range change {
		c(&config)
	}
	client, err := vsphere.New(config)
	require.NoError(t, err)
	t.Cleanup(func() {
		v.Traffic().Mend()
		ctx := context.WithoutCancel(t.Context())
		assert.NoError(t, errors.Join(client.Close(ctx), client.Close(ctx)))
		rest, soap := v.Sessions()
		assert.LessOrEqual(t, rest+soap, 0)
		assert.NoError(t, v.Close())
	})
	return v, client, sleeps
}

func newTag(t *testing.T, c *vsphere.Client) string {
	t.Helper()
	category, err := c.CreateCategory(t.Context(), vsphere.Category{Name: "sla", Cardinality: vsphere.Single})
	require.NoError(t, err)
	tag, err := c.CreateTag(t.Context(), vsphere.Tag{Name: "gold", CategoryID: category})
	require.NoError(t, err)
	return tag
}

func allVMs(v *vcsim.VCenter) []vsphere.Object {
	var objects []vsphere.Object
	for _, vm := range v.VMs() {
		objects = append(objects, vsphere.Object{Type: "VirtualMachine", ID: vm.ID})
	}
	return objects
}

func TestLogin_answers(t *testing.T) {
	t.Parallel()
	unauthenticated := func(text string) string {
		return `{"error_type":"UNAUTHENTICATED","messages":[{"id":"x","default_message":"` + text + `"}]}`
	}
	for name, test := range map[string]struct {
		rule    fault.Rule
		want    error
		message string
		logins  int
		sleeps  bool
	}{
		"locked": {
			rule: fault.Rule{Status: http.StatusUnauthorized, Body: unauthenticated("The user account is locked.")},
			want: vsphere.ErrLogin, message: "the account is locked", logins: 1,
		},
		"expired": {
			rule: fault.Rule{Status: http.StatusUnauthorized, Body: unauthenticated("User password expired.")},
			want: vsphere.ErrPasswordExpired, logins: 1,
		},
		"wrong": {
			rule: fault.Rule{Status: http.StatusUnauthorized, Body: unauthenticated("no such user/secret")},
			want: vsphere.ErrLogin, logins: 1,
		},
		"overloaded": {rule: fault.Rule{Status: http.StatusTooManyRequests, Times: 2}, logins: 3, sleeps: true},
		"form":       {rule: fault.Rule{Status: http.StatusUnsupportedMediaType, Times: 1}, logins: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, c, sleeps := startLab(t, vcsim.Config{})
			began := sleeps.now()
			test.rule.Kind = "POST session"
			v.Traffic().Break(test.rule)
			_, err := c.CategoryIDs(t.Context())
			assert.True(t, errors.Is(err, test.want) && (err == nil || strings.Contains(err.Error(), test.message)) &&
				!strings.Contains(errorText(err), "secret"), "got %v, want %v with %q", err, test.want, test.message)
			assert.Equal(t, test.logins, v.Traffic().Count("POST session"))
			assert.Equal(t, test.sleeps, !sleeps.now().Equal(began))
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestLongAnswer(t *testing.T) {
	t.Parallel()
	for kind, read := range map[string]func(context.Context, *vsphere.Client) error{
		"GET category": func(ctx context.Context, c *vsphere.Client) error {
			_, err := c.CategoryIDs(ctx)
			return err
		},
		"soap:CurrentTime": func(ctx context.Context, c *vsphere.Client) error {
			_, err := c.Time(ctx)
			return err
		},
	} {
		var long atomic.Bool
		v, c, _ := startLab(t, vcsim.Config{VMs: 1}, func(c *vsphere.Config) {
			c.Wrap = func(next http.RoundTripper) http.RoundTripper {
				return roundTripper(func(r *http.Request) (*http.Response, error) {
					long.Store(false)
					result, err := next.RoundTrip(r)
					if err == nil && long.Load() {
						result.ContentLength = transport.MaxResponseSize + 1
					}
					return result, err
				})
			}
		})
		v.Traffic().Break(fault.Rule{Kind: kind, Before: func(*http.Request) { long.Store(true) }})
		err := read(t.Context(), c)
		n := v.Traffic().Count(kind)
		assert.True(t, errors.Is(err, transport.ErrTooLarge) && n == 1 && strings.Contains(err.Error(), "larger than 64 MiB"),
			"%s: got %v after %d requests, want an error that names the limit after 1", kind, err, n)
	}
}

const (
	listTags      = "POST tag-association:list-attached-tags"
	tagsOfBatch   = "POST tag-association:list-attached-tags-on-objects"
	objectsOfTags = "POST tag-association:list-attached-objects-on-tags"
	attachBatch   = "POST tag-association:attach-tag-to-multiple-objects"
)

var newObjectDelays = []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second}

// TestTagsOfObject_gone checks that a missing object is detected over SOAP, because the tagging service reports only a
// missing privilege for it.
func TestTagsOfObject_gone(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{VMs: 2})
	v.Tags().ForbidGone(true)
	vms := allVMs(v)
	for _, gone := range []vsphere.Object{{Type: "VirtualMachine", ID: "vm-0"}, {Type: "HostSystem", ID: "host-0"}} {
		_, err := c.TagsOfObject(t.Context(), gone)
		require.ErrorIs(t, err, vsphere.ErrObjectGone, gone)
		assert.NotErrorIs(t, err, vsphere.ErrPermission, gone)
	}
	v.Traffic().Break(fault.Rule{Kind: listTags, Status: http.StatusForbidden})
	exists := func(what string) {
		t.Helper()
		_, err := c.TagsOfObject(t.Context(), vms[0])
		require.ErrorIs(t, err, vsphere.ErrPermission, what)
		assert.NotErrorIs(t, err, vsphere.ErrObjectGone, what)
	}
	exists("an object that exists")
	v.Traffic().Break(fault.Rule{
		Kind: "soap:RetrievePropertiesEx", Status: http.StatusInternalServerError, Body: soapFault("NoPermission", ""),
	})
	exists("an object that the user may not read")
	v.Traffic().Mend()
	v.Traffic().Break(fault.Rule{Kind: listTags, Status: http.StatusForbidden})
	v.Traffic().Break(fault.Rule{Kind: "soap:RetrievePropertiesEx", Status: http.StatusServiceUnavailable})
	exists("where SOAP does not answer")
}

func TestTagsOfObjects_gone(t *testing.T) {
	t.Parallel()
	e := newEstate(t, vcsim.Config{VMs: 100}, 1, 1)
	e.Tags().ForbidGone(true)
	objects := allVMs(e.VCenter)
	for _, tags := range e.tags {
		require.NoError(t, e.client.AttachTag(t.Context(), tags[0], objects))
	}
	for _, i := range []int{10, 90} {
		require.NoError(t, e.DestroyVM(objects[i].ID))
	}
	e.Traffic().Reset()
	got, err := e.client.TagsOfObjects(t.Context(), objects)
	require.NoError(t, err)
	assert.Len(t, got, 98)
	// After the first request, the batch is halved at most seven times (log2(128)) for each of the two missing objects,
	// with two requests each time. This makes at most 1 + 2 * 7 * 2 = 29 requests.
	n := e.Traffic().Count(tagsOfBatch)
	require.GreaterOrEqual(t, n, 3)
	assert.LessOrEqual(t, n, 29)
	e.Traffic().Break(fault.Rule{Kind: tagsOfBatch, Status: http.StatusForbidden})
	_, err = e.client.TagsOfObjects(t.Context(), allVMs(e.VCenter)[:3])
	assert.ErrorIs(t, err, vsphere.ErrPermission)
}

// TestNewObject checks that, if vCenter refuses to read or attach the tags of a new object, the request is retried for
// 7.5 seconds and then fails.
func TestNewObject(t *testing.T) {
	t.Parallel()
	e := newEstate(t, vcsim.Config{VMs: 3}, 1, 1)
	objects := allVMs(e.VCenter)
	fresh := objects[1]
	for _, tags := range e.tags {
		e.Tags().RefuseNext(fresh.ID, 3)
		if _, err := e.client.TagsOfNewObject(t.Context(), fresh); err != nil || !slices.Equal(e.sleeps.sleeps,
			newObjectDelays[:3]) {
			t.Errorf("tags: %v after %v", err, e.sleeps.sleeps)
		}
		e.Tags().RefuseNext(fresh.ID, 99)
		if _, err := e.client.TagsOfNewObject(t.Context(), fresh); !errors.Is(err, vsphere.ErrPermission) {
			t.Errorf("tags that stay refused: %v", err)
		}
		assert.Equal(t, newObjectDelays, e.sleeps.sleeps[3:])
		e.sleeps.sleeps = nil
		e.Tags().RefuseNext(fresh.ID, 2)
		require.NoError(t, e.client.AttachTag(t.Context(), tags[0], objects))
		assert.Equal(t, newObjectDelays[:2], e.sleeps.sleeps)
		assert.Equal(t, 3, e.Traffic().Count(attachBatch))
		require.NoError(t, e.client.DetachTag(t.Context(), tags[0], objects))
		e.Tags().RefuseNext(fresh.ID, 99)
		err := e.client.AttachTag(t.Context(), tags[0], objects)
		var refused *vsphere.PartialError
		assert.True(t, errors.As(err, &refused) && len(refused.Refused) == 1 && refused.Refused[0].ID == fresh.ID &&
			!refused.AllRefused(), "an attach that stays refused: %v", err)
	}
}

func TestObjectsByTag_batches(t *testing.T) {
	t.Parallel()
	e := newEstate(t, vcsim.Config{VMs: 2}, 1, 450)
	for _, tags := range e.tags {
		for _, tag := range tags {
			require.NoError(t, e.Tags().Attach(tag, tagging.Object(allVMs(e.VCenter)[0])))
		}
		read := func(what string, requests int) {
			t.Helper()
			e.Traffic().Reset()
			got, err := e.client.ObjectsByTag(t.Context(), tags)
			assert.True(t, err == nil && len(got) == 450 && len(got[tags[449]]) == 1,
				"%s: %d tags, %v; want 450", what, len(got), err)
			assert.Equal(t, requests, e.Traffic().Count(objectsOfTags), what)
		}
		read("batches", 3)
		e.Traffic().Reset()
		for _, matchAny := range []bool{true, false} { // the VM has all tags
			got, err := e.client.ObjectsWithTags(t.Context(), tags, matchAny)
			require.NoError(t, err, matchAny)
			assert.Len(t, got, 1, matchAny)
		}
		assert.Equal(t, 2*3, e.Traffic().Total())
		// Each tag takes 137 bytes in the response, so a response for 100 tags is within the limit, but one for 200 tags is
		// not. The last batch has 50 tags.
		e.Tags().SetAnswerLimit(20_000)
		read("too large", 2*3+1)
		e.Tags().SetAnswerLimit(0)
		e.Traffic().Break(fault.Rule{Kind: objectsOfTags, Times: 1, Status: http.StatusBadRequest, Body: "<html></html>"})
		read("a 400 without a reason", 3+2)
		assert.Empty(t, e.sleeps.sleeps)
		e.Tags().SetAnswerLimit(20)
		_, err := e.client.ObjectsByTag(t.Context(), tags[:2])
		assert.ErrorIs(t, err, vsphere.ErrUnavailable)
	}
}

func TestAllowsAllTypes(t *testing.T) {
	t.Parallel()
	list := []string{
		"Folder", "Datacenter", "HostSystem", "ClusterComputeResource", "ResourcePool", "VirtualApp", "VirtualMachine",
		"Datastore", "StoragePod", "Network", "HostNetwork", "OpaqueNetwork", "DistributedVirtualPortgroup",
		"DistributedVirtualSwitch", "VmwareDistributedVirtualSwitch", "com.vmware.content.Library",
		"com.vmware.content.library.Item",
	}
	for want, lists := range map[bool][][]string{
		true: {nil, {}, list}, false: {list[1:], append([]string{"Other"}, list...), {"VirtualMachine"}},
	} {
		for _, l := range lists {
			assert.Equal(t, want, vsphere.AllowsAllTypes(l), len(l))
		}
	}
}
