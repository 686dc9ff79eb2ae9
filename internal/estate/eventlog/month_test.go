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
	"terraform-provider-vsla/internal/plan/calibration"
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
		Protected: s.vc, Recovery: recovery, Link: link, Switches: switches,
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
		Server: url, User: user, Password: password, Settings: transport.Settings{
			CAFile: ca, Now: func() time.Time { now = now.Add(100 * time.Millisecond); return now },
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
	_, err = eventlog.Read(t.Context(), c, eventlog.Query{VMIDs: vms, From: from, To: to, TimeLimit: time.Hour}, log.Add)
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
	worst, changed, late := 0.0, 0.0, 0.0
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
	// There are 960 syncs per day, which fit on about one page. The events are read in slices of 1, 2, 4, 8 and 15 days.
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
	if day := gap.Days[20]; day.KnownMinutes > 1e-6 || day.CompliancePercent != nil {
		t.Errorf("the lost day is %+v", day)
	}
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
		VMIDs: newVMIDs(vms), From: vcsim.Epoch, To: vcsim.Epoch.Add(240 * time.Hour), TimeLimit: time.Second,
	}, func(string, history.Event) {})
	// The VMs sync at intervals of 36 s, so a page of 1,000 events covers 999 * 36 s = 35,964 s. The 240 hours (864,000
	// s) therefore take 24.024 pages. On the client's clock, each page takes 0.1 s.
	if long, ok := errors.AsType[*eventlog.TooLongError](err); !ok || long.Estimate.Requests != 25 ||
		!strings.Contains(err.Error(), "24,024 events in 25 requests would take 2s") {
		t.Errorf("got %v, want 25 requests in 2s", err)
	}
}

// blogRule is the scheduling rule from VMware's blog of June 2014: the next sync is expected to take 1.2 times the mean
// duration of the last 15 syncs.
func blogRule(rpo time.Duration, measured []time.Duration, _ float64) time.Duration {
	sum := time.Duration(0)
	for _, took := range measured {
		sum += took
	}
	if len(measured) == 0 {
		return rpo / 2
	}
	return max(0, rpo-time.Duration(1.2*float64(sum)/float64(len(measured))))
}

// TestReplay checks that a replay of the measured change rates reproduces the measured compliance within half a
// percentage point, even if, for some hours each day, the VMs change faster than the link can transfer. VMs that are
// configured at the same time also sync at the same time, so their replay needs StartTogether.
func TestReplay(t *testing.T) {
	t.Parallel()
	for name, scenario := range map[string]replayScenario{
		// 20 VMs at 250 kB/s need 5 MB/s, but the link provides only 4 MB/s.
		"a quarter above the link in step": {vms: 20, rpo: 15, noon: 2.5e5},
		"twice the link in step":           {vms: 20, rpo: 15, noon: 4e5},
		"a quarter above the link":         {vms: 20, rpo: 15, noon: 2.5e5, interval: 45 * time.Second, reported: true},
		"twice the link":                   {vms: 20, rpo: 15, noon: 4e5, interval: 45 * time.Second},
		// From 18:00 to 22:00, 30 VMs change at 160 kB/s each, which is 4.8 MB/s in total.
		"an evening with an RPO of half an hour": {vms: 30, rpo: 30, noon: 1.6e5, interval: time.Minute, from: 18, to: 22},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			scenario.check(t, 0.5)
		})
	}
}

// replayScenario describes VMs that are configured one after another, at the given interval. The fields from and to are
// hours of the day (9 and 11 by default). Between them, each VM changes at the rate noon, in bytes per second. rpo is
// in minutes.
type replayScenario struct {
	vms      int
	rpo      int64
	noon     float64
	interval time.Duration
	from, to int
	// reported repeats the measurement with every combination of vCenter behaviors.
	reported bool
}

// behaviours returns all combinations of four settings: violations are reported repeatedly, every other sync is
// unquiesced, events of other VMs are hidden, and every third page is empty.
func behaviours(hidden []string) []vcsim.Behaviour {
	list := make([]vcsim.Behaviour, 1<<4)
	for set := range list {
		b := &list[set]
		if set&1 != 0 {
			b.RepeatViolations = 15 * time.Minute
		}
		if set&2 != 0 {
			b.Unquiesced = 2
		}
		if set&4 != 0 {
			b.Hidden = hidden
		}
		if set&8 != 0 {
			b.EmptyPages = 3
		}
	}
	return list
}

// checkReported checks that vCenter's behavior does not affect the last day's results of 17 VMs. It tries all 16
// combinations, with and without a clone of one VM.
func (s *site) checkReported(t *testing.T) {
	t.Helper()
	vms, others := s.vms[:17], s.vms[17:]
	want := s.measureVMs(t, vms, 24)
	for _, cloned := range []bool{false, true} {
		if cloned {
			require.NoError(t, s.vc.CloneSettings(vms[0], others[0]))
		}
		for _, b := range behaviours(others) {
			s.vc.Events().Behave(b)
			got := s.measureVMs(t, vms, 24)
			for id, vm := range want.VMs {
				r := got.VMs[id]
				if r.CompliancePercent == nil || math.Abs(*r.CompliancePercent-*vm.CompliancePercent) > 0.5 ||
					r.Violations != vm.Violations {
					t.Errorf("%+v, cloned %t, %s: got %+v, want %+v", b, cloned, id, r, vm)
				}
			}
		}
	}
}

// check compares the compliance of a measured week with that of four replayed weeks. Individual days may differ by
// several percentage points, because each sync depends on all previous ones.
func (sc replayScenario) check(t *testing.T, points float64) {
	t.Helper()
	const (
		days, replay = 8, 28
		link         = 4e6 // bytes per second, or 32 Mbit/s
		// 20 VMs at 60 kB/s need 1.2 MB/s; 30 VMs need 1.8 MB/s.
		night = 6e4
	)
	if sc.to == 0 {
		sc.from, sc.to = 9, 11
	}
	appliance := gateway.Switches{Rule: blogRule}
	s := newSpacedSite(t, appliance, sc.vms, sc.rpo, sc.interval, link, func(int) float64 { return night })
	s.Advance(vcsim.Epoch.Add(24 * time.Hour).Sub(s.Now()))
	for range days {
		for _, step := range []struct {
			hours int
			rate  float64
		}{{sc.from, sc.noon}, {sc.to - sc.from, night}, {24 - sc.to, night}} {
			s.Advance(time.Duration(step.hours) * time.Hour)
			for _, id := range s.vms {
				s.SetChangeRate(id, step.rate)
			}
		}
	}
	reports := []vcsim.Behaviour{{}}
	if sc.reported {
		s.checkReported(t)
		all := behaviours(nil)
		reports = append(reports, all[len(all)-1])
	}
	for _, b := range reports {
		s.vc.Events().Behave(b)
		sc.replay(t, s.measure(t, (days-1)*24).Total, link, replay, points)
	}
}

func (sc replayScenario) replay(t *testing.T, measured history.Result, link float64, replay, points float64) {
	t.Helper()
	in := calibration.Defaults()
	in.RPOMinutes, in.VMSizeGiB, in.ThroughputMbps = float64(sc.rpo), new(100.0), new(link*8/1e6)
	in.CompliancePercent, in.VMCount, in.Days = measured.CompliancePercent, float64(sc.vms), replay
	in.ChangeCurve, in.HourlyWeights = measured.ChangeCurve, measured.HourlyWeights
	in.StartTogether = sc.interval == 0
	r, err := calibration.Calibrate(in)
	require.NoError(t, err)
	t.Logf("measured %.3f %%, replayed %.3f %%, weights %.3f, curve %v", *measured.CompliancePercent,
		*r.ReplayedCompliancePercent, measured.HourlyWeights, measured.ChangeCurve)
	assert.LessOrEqual(t, *measured.CompliancePercent, 97.0)
	assert.LessOrEqual(t, math.Abs(*r.ComplianceDifference), points,
		"measured %v %%, replayed %v %%", *measured.CompliancePercent, *r.ReplayedCompliancePercent)
}
