package gateway_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"terraform-provider-vsla/internal/dev/lab/gateway"
)

// The behaviour of real appliances that the API's description does not mention.

// change returns the path and the body that reconfigure the ith VM.
func (l *lab) change(t *testing.T, i int, values ...any) (path string, body map[string]any) {
	t.Helper()
	return l.replication(t, i) + "/actions/reconfigure", reconfiguration(with(l.spec(t, i), values...))
}

func TestReal_enhancedLeftOut(t *testing.T) {
	t.Parallel()
	for _, keep := range []bool{false, true} {
		l := connect(t, gateway.Config{Wrap: loose, Switches: gateway.Switches{Enhanced: true, KeepEnhanced: keep}})
		l.call(t, http.MethodPost, l.pairing+"/replications", []any{with(l.spec(t, 0), "enhanced_replication", true)}).
			want(t, http.StatusAccepted)
		l.Advance(8 * time.Second)
		if r := l.Replications(); len(r) != 1 || !r[0].Enhanced {
			t.Fatalf("configured %+v, want enhanced replication", r)
		}
		path, body := l.change(t, 0, "rpo", 60)
		l.call(t, http.MethodPost, path, body).want(t, http.StatusAccepted)
		l.Advance(8 * time.Second)
		if r := l.Replications(); r[0].RPOMinutes != 60 || r[0].Enhanced != keep {
			t.Errorf("KeepEnhanced %t: a change that leaves enhanced_replication out makes it %t", keep, r[0].Enhanced)
		}
	}
}

func TestReal_forcedEncryption(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{})
	k := gateway.DefaultCapability()
	k.VMEncrypted = true
	l.SetCapability(l.vm(0), k)
	for i, want := range []bool{true, false} {
		l.call(t, http.MethodPost, l.pairing+"/replications", []any{with(l.spec(t, i), "lwd_encryption_enabled", false)}).
			want(t, http.StatusAccepted)
		l.Advance(8 * time.Second)
		if got := l.get(t, l.replication(t, i)).at(t, "encryption_enabled"); got != want {
			t.Errorf("VM %d: encryption is %v, want %t", i, got, want)
		}
	}
	path, body := l.change(t, 0, "lwd_encryption_enabled", false)
	l.call(t, http.MethodPost, path, body).want(t, http.StatusAccepted)
	l.Advance(8 * time.Second)
	if r := l.Replications(); !r[0].Encryption {
		t.Error("a change turned encryption of an encrypted VM off")
	}
}

// TestReal_instancesWithoutDays: with no days a number of instances is kept, 24 at most.
func TestReal_instancesWithoutDays(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{})
	l.call(t, http.MethodPost, l.pairing+"/replications",
		[]any{with(l.spec(t, 0), "mpit_enabled", true, "mpit_instances", 24, "mpit_days", 0)}).want(t, http.StatusAccepted)
	l.Advance(8 * time.Second)
	if a := l.get(t, l.replication(t, 0)); a.number(t, "mpit_days") != 0 || a.number(t, "mpit_instances") != 24 {
		t.Errorf("configured %s", a.raw)
	}
}

func TestReal_busy(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{Switches: gateway.Switches{BusyFor: 2 * time.Minute}})
	l.configured(t, 0) // its configuration ended with the last step of the clock
	path, body := l.change(t, 0, "rpo", 60)
	l.call(t, http.MethodPost, path, body).want(t, http.StatusBadRequest)
	l.Advance(2 * time.Minute)
	l.call(t, http.MethodPost, path, body).want(t, http.StatusAccepted)
	l.Advance(4 * time.Minute)
	l.SetStatus(l.vm(0), "UNKNOWN")
	if a := l.call(t, http.MethodPost, path, body); a.status != http.StatusBadRequest ||
		a.text(t, "error_code") != "REPLICATION_STATE_UNKNOWN" {
		t.Errorf("a change in an unknown state is answered %d %s", a.status, a.raw)
	}
}

func TestReal_sortByNameOnly(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{Switches: gateway.Switches{SortByNameOnly: true}})
	l.get(t, l.pairing+"/replications?sort_by=id").want(t, http.StatusBadRequest)
	l.get(t, l.pairing+"/replications?sort_by=name&order_by=asc").want(t, http.StatusOK)
	l.get(t, l.pairing+"/replications").want(t, http.StatusOK)
}

func TestReal_excludedWithoutPath(t *testing.T) {
	t.Parallel()
	for _, without := range []bool{false, true} {
		l := connect(t, gateway.Config{Switches: gateway.Switches{ExcludedWithoutPath: without}})
		body := l.spec(t, 1) // VM 1 has two disks beside its folder
		disks, ok := body["disks"].([]any)
		if !ok || len(disks) != 3 {
			t.Fatalf("the disks are %v", body["disks"])
		}
		if last, ok := disks[2].(map[string]any); ok {
			last["enabled_for_replication"] = false
		}
		l.call(t, http.MethodPost, l.pairing+"/replications", []any{body}).want(t, http.StatusAccepted)
		l.Advance(8 * time.Second)
		a := l.get(t, l.replication(t, 1)+"/disks")
		rows, ok := a.at(t, "list").([]any)
		if !ok || len(rows) != 3 {
			t.Fatalf("%s", a.raw)
		}
		missing := slices.IndexFunc(rows, func(row any) bool {
			fields, ok := row.(map[string]any)
			return ok && fields["replicated"] == false && fields["destination_path"] == nil
		})
		if (missing >= 0) != without {
			t.Errorf("ExcludedWithoutPath %t: %s", without, a.raw)
		}
	}
}

func TestReal_requiredContentType(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{Wrap: loose})
	l.get(t, "/tasks").want(t, http.StatusOK)
	strict := startLab(t, gateway.Config{Wrap: loose, Switches: gateway.Switches{RequireContentType: true}})
	login := basic(strict.User(), strict.Password())
	strict.send(t, http.MethodPost, "/session", nil, login).want(t, http.StatusUnsupportedMediaType)
	strict.send(t, http.MethodPost, "/session", nil, login, func(r *http.Request) {
		r.Header.Set("Content-Type", "application/json; charset=utf-8")
	}).want(t, http.StatusOK)
}
