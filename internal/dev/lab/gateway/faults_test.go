package gateway_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/gateway"
)

// TestTraffic: requests are counted and broken by operationId, with what they asked for done or not done.
func TestTraffic(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{})
	l.http.Transport = fresh(t, l.http.Transport)
	body := []any{l.spec(t, 0)}
	post := func() error {
		_, err := l.try(t.Context(), http.MethodPost, l.pairing+"/replications", body)
		return err
	}
	l.Traffic().Reset()
	l.Traffic().Break(fault.Rule{Kind: "configureReplication", Times: 1, Cut: true})
	if err := post(); err == nil || len(l.Replications()) != 0 {
		t.Errorf("cut before: %v, %d replications", err, len(l.Replications()))
	}
	l.Traffic().Break(fault.Rule{Kind: "configureReplication", Times: 1, Cut: true, Done: true})
	if err := post(); err == nil || len(l.Replications()) != 1 {
		t.Errorf("cut after: %v, %d replications", err, len(l.Replications()))
	}
	l.Traffic().Mend()
	l.Traffic().
		Break(fault.Rule{
			Kind: "getAllReplications", Skip: 1, Times: 1, Status: 503, Body: "<html>",
			Header: map[string]string{"Retry-After": "3"},
		})
	var seen []int
	for range 3 {
		seen = append(seen, l.get(t, l.pairing+"/replications").status)
	}
	if !slices.Equal(seen, []int{200, 503, 200}) {
		t.Errorf("statuses %v", seen)
	}
	counts := l.Traffic().Counts()
	if counts["configureReplication"] != 2 || counts["getAllReplications"] != 3 || l.Traffic().Total() != 5 {
		t.Errorf("%v", counts)
	}
}

// fresh makes a connection for each request, so that Go repeats nothing that was cut.
func fresh(t *testing.T, transport http.RoundTripper) http.RoundTripper {
	t.Helper()
	plain, ok := transport.(*http.Transport)
	if !ok {
		t.Fatal("no plain transport")
	}
	plain = plain.Clone()
	plain.DisableKeepAlives = true
	return plain
}

// TestSpoil: answers that come and are wrong. They pass no validator.
func TestSpoil(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{Wrap: loose})
	l.configured(t, 0)
	l.configured(t, 1)
	list := func() answer { return l.get(t, l.pairing+"/replications").want(t, http.StatusOK) }
	good := string(list().raw)
	for _, test := range []struct {
		name   string
		change func(map[string]any)
		path   string
		want   any
	}{
		{"an error beside the data", gateway.MetaError("$.list[0].rpo"), "_meta.errors.0.field", "$.list[0].rpo"},
		{"no meta", gateway.NullMeta, "_meta", nil},
		{"an unknown status", gateway.UnknownValue("status"), "list.1.status.status", "RECONFIGURING"},
		{"an unknown state", gateway.UnknownValue("configuration_state"), "list.0.configuration_state", "RECONFIGURING"},
		{"another field", gateway.ExtraFields, "list.0.a_later_field.nested.1", "two"},
		{"a total too high", gateway.WrongTotal(5), "_meta.total", 7.0},
		{"a total too low", gateway.WrongTotal(-1), "_meta.total", 1.0},
		{"no links", gateway.NullLinks, "_meta.links.self", nil},
		{"a row twice", gateway.DuplicateRow, "list.1.name", "web-0001"},
	} {
		l.Spoil("getAllReplications", 1, test.change)
		if a := list(); a.at(t, test.path) != test.want || string(a.raw) == good {
			t.Errorf("%s: %v in %s", test.name, a.at(t, test.path), a.raw)
		}
		if a := list(); string(a.raw) != good {
			t.Errorf("%s comes twice", test.name)
		}
	}
	l.Spoil("getReplicationInfo", 0, gateway.UnknownValue("status"))
	for range 2 {
		if got := l.status(t, l.replication(t, 0)); got.name != "RECONFIGURING" {
			t.Errorf("%+v", got)
		}
	}
	l.MendAnswers()
	if got := l.status(t, l.replication(t, 0)); got.name != "INITIAL_FULL_SYNC" {
		t.Errorf("%+v", got)
	}
}

func TestDeny(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{})
	l.Deny("configureReplication", "getAllReplications")
	l.call(t, http.MethodPost, l.pairing+"/replications", []any{l.spec(t, 0)}).want(t, http.StatusForbidden)
	if a := l.get(t, l.pairing+"/replications").want(t, http.StatusForbidden); a.text(t, "error_code") != "NO_PERMISSION" {
		t.Errorf("%s", a.raw)
	}
	l.Allow()
	l.configured(t, 0)
}

// TestAccessLog: every request leaves a line, and no line has a secret.
func TestAccessLog(t *testing.T) {
	t.Parallel()
	var written strings.Builder
	l := startLab(t, gateway.Config{Log: &written, Wrap: loose})
	l.send(t, http.MethodPost, "/session", nil, basic(l.User(), "a wrong password")).want(t, http.StatusUnauthorized)
	l.login(t)
	l.Advance(90 * time.Second)
	l.remoteLogin(t)
	l.get(t, "/pairings/x?filter=secret").want(t, http.StatusBadRequest)
	l.Traffic().Break(fault.Rule{Kind: "getVrInfo", Status: 502})
	l.get(t, "/info").want(t, http.StatusBadGateway)
	l.get(t, "/nothing").want(t, http.StatusNotFound)
	l.Close() // ends the writing
	want := "2024-01-01T00:00:00Z login 401\n" +
		"2024-01-01T00:00:00Z login 200\n" +
		"2024-01-01T00:01:30Z createRemoteSession 204\n" +
		"2024-01-01T00:01:30Z getVrPairing 400\n" +
		"2024-01-01T00:01:30Z getVrInfo 502\n" +
		"2024-01-01T00:01:30Z GET /api/rest/vr/v2/nothing 404\n"
	if written.String() != want {
		t.Errorf("the log is\n%s\nwant\n%s", written.String(), want)
	}
	if log := l.AccessLog(); len(log) != 6 || log[4].Operation != "getVrInfo" || log[4].Status != 502 ||
		log[4].At != gateway.Epoch.Add(90*time.Second) {
		t.Errorf("%+v", log)
	}
	for _, secret := range append(l.SessionIDs(), l.Password(), l.RemotePassword(), "a wrong password", "secret") {
		if strings.Contains(written.String(), secret) {
			t.Errorf("%q is in the log", secret)
		}
	}
}
