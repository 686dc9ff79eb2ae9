package snapservice_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/snapcontract"
	lab "terraform-provider-vsla/internal/dev/lab/snapservice"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/snapservice"
	"terraform-provider-vsla/internal/transport"
)

// site is a vCenter with its appliance, a client of both, and the id of the first cluster.
type site struct {
	*lab.Appliance
	vc      *vcsim.VCenter
	client  *snapservice.Client
	cluster string
}

// start serves both until the end of the test. Requests and answers are checked against the contract.
func start(t *testing.T, switches lab.Switches, adapt func(*snapservice.Config)) *site {
	t.Helper()
	vc, err := vcsim.Start(t.Context(), vcsim.Config{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = vc.Close() })
	contract := snapcontract.Load(t)
	a, err := lab.Start(t.Context(), lab.Config{
		VCenter: vc, Switches: switches,
		Wrap: func(next http.Handler) http.Handler { return contract.Strict(t, next) },
	})
	require.NoError(t, err)
	t.Cleanup(a.Close)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(ca, slices.Concat(vc.CAPEM(), a.CAPEM()), 0o600))
	config := snapservice.Config{
		Server: a.URL(), VCenter: vc.URL(), User: vc.User(), Password: vc.Password(), Settings: transport.Settings{
			CAFile: ca, UserAgent: "test", Now: a.Now,
			Sleep: func(ctx context.Context, d time.Duration) error {
				a.Advance(d)
				return ctx.Err()
			},
			Wrap: func(next http.RoundTripper) http.RoundTripper { return contract.Requests(t, next) },
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

// tag creates the tag gold and attaches it to VMs by their positions.
func (s *site) tag(t *testing.T, positions ...int) string {
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

// gold is a group by tag that replicates every 15 minutes.
func (s *site) gold(tag string) snapservice.Spec {
	return snapservice.Spec{
		Name:    "gold",
		Targets: snapservice.Targets{Rules: []snapservice.Rule{{Tags: []string{tag}, Operator: snapservice.AllTags}}},
		Replication: []snapservice.Replication{{
			PairID: lab.PairOf(s.cluster), RPO: snapservice.Period{Unit: snapservice.Minute, Duration: 15},
			Retention: snapservice.Retention{ShortTerm: snapservice.ShortTerm{KeepLast: 1}},
		}},
	}
}

var patience = snapservice.Patience{Limit: 10 * time.Minute, Read: time.Minute}

// local returns the ids of the VMs at positions that are in the first cluster, in order.
func (s *site) local(positions ...int) []string {
	var ids []string
	for _, i := range positions {
		if vm := s.vc.VMs()[i]; vm.Cluster == s.vc.Clusters()[0].Name {
			ids = append(ids, vm.ID)
		}
	}
	slices.Sort(ids)
	return ids
}
