package vsphere_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/tagcontract"
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
		Server:   v.URL(),
		User:     v.User(),
		Password: v.Password(),
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
			rule:    fault.Rule{Status: http.StatusUnauthorized, Body: unauthenticated("The user account is locked.")},
			want:    vsphere.ErrLogin,
			message: "the account is locked",
			logins:  1,
		},
		"expired": {
			rule:   fault.Rule{Status: http.StatusUnauthorized, Body: unauthenticated("User password expired.")},
			want:   vsphere.ErrPasswordExpired,
			logins: 1,
		},
		"wrong": {
			rule:   fault.Rule{Status: http.StatusUnauthorized, Body: unauthenticated("no such user/secret")},
			want:   vsphere.ErrLogin,
			logins: 1,
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
			require.ErrorIs(t, err, test.want)
			if err != nil {
				assert.Contains(t, err.Error(), test.message)
			}
			assert.NotContains(t, errorText(err), "secret")
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

var newObjectDelays = []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second}

func TestAllowsAllTypes(t *testing.T) {
	t.Parallel()
	list := []string{
		"Folder", "Datacenter", "HostSystem", "ClusterComputeResource", "ResourcePool", "VirtualApp", "VirtualMachine",
		"Datastore", "StoragePod", "Network", "HostNetwork", "OpaqueNetwork", "DistributedVirtualPortgroup",
		"DistributedVirtualSwitch", "VmwareDistributedVirtualSwitch", "com.vmware.content.Library",
		"com.vmware.content.library.Item",
	}
	for want, lists := range map[bool][][]string{
		true:  {nil, {}, list},
		false: {list[1:], append([]string{"Other"}, list...), {"VirtualMachine"}},
	} {
		for _, l := range lists {
			assert.Equal(t, want, vsphere.AllowsAllTypes(l), "%+v", len(l))
		}
	}
}
