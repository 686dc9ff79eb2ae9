package gateway_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"terraform-provider-vsla/internal/dev/lab/gateway"
)

// TestTask goes through the life of a task: 1 s queued, 7 s running.
func TestTask(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{})
	l.Advance(time.Hour)
	a := l.call(t, http.MethodPost, l.pairing+"/replications", []any{l.spec(t, 0)}).want(t, http.StatusAccepted)
	task := "/tasks/" + a.text(t, "list.0.id")
	const epoch, hour = 1704067200000.0, 3600000.0 // 2024-01-01T00:00:00Z, ms
	if a.text(t, "list.0.status") != "QUEUED" || a.number(t, "list.0.queued_time") != epoch+hour ||
		a.at(t, "list.0.start_time") != nil ||
		a.text(t, "list.0.entity") != l.vm(0) {
		t.Errorf("%s", a.raw)
	}
	for _, test := range []struct {
		step     time.Duration
		status   string
		progress float64
	}{
		{999 * time.Millisecond, "QUEUED", 0},
		{time.Millisecond, "RUNNING", 0},
		{3500 * time.Millisecond, "RUNNING", 50},
		{3499 * time.Millisecond, "RUNNING", 99},
		{time.Millisecond, "SUCCESS", 100},
		{time.Minute, "SUCCESS", 100},
	} {
		l.Advance(test.step)
		a = l.get(t, task).want(t, http.StatusOK)
		if a.text(t, "status") != test.status || a.number(t, "progress") != test.progress {
			t.Errorf("after %v: %s", test.step, a.raw)
		}
	}
	if a.number(t, "start_time") != epoch+hour+1000 || a.number(t, "complete_time") != epoch+hour+8000 ||
		a.at(t, "result") != nil ||
		a.at(t, "error") != nil {
		t.Errorf("%s", a.raw)
	}
	if list := l.get(t, "/tasks?filter_property=id&filter=x&filter="+a.text(t, "id")); list.number(t, "_meta.total") != 1 {
		t.Errorf("%s", list.raw)
	}
}

func TestTask_rules(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		rule     gateway.TaskRule
		after    time.Duration
		status   string
		progress float64
		state    string // configuration_state of the replication, empty for none
	}{
		{"fails", gateway.TaskRule{Fail: "no space", Details: "datastore full"}, 8 * time.Second, "ERROR", 0, ""},
		{"cancelled", gateway.TaskRule{Cancel: true}, 8 * time.Second, "CANCELLED", 0, ""},
		{"stuck", gateway.TaskRule{Stuck: true}, 24 * time.Hour, "RUNNING", 99, "IN_PROGRESS"},
		{"slow", gateway.TaskRule{Slow: 10}, 79 * time.Second, "RUNNING", 98, "IN_PROGRESS"}, // 69 of 70 s
		{"slow to its end", gateway.TaskRule{Slow: 10}, 80 * time.Second, "SUCCESS", 100, "OK"},
		{
			"ends in a configuration error",
			gateway.TaskRule{ConfigurationError: "seed differs"},
			8 * time.Second, "SUCCESS", 100, "ERROR",
		},
		{"of another VM", gateway.TaskRule{VM: "vm-1", Fail: "x"}, 8 * time.Second, "SUCCESS", 100, "OK"},
		{
			"of another operation",
			gateway.TaskRule{Operation: "pauseReplication", Fail: "x"},
			8 * time.Second, "SUCCESS", 100, "OK",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			l := connect(t, gateway.Config{})
			test.rule.Times = 1
			l.BreakTasks(test.rule)
			id := l.call(t, http.MethodPost, l.pairing+"/replications", []any{l.spec(t, 0)}).
				want(t, http.StatusAccepted).
				text(t, "list.0.id")
			if r := l.Replications(); len(r) != 1 || r[0].Status != "CONFIGURING" || r[0].Configured != 0 {
				t.Errorf("while it is configured: %+v", r)
			}
			l.Advance(test.after)
			a := l.get(t, "/tasks/"+id).want(t, http.StatusOK)
			if a.text(t, "status") != test.status || a.number(t, "progress") != test.progress {
				t.Errorf("%s", a.raw)
			}
			if test.rule.Details != "" &&
				(a.text(t, "error.message") != "no space" || a.text(t, "error.details") != test.rule.Details) {
				t.Errorf("%s", a.raw)
			}
			r := l.Replications()
			switch {
			case test.state == "" && len(r) != 0, test.state != "" && (len(r) != 1 || r[0].ConfigurationState != test.state):
				t.Errorf("%+v, want %s", r, test.state)
			case test.state == "ERROR":
				info := l.get(t, l.replication(t, 0))
				if info.text(t, "configuration_error.message") != "seed differs" || info.text(t, "status.status") != "ERROR" {
					t.Errorf("%s", info.raw)
				}
			case test.state == "":
				l.configured(t, 0) // the rule was for one task; a second attempt goes well
			}
		})
	}
}

func TestTask_switches(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{Switches: gateway.Switches{
		TaskResult: gateway.ResultID, TaskEntityNull: true, ShuffleTasks: true, TaskAge: time.Minute, TaskCount: 2,
	}})
	var specs []any
	for i := range 3 {
		specs = append(specs, l.spec(t, i))
	}
	a := l.call(t, http.MethodPost, l.pairing+"/replications", specs).want(t, http.StatusAccepted)
	l.Advance(8 * time.Second)
	first := l.get(t, "/tasks/"+a.text(t, "list.2.id")) // the last of the answer is of the first VM
	if first.status != http.StatusNotFound {            // of three ended tasks the oldest is forgotten
		t.Errorf("%d %s", first.status, first.raw)
	}
	second := l.get(t, "/tasks/"+a.text(t, "list.1.id")).want(t, http.StatusOK)
	if second.text(t, "result.id") != l.Replications()[1].ID || second.at(t, "entity") != nil ||
		second.at(t, "entity_name") != nil {
		t.Errorf("%s", second.raw)
	}
	l.Advance(time.Minute + time.Second)
	if left := l.get(t, "/tasks"); left.number(t, "_meta.total") != 0 {
		t.Errorf("%s", left.raw)
	}
	empty := connect(t, gateway.Config{Switches: gateway.Switches{TaskResult: gateway.ResultEmpty}})
	id := empty.call(t, http.MethodPost, empty.pairing+"/replications", []any{empty.spec(t, 0)}).text(t, "list.0.id")
	empty.Advance(8 * time.Second)
	a = empty.get(t, "/tasks/"+id)
	if result, ok := a.at(t, "result").(map[string]any); !ok || len(result) != 0 {
		t.Errorf("%s", a.raw)
	}
}

func TestTask_lost(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{})
	id := l.call(t, http.MethodPost, l.pairing+"/replications", []any{l.spec(t, 0)}).text(t, "list.0.id")
	l.LoseTasks()
	l.get(t, "/tasks/"+id).want(t, http.StatusNotFound)
	l.Advance(8 * time.Second)
	if r := l.Replications(); len(r) != 1 || r[0].ConfigurationState != "OK" {
		t.Errorf("what a lost task was to do is done: %+v", r)
	}
}

// TestTask_stepPerPoll: who polls needs no sleep, by either way of asking.
func TestTask_stepPerPoll(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{})
	l.StepPerPoll(3 * time.Second)
	id := l.call(t, http.MethodPost, l.pairing+"/replications", []any{l.spec(t, 0)}).text(t, "list.0.id")
	var seen []string
	for range 2 {
		seen = append(seen, l.get(t, "/tasks/"+id).text(t, "status"))
	}
	seen = append(seen, l.get(t, "/tasks?filter_property=id&filter="+id).text(t, "list.0.status"))
	if !slices.Equal(seen, []string{"RUNNING", "RUNNING", "SUCCESS"}) || l.Now() != gateway.Epoch.Add(9*time.Second) {
		t.Errorf("%v at %v", seen, l.Now())
	}
}

func TestTask_sync(t *testing.T) {
	t.Parallel()
	for _, waits := range []bool{false, true} {
		// The VM does not change, so 125 MB for good measure are all that is sent: 10 s of the link.
		l := connect(t, gateway.Config{Switches: gateway.Switches{SyncTaskWaits: waits, LeastDelta: 125e6}})
		l.SetUsed(l.vm(0), 1)
		replication := l.configured(t, 0)
		l.Advance(time.Second)
		id := l.call(t, http.MethodPost, replication+"/actions/sync", nil).want(t, http.StatusAccepted).text(t, "id")
		l.Advance(time.Second)
		want := map[bool]string{false: "SUCCESS", true: "RUNNING"}[waits]
		if a := l.get(t, "/tasks/"+id); a.text(t, "status") != want {
			t.Errorf("when the sync has begun: %s", a.raw)
		}
		if r := l.Replications()[0]; r.Status != "SYNC" || r.SyncCount != 1 {
			t.Errorf("%+v", r)
		}
		l.Advance(10 * time.Second)
		if a := l.get(t, "/tasks/"+id); a.text(t, "status") != "SUCCESS" {
			t.Errorf("when the sync has ended: %s", a.raw)
		}
		if r := l.Replications()[0]; r.SyncCount != 2 || r.Syncs[1].Bytes != 125e6 ||
			r.Syncs[1].End.Sub(r.Syncs[1].Start) != 10*time.Second {
			t.Errorf("%+v", r)
		}
	}
}
