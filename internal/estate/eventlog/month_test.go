package eventlog_test

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/estate/eventlog"
	"terraform-provider-vsla/internal/plan/history"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vsphere"
)

const gib = 1 << 30

type site struct {
	*gateway.Gateway
	vc  *vcsim.VCenter
	vms []string
}

// newSite starts a site with replicated VMs. rpo is in minutes; link and the result of rate are in bytes per second.
func newSite(t *testing.T, vms int, rpo int64, link float64, rate func(i int) float64) *site {
	t.Helper()
	return newSpacedSite(t, gateway.Switches{}, vms, rpo, 0, link, rate)
}

// newSpacedSite is like newSite, but starts the appliance with the given switches, and waits for interval after
// configuring each replication.
func newSpacedSite(
	t *testing.T, switches gateway.Switches, vms int, rpo int64, interval time.Duration, link float64,
	rate func(i int) float64,
) *site {
	t.Helper()
	start := func(n, vms int) *vcsim.VCenter {
		v, err := vcsim.Start(t.Context(), vcsim.Config{Site: n, VMs: vms})
		require.NoError(t, err)
		t.Cleanup(func() { _ = v.Close() })
		return v
	}
	s := &site{vc: start(0, vms)}
	recovery := start(1, 1)
	var err error
	s.Gateway, err = gateway.Start(t.Context(), gateway.Config{
		Protected: s.vc,
		Recovery:  recovery,
		Link:      link,
		Switches:  switches,
	})
	require.NoError(t, err)
	t.Cleanup(s.Close)
	s.SetDatastore("Datastore:"+recovery.Datastores()[0].ID+":"+s.RemoteVCenterID(), true, "GREEN", 1<<60)
	for i, vm := range s.vc.VMs() {
		require.NoError(t, s.vc.SetPower(vm.ID, "poweredOn"))
		s.SetUsed(vm.ID, 1e6)
		s.SetChangeRate(vm.ID, rate(i))
		s.vms = append(s.vms, vm.ID)
		require.NoError(t, s.AddReplications(rpo, vm.ID))
		s.Advance(interval)
	}
	return s
}

func client(t *testing.T, v *vcsim.VCenter) *vsphere.Client {
	t.Helper()
	return connect(t, v.URL(), v.User(), v.Password(), v.CAPEM())
}

func connect(t *testing.T, url, user, password string, caPEM []byte) *vsphere.Client {
	t.Helper()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(ca, caPEM, 0o600))
	now := vcsim.Epoch
	c, err := vsphere.New(vsphere.Config{
		Server:   url,
		User:     user,
		Password: password,
		Settings: transport.Settings{
			CAFile: ca,
			Now: func() time.Time {
				now = now.Add(100 * time.Millisecond)
				return now
			},
		},
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close(t.Context()) })
	return c
}

// measure reads the last hours of a site. It uses a new client, because clients cache what they read.
func (s *site) measure(t *testing.T, hours float64) history.Summary {
	t.Helper()
	return s.measureVMs(t, s.vms, hours)
}

func (s *site) measureVMs(t *testing.T, vms []string, hours float64) history.Summary {
	t.Helper()
	c := client(t, s.vc)
	to, err := c.Time(t.Context())
	require.NoError(t, err)
	from := to.Add(-time.Duration(hours * float64(time.Hour)))
	rpos, err := c.ConfiguredRPOs(t.Context(), vms)
	require.NoError(t, err)
	log := history.NewLog(from, to)
	for _, id := range vms {
		log.Watch(id, history.VM{Size: 100 * gib, RPOMinutes: rpos[id]})
	}
	_, err = eventlog.Read(t.Context(), c, eventlog.Query{VMIDs: vms, From: from, To: to, TimeLimit: time.Hour},
		log.Add)
	require.NoError(t, err)
	return log.Finish()
}

func violated(r gateway.Replication, from, to time.Time) float64 {
	sum := 0.0
	for _, v := range r.Violations {
		start, end := v.Start, v.End
		if end.IsZero() || end.After(to) {
			end = to
		}
		if start.Before(from) {
			start = from
		}
		if end.After(start) {
			sum += end.Sub(start).Minutes()
		}
	}
	return sum
}

// TestMonth measures 20 VMs with an RPO of one hour over 30 days. On day 10, the link fails for three hours. For six
// hours on day 15, one VM changes faster than the link can transfer.
func TestMonth(t *testing.T) {
	t.Parallel()
	const (
		days, vms, burst = 30, 20, 7
		fast             = 20e6
		day              = 24 * time.Hour
	)
	rate := func(i int) float64 { return 1e4 * float64(1+i%10) }
	s := newSite(t, vms, 60, 12.5e6, rate)
	s.Advance(10 * day)
	s.RemoteDown(true)
	s.Advance(3 * time.Hour)
	s.RemoteDown(false)
	s.Advance(5*day - 3*time.Hour)
	s.SetChangeRate(s.vms[burst], fast)
	s.Advance(6 * time.Hour)
	s.SetChangeRate(s.vms[burst], rate(burst))
	s.Advance(15*day - 6*time.Hour)
	got := s.measure(t, days*24)
	begin, to := s.vc.Events().All()[0].At, s.Now()
	worst := 0.0
	changed := 0.0
	late := 0.0
	for i, truth := range s.Replications() {
		r := got.VMs[s.vms[i]]
		require.Equal(t, int64(truth.SyncCount), r.Syncs.Delta+r.Syncs.Full, s.vms[i])
		require.NotNil(t, r.CompliancePercent, s.vms[i])
		minutes := violated(truth, begin, to)
		late += minutes
		worst = max(worst, math.Abs(*r.CompliancePercent-100*(1-minutes/to.Sub(begin).Minutes())))
		change := rate(i) * 86400 / gib
		if i == burst {
			change += (fast - rate(i)) * 6 * 3600 / days / gib
		}
		changed += change
		assert.InDelta(t, 1.0, *r.DailyChangeGiB/change, 0.01, s.vms[i])
	}
	require.LessOrEqual(t, worst, 0.01)
	assert.GreaterOrEqual(t, late, float64(vms*60))
	assert.InDelta(t, 1.0, *got.Total.DailyChangeGiB/changed, 0.01)
	requests, events := s.vc.Traffic().Count("soap:ReadNextEvents"), len(s.vc.Events().All())
	t.Logf("compliance %.3f, off by %.5f points at most; %d events in %d pages, %d requests in all",
		*got.Total.CompliancePercent, worst, events, requests, s.vc.Traffic().Total())
	// There are 960 syncs per day, which fit on about one page. The events are read in slices of 1, 2, 4, 8 and 15
	// days.
	slices := s.vc.Traffic().Count("soap:CreateCollectorForEvents")
	require.Equal(t, 5, slices)
	assert.LessOrEqual(t, requests, events/1000+3*slices)

	// The whole day without events is unknown. So is a period of up to one RPO before it, and another after it.
	lost := vcsim.Epoch.Add(20 * 24 * time.Hour)
	s.vc.Events().DeleteEvents(lost, lost.Add(24*time.Hour))
	gap := s.measure(t, days*24)
	for _, id := range s.vms {
		more := gap.VMs[id].UnknownMinutes - got.VMs[id].UnknownMinutes
		require.GreaterOrEqual(t, more, 1440.0, id)
		assert.LessOrEqual(t, more, float64(1440+2*60), id)
	}
	lostDay := gap.Days[20]
	assert.InDelta(t, 0, lostDay.KnownMinutes, 1e-6)
	assert.Nil(t, lostDay.CompliancePercent)
}

// TestRead_tooLong checks that the read stops after one page, and that the error estimates the total time.
func TestRead_tooLong(t *testing.T) {
	t.Parallel()
	v, err := vcsim.Start(t.Context(), vcsim.Config{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = v.Close() })
	const vms = 100
	v.Events().Serve(newRotatingLog(vms, 240))
	_, err = eventlog.Read(t.Context(), client(t, v), eventlog.Query{
		VMIDs:     newVMIDs(vms),
		From:      vcsim.Epoch,
		To:        vcsim.Epoch.Add(240 * time.Hour),
		TimeLimit: time.Second,
	}, func(string, history.Event) {})
	// The VMs sync at intervals of 36 s, so a page of 1,000 events covers 999 * 36 s = 35,964 s. The 240 hours (864,000
	// s) therefore take 24.024 pages. On the client's clock, each page takes 0.1 s.
	if long, ok := errors.AsType[*eventlog.TooLongError](err); !ok || long.Estimate.Requests != 25 ||
		!strings.Contains(err.Error(), "24,024 events in 25 requests would take 2s") {
		t.Errorf("got %v, want 25 requests in 2s", err)
	}
}
