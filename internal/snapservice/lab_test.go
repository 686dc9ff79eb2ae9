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

type site struct {
	*lab.Appliance
	vc      *vcsim.VCenter
	client  *snapservice.Client
	cluster string
}

// startSite starts a lab and returns it with a client. At the end of the test, it checks that no session is left. adapt
// may be nil.
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

// newTag creates the tag gold and attaches it to the VMs at the positions.
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

// goldSpec returns a group of all VMs with the tag, with an RPO of 15 minutes.
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

// localVMIDs returns the sorted IDs of the VMs at those positions that are in the first cluster. In a default lab,
// these are the even positions.
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
