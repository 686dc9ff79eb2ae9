package gateway_test

import (
	"net/http"
	"testing"
	"time"

	"terraform-provider-vsla/internal/dev/lab/gateway"
)

// TestGateway_life goes through a replication's whole life by the API alone.
func TestGateway_life(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{})
	l.StepPerPoll(2 * time.Second)
	spec := l.spec(t, 0)
	spec["rpo"] = 120 // so that the next sync is not due at once
	accepted := l.call(t, http.MethodPost, l.pairing+"/replications", []any{spec}).want(t, http.StatusAccepted)
	task := "/tasks/" + accepted.text(t, "list.0.id")
	var seen []string
	for range 10 {
		a := l.get(t, task).want(t, http.StatusOK)
		seen = append(seen, a.text(t, "status"))
		if seen[len(seen)-1] == "SUCCESS" {
			break
		}
	}
	// Queued for 1 s and running for 7 s, at 2 s a poll: 2, 4, 6 s running, done at 8 s.
	if got := len(seen); got != 4 || seen[0] != "RUNNING" || seen[3] != "SUCCESS" {
		t.Errorf("the task was seen as %v", seen)
	}
	path := l.replication(t, 0)
	a := l.get(t, path).want(t, http.StatusOK)
	if a.text(t, "status.status") != "INITIAL_FULL_SYNC" || a.text(t, "configuration_state") != "OK" ||
		a.text(t, "vm_id") != l.vm(0) ||
		a.number(t, "last_sync_time") != 0 {
		t.Errorf("after the task: %s", a.raw)
	}
	// VM 0 has one disk of 20 GiB: 20 * 2^30 B / 12.5e6 B/s = 1,717.99 s.
	l.Advance(1718 * time.Second)
	if a = l.get(t, path).
		want(t, http.StatusOK); a.text(t, "status.status") != "OK" || a.number(t, "last_sync_size") != 20<<30 ||
		a.number(t, "last_sync_duration") != 1718 {
		t.Errorf("after the initial sync: %s", a.raw)
	}
	l.call(t, http.MethodPost, path+"/actions/unconfigure", nil).want(t, http.StatusAccepted)
	l.Advance(6 * time.Second)
	l.get(t, path).want(t, http.StatusNotFound)
	if left := l.Replications(); len(left) != 0 {
		t.Errorf("left: %+v", left)
	}
}
