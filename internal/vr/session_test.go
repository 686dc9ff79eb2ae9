package vr_test

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vr"
)

// TestSession_isShared: callers that come at the same time share one login at each site, and one listing.
func TestSession_isShared(t *testing.T) {
	t.Parallel()
	l := start(t, gateway.Switches{})
	c := l.client(t)
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			if _, err := c.Replications(t.Context(), l.PairingID(), vr.AnyVM, vr.Shared); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for operation, want := range map[string]int{"login": 1, "createRemoteSession": 1, "getAllReplications": 1} {
		if got := l.Traffic().Count(operation); got != want {
			t.Errorf("%d requests %s, want %d", got, operation, want)
		}
	}
	if err := c.Close(t.Context()); err != nil || l.Sessions() != 0 {
		t.Errorf("closing leaves %d sessions: %v", l.Sessions(), err)
	}
	if _, err := c.Pairings(t.Context()); err != nil {
		t.Errorf("after closing: %v", err)
	}
}

// TestSession_heals: whichever session ends, one fresh login of what has ended answers all callers, however the gateway
// words the lack of a remote session.
func TestSession_heals(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		switches     gateway.Switches
		end          func(*lab)
		local, every int
	}{
		"the local one":       {end: func(l *lab) { l.ExpireSessions() }, local: 2, every: 2},
		"after a restart":     {end: func(l *lab) { l.Restart() }, local: 2, every: 2},
		"the remote one, 401": {end: func(l *lab) { l.ExpireRemoteSessions() }, local: 1, every: 2},
		"the remote one, 403": {
			switches: gateway.Switches{RemoteStatus: 403},
			end:      func(l *lab) { l.ExpireRemoteSessions() },
			local:    1,
			every:    2,
		},
		"the remote one, 500": {
			switches: gateway.Switches{RemoteStatus: 500},
			end:      func(l *lab) { l.ExpireRemoteSessions() },
			local:    1,
			every:    2,
		},
		"no session has ended": {end: func(*lab) {}, local: 1, every: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := start(t, test.switches)
			c := l.client(t)
			settings := l.settings(t, c, l.vm(0))
			test.end(l)
			// A POST: it was refused, not carried out, so it may be sent again.
			task, err := c.Configure(t.Context(), l.PairingID(), l.vm(0), l.RemoteVCenterID(), settings)
			if err != nil {
				t.Fatal(err)
			}
			var group sync.WaitGroup
			for range 10 {
				group.Go(func() {
					if err := c.Wait(t.Context(), task, nil); err != nil {
						t.Error(err)
					}
				})
			}
			group.Wait()
			if got := len(l.Replications()); got != 1 {
				t.Errorf("%d replications", got)
			}
			if got := l.Traffic().Count("login"); got != test.local {
				t.Errorf("%d logins, want %d", got, test.local)
			}
			if got := l.Traffic().Count("createRemoteSession"); got != test.every {
				t.Errorf("%d remote logins, want %d", got, test.every)
			}
		})
	}
}

// TestLogin_refused: a refused login is not tried again, and its error names the site but no secret.
func TestLogin_refused(t *testing.T) {
	t.Parallel()
	l := start(t, gateway.Switches{})
	for name, test := range map[string]struct {
		change    func(*vr.Config)
		want      []error
		operation string
	}{
		"here": {func(c *vr.Config) { c.Password = "wrong-here" }, []error{vr.ErrLogin}, "login"},
		"there": {
			func(c *vr.Config) { c.RemotePassword = "wrong-there" },
			[]error{vr.ErrRemote, vr.ErrRemoteLogin},
			"createRemoteSession",
		},
		"nobody there": {func(c *vr.Config) { c.RemoteUser = "" }, []error{vr.ErrRemote, vr.ErrNoRemoteUser}, ""},
	} {
		c := l.client(t, test.change)
		l.Traffic().Reset()
		_, err := c.Replications(t.Context(), l.PairingID(), vr.AnyVM, vr.Shared)
		for _, want := range test.want {
			if !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", name, err, want)
			}
		}
		if test.operation != "" && l.Traffic().Count(test.operation) != 1 {
			t.Errorf("%s: %d attempts", name, l.Traffic().Count(test.operation))
		}
		if err != nil {
			l.hides(t, err.Error())
			if strings.Contains(err.Error(), "wrong-") {
				t.Errorf("%s: the password is in the error: %v", name, err)
			}
		}
	}
}

// TestSingleVCenter: a pairing of a vCenter with itself needs no remote user.
func TestSingleVCenter(t *testing.T) {
	t.Parallel()
	l := start(t, gateway.Switches{SelfPairing: true})
	c := l.client(t, func(c *vr.Config) { c.RemoteUser = "" })
	pairings, err := c.Pairings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(pairings) != 2 {
		t.Fatalf("%d pairings", len(pairings))
	}
	for _, p := range pairings {
		_, err := c.Replications(t.Context(), p.ID, vr.AnyVM, vr.Shared)
		if p.Single() != (err == nil) {
			t.Errorf("pairing with itself %v: %v", p.Single(), err)
		}
	}
	if got := l.Traffic().Count("createRemoteSession"); got != 0 {
		t.Errorf("%d remote logins", got)
	}
}

// TestPartial: without a remote session the gateway leaves things out, with or without saying so. The client logs in
// again and reads again; when the site is down, nothing is concluded.
func TestPartial(t *testing.T) {
	t.Parallel()
	for name, switches := range map[string]gateway.Switches{
		"announced":              {},
		"silent":                 {PartialSilent: true},
		"announced, rows lost":   {PartialDropsRows: true},
		"silent, rows lost":      {PartialSilent: true, PartialDropsRows: true},
		"announced, 403":         {RemoteStatus: 403},
		"silent, 500":            {PartialSilent: true, RemoteStatus: 500},
		"silent, rows lost, 500": {PartialSilent: true, PartialDropsRows: true, RemoteStatus: 500, DownStatus: 503},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := start(t, switches)
			c := l.client(t)
			id := l.replicate(t, c, l.vm(0))
			for reading, read := range map[string]func() (vr.Replication, error){
				"single": func() (vr.Replication, error) { return c.Replication(t.Context(), l.PairingID(), id, vr.Direct) },
				"listed": func() (vr.Replication, error) {
					l.Advance(61e9) // the listing has grown old
					all, err := c.Replications(t.Context(), l.PairingID(), vr.AnyVM, vr.Shared)
					if err != nil || len(all) != 1 {
						return vr.Replication{}, errors.Join(err, errors.New("not one row"))
					}
					return all[0], nil
				},
			} {
				l.ExpireRemoteSessions()
				r, err := read()
				if err != nil || r.TargetSite != "recovery" || r.ServerUUID == "" || r.RecoveryState != "NOT_STARTED" {
					t.Errorf("%s: %+v, %v", reading, r, err)
				}
				l.RemoteDown(true)
				if _, err := read(); !errors.Is(err, vr.ErrRemote) {
					t.Errorf("%s, remote site down: %v", reading, err)
				}
				l.RemoteDown(false)
			}
		})
	}
}

// TestGone: a replication is gone only when both sites say so.
func TestGone(t *testing.T) {
	t.Parallel()
	l := start(t, gateway.Switches{})
	c := l.client(t)
	id := l.replicate(t, c, l.vm(0))
	l.RemoveReplication(l.vm(0))
	l.Advance(61e9)
	if _, err := c.Replication(t.Context(), l.PairingID(), id, vr.Shared); !errors.Is(err, vr.ErrNotFound) {
		t.Errorf("removed elsewhere: %v", err)
	}
	l.RemoteDown(true)
	if _, err := c.Replication(t.Context(), l.PairingID(), id, vr.Shared); errors.Is(err, vr.ErrNotFound) ||
		!errors.Is(err, vr.ErrRemote) {
		t.Errorf("remote site down: %v", err)
	}
	l.RemoteDown(false)
	for _, operation := range []string{"getRemoteSession", "getVrPairing"} {
		l.Traffic().Break(fault.Rule{Kind: operation, Status: http.StatusNotFound})
		if _, err := c.Replication(t.Context(), l.PairingID(), id, vr.Shared); errors.Is(err, vr.ErrNotFound) ||
			!errors.Is(err, vr.ErrPairing) {
			t.Errorf("%s finds no pairing: %v", operation, err)
		}
		l.Traffic().Mend()
	}
	other := "00000000-0000-4000-8000-000000000000"
	_, err := c.Replication(t.Context(), other, id, vr.Shared)
	if errors.Is(err, vr.ErrNotFound) || !errors.Is(err, vr.ErrPairing) {
		t.Errorf("another pairing: %v", err)
	}
}

// TestPermission: a privilege that is missing is no session that has ended, and no absence.
func TestPermission(t *testing.T) {
	t.Parallel()
	l := start(t, gateway.Switches{})
	c := l.client(t)
	id := l.replicate(t, c, l.vm(0))
	l.Deny("getReplicationInfo", "pauseReplication")
	l.Traffic().Reset()
	_, err := c.Replication(t.Context(), l.PairingID(), id, vr.Direct)
	if !errors.Is(err, vr.ErrPermission) || l.Traffic().Count("getReplicationInfo") != 1 ||
		l.Traffic().Count("createRemoteSession") != 0 {
		t.Errorf("%v after %v", err, l.Traffic().Counts())
	}
	if _, err := c.Pause(t.Context(), l.PairingID(), id); !errors.Is(err, vr.ErrPermission) {
		t.Errorf("pause: %v", err)
	}
	answer, ok := transport.Answer(err)
	if !ok || answer.OperationID == "" || answer.Status != http.StatusForbidden ||
		answer.Operation != "GET /pairings/{pairing_id}/replications/{replication_id}" {
		t.Fatalf("%#v", answer)
	}
	for _, part := range []string{
		answer.OperationID, "GET /pairings/{pairing_id}/replications/{replication_id}", "HTTP 403",
		"lacks a privilege",
	} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not say %q: %v", part, err)
		}
	}
}

// TestSession_endsAgainAndAgain: a gateway that accepts no session is an error, not a storm of logins.
func TestSession_endsAgainAndAgain(t *testing.T) {
	t.Parallel()
	l := start(t, gateway.Switches{})
	c := l.client(t)
	l.Traffic().Break(fault.Rule{Kind: "getVrPairings", Status: http.StatusUnauthorized})
	if _, err := c.Pairings(t.Context()); !errors.Is(err, vr.ErrSession) {
		t.Error(err)
	}
	if got := l.Traffic().Count("login"); got != 2 {
		t.Errorf("%d logins", got)
	}
}
