package snapservice_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/snapcontract"
	lab "terraform-provider-vsla/internal/dev/lab/snapservice"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/snapservice"
	"terraform-provider-vsla/internal/transport"
)

type site struct {
	*lab.Appliance
	vc      *vcsim.VCenter
	client  *snapservice.Client
	cluster string
}

func startSite(t *testing.T, switches lab.Switches, adapt func(*snapservice.Config)) *site {
	t.Helper()
	vc, err := vcsim.Start(t.Context(), vcsim.Config{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = vc.Close() })
	contract := snapcontract.Load(t)
	a, err := lab.Start(t.Context(), lab.Config{
		VCenter:  vc,
		Switches: switches,
		Wrap:     func(next http.Handler) http.Handler { return contract.Strict(t, next) },
	})
	require.NoError(t, err)
	t.Cleanup(a.Close)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(ca, slices.Concat(vc.CAPEM(), a.CAPEM()), 0o600))
	config := snapservice.Config{
		Server:   a.URL(),
		VCenter:  vc.URL(),
		User:     vc.User(),
		Password: vc.Password(),
		Settings: transport.Settings{
			CAFile:    ca,
			UserAgent: "test",
			Now:       a.Now,
			Sleep: func(ctx context.Context, d time.Duration) error {
				a.Advance(d)
				return ctx.Err()
			},
		},
	}
	if adapt != nil {
		adapt(&config)
	}
	c, err := snapservice.New(config)
	require.NoError(t, err)
	s := &site{Appliance: a, vc: vc, client: c, cluster: vc.Clusters()[0].ID}
	t.Cleanup(func() {
		a.Traffic().Mend()
		assert.NoError(t, c.Close(context.WithoutCancel(t.Context())))
		open, _ := a.Sessions()
		assert.Equal(t, 0, open)
	})
	return s
}

func (s *site) newTag(t *testing.T, positions ...int) string {
	t.Helper()
	category, err := s.vc.Tags().AddCategory(tagging.Category{Name: "tier", Cardinality: "SINGLE"})
	require.NoError(t, err)
	id, err := s.vc.Tags().AddTag(tagging.Tag{Name: "gold", CategoryID: category})
	require.NoError(t, err)
	for _, i := range positions {
		require.NoError(t, s.vc.Tags().Attach(id, tagging.Object{Type: "VirtualMachine", ID: s.vc.VMs()[i].ID}))
	}
	return id
}

func (s *site) goldSpec(tag string) snapservice.Spec {
	return snapservice.Spec{
		Name:    "gold",
		Targets: snapservice.Targets{Rules: []snapservice.Rule{{Tags: []string{tag}, Operator: snapservice.AllTags}}},
		Replication: []snapservice.Replication{{
			PairID:    lab.PairID(s.cluster),
			RPO:       snapservice.Period{Unit: snapservice.Minute, Duration: 15},
			Retention: snapservice.Retention{ShortTerm: snapservice.ShortTerm{KeepLast: 1}},
		}},
	}
}

var waitOptions = snapservice.WaitOptions{TaskTimeout: 10 * time.Minute, ReadTimeout: time.Minute}

func (s *site) localVMIDs(positions ...int) []string {
	var ids []string
	for _, i := range positions {
		if vm := s.vc.VMs()[i]; vm.Cluster == s.vc.Clusters()[0].Name {
			ids = append(ids, vm.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

func TestLogin(t *testing.T) {
	t.Parallel()
	t.Run("wrong password", func(t *testing.T) {
		t.Parallel()
		s := startSite(t, lab.Switches{}, func(c *snapservice.Config) { c.Password = "wrong-password" })
		var callers sync.WaitGroup
		for range 10 {
			callers.Go(func() {
				_, err := s.client.Groups(t.Context(), s.cluster, 0)
				require.ErrorIs(t, err, snapservice.ErrLogin)
				assert.NotContains(t, err.Error(), "wrong-password")
			})
		}
		callers.Wait()
		n := s.vc.Traffic().Count("POST /sts/STSService")
		require.Equal(t, 1, n)
		assert.False(t, s.vc.Locked(), "%d logins at the STS, want 1; locked: %v", n, s.vc.Locked())
	})
	t.Run("no token", func(t *testing.T) {
		t.Parallel()
		shared := transport.NewCredentials()
		s := startSite(t, lab.Switches{}, func(c *snapservice.Config) { c.Credentials = shared })
		const text = "The time now does not fall in the request lifetime interval"
		s.vc.Traffic().Break(fault.Rule{
			Kind:   "POST /sts/STSService",
			Status: http.StatusInternalServerError,
			Body: `<S:Envelope xmlns:S="http://schemas.xmlsoap.org/soap/envelope/"><S:Body><S:Fault>` +
				`<faultcode>ns0:InvalidTimeRange</faultcode><faultstring>` + text +
				`</faultstring></S:Fault></S:Body></S:Envelope>`,
		})
		for range 2 {
			_, err := s.client.Groups(t.Context(), s.cluster, 0)
			require.NotErrorIs(t, err, transport.ErrLogin)
			require.Error(t, err)
			assert.Contains(t, err.Error(), text)
		}
		assert.Equal(t, 1, s.vc.Traffic().Count("POST /sts/STSService"))
		other := transport.NewSession[int](shared)
		_, err := other.Open(t.Context(), func(context.Context) (int, error) { return 1, nil })
		assert.NoError(t, err)
	})
	for name, ahead := range map[string]time.Duration{"clock ahead": time.Hour, "clock behind": -24 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startSite(t, lab.Switches{}, nil)
			s.vc.SetSTSClock(ahead)
			_, err := s.client.Groups(t.Context(), s.cluster, 0)
			require.NoError(t, err)
			assert.Equal(t, 2, s.vc.Traffic().Count("POST /sts/STSService"))
		})
	}
	t.Run("long header", func(t *testing.T) {
		t.Parallel()
		s := startSite(t, lab.Switches{}, nil)
		s.Traffic().Break(fault.Rule{Kind: "POST session", Status: http.StatusRequestHeaderFieldsTooLarge})
		_, err := s.client.Groups(t.Context(), s.cluster, 0)
		assert.ErrorIs(t, err, snapservice.ErrHeader)
	})
}

func TestSession(t *testing.T) {
	t.Parallel()
	s := startSite(t, lab.Switches{}, nil)
	spec := s.goldSpec(s.newTag(t, 0))
	_, err := s.client.Groups(t.Context(), s.cluster, 0)
	require.NoError(t, err)
	s.ExpireSessions()
	var callers sync.WaitGroup
	for range 10 {
		callers.Go(func() {
			_, err := s.client.VMs(t.Context(), s.vc.Clusters()[1].ID)
			assert.NoError(t, err)
		})
	}
	callers.Go(func() {
		_, err := s.client.Create(t.Context(), s.cluster, spec, waitOptions)
		assert.NoError(t, err)
	})
	callers.Wait()
	_, ever := s.Sessions()
	assert.Equal(t, 2, ever)
	assert.Equal(t, 1, s.Traffic().Count("sites"))
}

// TestLists_null verifies that null in place of a list does not pass for an empty list.
func TestLists_null(t *testing.T) {
	t.Parallel()
	s := startSite(t, lab.Switches{}, nil)
	s.Traffic().Break(fault.Rule{Kind: "list", Status: http.StatusOK, Body: `{"items": null}`})
	_, err := s.client.Groups(t.Context(), s.cluster, 0)
	assert.ErrorContains(t, err, "a list is missing or null")
}

// TestLogin_notUnderstood verifies that a login whose response nobody understands is repeated once, because each might
// open a session.
func TestLogin_notUnderstood(t *testing.T) {
	t.Parallel()
	s := startSite(t, lab.Switches{}, nil)
	s.Traffic().Break(fault.Rule{Kind: "POST session", Status: http.StatusOK, Body: "<html>"})
	_, err := s.client.Groups(t.Context(), s.cluster, 0)
	require.ErrorIs(t, err, snapservice.ErrUnavailable)
	assert.Equal(t, 2, s.Traffic().Count("POST session"))
}

func TestSecrets(t *testing.T) {
	t.Parallel()
	s := startSite(t, lab.Switches{}, nil)
	_, err := s.client.Groups(t.Context(), s.cluster, 0)
	require.NoError(t, err)
	s.Traffic().Break(fault.Rule{
		Kind:   "list",
		Status: http.StatusBadRequest,
		Body: `{"error_type":"INVALID_ARGUMENT","messages":[{"id":"x","default_message":"session ` +
			`secret-session-0001 of ` +
			s.vc.Password() + "\\u001b[31m" + strings.Repeat("x", 64<<10) + `","args":[]}]}`,
	})
	s.Advance(1e9)
	_, err = s.client.Groups(t.Context(), s.cluster, 0)
	require.Error(t, err)
	assert.LessOrEqual(t, len(err.Error()), 1500)
	assert.False(t, strings.ContainsAny(err.Error(), "\x1b"),
		"got %.200v, want a short error without secrets and control characters", err)
	assert.NotContains(t, err.Error(), "secret-session")
	assert.NotContains(t, err.Error(), s.vc.Password())
}
