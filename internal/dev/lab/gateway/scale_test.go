package gateway_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

// TestDeterminism: the same seed and the same requests produce the same bytes, another seed does not.
func TestDeterminism(t *testing.T) {
	t.Parallel()
	play := func(seed uint64) string {
		l := connect(t, gateway.Config{Seed: seed, Listen: "127.0.0.1:0"})
		l.StepPerPoll(time.Second)
		var out strings.Builder
		note := func(a answer) {
			out.WriteString(strings.ReplaceAll(string(a.raw), l.URL(), "") + "\n") // the port is the system's
		}
		var specs []any
		for i := range 5 {
			specs = append(specs, l.spec(t, i))
			l.SetChangeRate(l.vm(i), float64(i)*1e5)
		}
		note(l.call(t, http.MethodPost, l.pairing+"/replications", specs))
		note(l.get(t, "/tasks"))
		note(l.call(t, http.MethodPost, l.pairing+"/replications", []any{specs[0]})) // refused, with an op_id
		for range 20 {
			l.Advance(17 * time.Minute)
			note(l.get(t, l.pairing+"/replications?extended_info=true"))
		}
		note(l.get(t, "/pairings"))
		note(l.get(t, l.pairing+"/vcenters/"+l.LocalVCenterID()+"/vms"))
		note(l.get(t, l.pairing+"/vcenters/"+l.RemoteVCenterID()+"/datastores"))
		fmt.Fprintf(&out, "%+v\n", l.Replications())
		return out.String()
	}
	first := play(1)
	if second := play(1); second != first {
		t.Errorf("two runs differ:\n%s\n%s", first, second)
	}
	if play(2) == first {
		t.Error("the seed makes no difference")
	}
}

// TestParallel: ten clients at once, each with replications of its own.
func TestParallel(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{})
	l.StepPerPoll(time.Second)
	var wg sync.WaitGroup
	for i := range 10 {
		spec := l.spec(t, i)
		wg.Go(func() {
			steps := []struct {
				method, path string
				body         any
				want         int
			}{
				{http.MethodPost, l.pairing + "/replications", []any{spec}, http.StatusAccepted},
				{http.MethodGet, "/tasks", nil, http.StatusOK},
				{
					http.MethodGet,
					l.pairing + "/replications?filter_property=vm_id&filter=" + url.QueryEscape(l.vm(i)),
					nil,
					http.StatusOK,
				},
				{http.MethodGet, "/pairings", nil, http.StatusOK},
			}
			for range 5 {
				for n, step := range steps {
					a, err := l.try(t.Context(), step.method, step.path, step.body)
					if err != nil || a.status != step.want {
						t.Errorf("%s %s: %d %s, %v", step.method, step.path, a.status, a.raw, err)
					}
					if n == 0 {
						steps[0].want = http.StatusBadRequest // is there already
					}
				}
				l.Advance(time.Minute)
				_ = l.Replications()
			}
		})
	}
	wg.Wait()
	if got := len(l.Replications()); got != 10 {
		t.Errorf("%d replications", got)
	}
	if got := l.Traffic().Count("configureReplication"); got != 50 {
		t.Errorf("%d attempts", got)
	}
}

// TestMany: 500 replications over a week, with the totals that they have to have.
func TestMany(t *testing.T) {
	t.Parallel()
	l := many(t, 500)
	l.Advance(7 * 24 * time.Hour)
	a := l.get(t, l.pairing+"/replications?extended_info=true&limit=500").want(t, http.StatusOK)
	if len(a.list(t, "list")) != 500 {
		t.Errorf("%d rows", len(a.list(t, "list")))
	}
	for _, r := range l.Replications() {
		// RPO 60 and nothing to send but the first gigabyte of each: 500 GB over the link take 40,000 s, 11.1 h, at most.
		// After that there is at least a sync an hour: 168 - 11.2 - 1.
		if r.SyncCount < 155 || r.Status != "OK" || len(r.Violations) > 1 {
			t.Fatalf("%s: %d syncs, %s, violations %v", r.Name, r.SyncCount, r.Status, r.Violations)
		}
	}
}

func many(tb testing.TB, n int) *lab {
	tb.Helper()
	l := &lab{}
	var err error
	for i, vms := range []int{n, -1} {
		v, startErr := vcsim.Start(tb.Context(), vcsim.Config{Site: i, VMs: vms})
		if startErr != nil {
			tb.Fatal(startErr)
		}
		tb.Cleanup(func() { _ = v.Close() })
		if i == 0 {
			l.protected = v
		} else {
			l.recovery = v
		}
	}
	l.Gateway, err = gateway.Start(tb.Context(), gateway.Config{
		Protected: l.protected,
		Recovery:  l.recovery,
		Plain:     true,
		Switches:  gateway.Switches{SessionTTL: -1, SessionIdle: -1},
	})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(l.Close)
	l.http, l.pairing = http.DefaultClient, "/pairings/"+l.PairingID()
	for _, step := range []struct{ path, user, password string }{
		{"/session", l.User(), l.Password()}, {l.pairing + "/remote-session", l.RemoteUser(), l.RemotePassword()},
	} {
		a, err := l.try(tb.Context(), http.MethodPost, step.path, nil, basic(step.user, step.password))
		if err != nil || a.status >= http.StatusBadRequest {
			tb.Fatalf("%d %s, %v", a.status, a.raw, err)
		}
		if l.session == "" {
			_, rest, _ := strings.Cut(string(a.raw), `"session_id":"`)
			l.session, _, _ = strings.Cut(rest, `"`)
		}
	}
	var specs []any
	for i, vm := range l.protected.VMs() {
		l.SetUsed(vm.ID, 1e9)
		if vm.PowerState != "poweredOn" {
			if err := l.protected.SetPower(vm.ID, "poweredOn"); err != nil {
				tb.Fatal(err)
			}
		}
		var disks []any
		for key := range len(vm.Disks) + 1 {
			read := map[string]any{"vm_id": l.vm(i), "device_key": 1999 + key}
			if key == 0 {
				read = map[string]any{"vm_id": l.vm(i), "is_vm_home": true}
			}
			disks = append(disks, map[string]any{
				"vm_disk":                  read,
				"enabled_for_replication":  true,
				"destination_datastore_id": l.datastore(0),
				"destination_disk_format":  "THIN",
			})
		}
		specs = append(specs, map[string]any{
			"vm_id": l.vm(
				i,
			),
			"target_vc_id":                l.RemoteVCenterID(),
			"rpo":                         60,
			"network_compression_enabled": false,
			"auto_replicate_new_disks":    false,
			"lwd_encryption_enabled":      false,
			"mpit_enabled":                false,
			"disks":                       disks,
		})
	}
	for i := 0; i < len(specs); i += 100 {
		a, err := l.try(tb.Context(), http.MethodPost, l.pairing+"/replications", specs[i:min(len(specs), i+100)])
		if err != nil || a.status != http.StatusAccepted {
			tb.Fatalf("%d %s, %v", a.status, a.raw, err)
		}
	}
	l.Advance(8 * time.Second)
	return l
}

// BenchmarkList lists 1,000 replications; 50 ms are the aim.
func BenchmarkList(b *testing.B) {
	l := many(b, 1000)
	handler := l.Handler()
	for b.Loop() {
		r := httptest.NewRequestWithContext(
			b.Context(),
			http.MethodGet,
			gateway.Base+l.pairing+"/replications?extended_info=true&limit=1000",
			nil,
		)
		r.Header.Set("x-dr-session", l.session)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != http.StatusOK {
			b.Fatal(w.Code)
		}
	}
}
