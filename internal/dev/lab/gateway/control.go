// Control from a shell, on a separate listener and never under the API's path.

package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/vmware/govmomi/vim25/types"

	"terraform-provider-vsla/internal/dev/lab/fault"
)

// ControlPath is where Control answers.
const ControlPath = "/_control/"

// Control is the handler for a shell: GET now, counts, access-log, replications, help; POST what changes something,
// with its arguments in the query. Answers are JSON.
func (g *Gateway) Control() http.Handler {
	mux := http.NewServeMux()
	look := func(name string, f func() any) {
		mux.HandleFunc("GET "+ControlPath+name, func(w http.ResponseWriter, _ *http.Request) { reply(w, f(), nil) })
	}
	do := func(name string, f func(url.Values) error) {
		mux.HandleFunc("POST "+ControlPath+name, func(w http.ResponseWriter, r *http.Request) {
			err := f(r.URL.Query())
			reply(w, map[string]any{"now": g.Now()}, err)
		})
	}
	look("now", func() any { return map[string]any{"now": g.Now()} })
	look("counts", func() any { return g.traffic.Counts() })
	look("access-log", func() any { return g.AccessLog() })
	look("replications", func() any { return g.Replications() })
	look("help", func() any { return controlHelp })

	do("advance", func(q url.Values) error {
		seconds, err := number(q, "seconds")
		if err == nil {
			g.Advance(time.Duration(seconds * float64(time.Second)))
		}
		return err
	})
	do("reset-counts", func(url.Values) error { g.traffic.Reset(); return nil })
	do("expire-sessions", func(url.Values) error { g.ExpireSessions(); return nil })
	do("expire-remote-sessions", func(url.Values) error { g.ExpireRemoteSessions(); return nil })
	do("restart", func(url.Values) error { g.Restart(); return nil })
	do("lose-tasks", func(url.Values) error { g.LoseTasks(); return nil })
	do("remote-down", func(url.Values) error { g.RemoteDown(true); return nil })
	do("remote-up", func(url.Values) error { g.RemoteDown(false); return nil })
	do("break-pairing", func(url.Values) error { g.BreakPairing(); return nil })
	do("change-rate", func(q url.Values) error {
		rate, err := number(q, "bytes_per_second")
		if err == nil {
			g.SetChangeRate(q.Get("vm"), rate)
		}
		return err
	})
	do("used", func(q url.Values) error {
		bytes, err := number(q, "bytes")
		if err == nil {
			g.SetUsed(q.Get("vm"), int64(bytes))
		}
		return err
	})
	do("power", func(q url.Values) error {
		return g.local.vc.SetPower(moid(q.Get("vm")), types.VirtualMachinePowerState(q.Get("state")))
	})
	do("status", func(q url.Values) error { return known(q, g.SetStatus(q.Get("vm"), q.Get("status"))) })
	do(
		"recovery-solution",
		func(q url.Values) error { return known(q, g.SetRecoverySolution(q.Get("vm"), q.Get("solution"))) },
	)
	do("remove", func(q url.Values) error { return known(q, g.RemoveReplication(q.Get("vm"))) })
	do("break", g.controlBreak)
	do("mend", func(url.Values) error { g.traffic.Mend(); g.MendAnswers(); g.MendTasks(); return nil })
	return mux
}

var controlHelp = map[string]string{
	"advance":           "seconds=90",
	"break":             "operation=configureReplication&status=503&body=text&times=1&skip=0&cut=true&done=true",
	"change-rate":       "vm=vm-42&bytes_per_second=1e6",
	"used":              "vm=vm-42&bytes=1e9",
	"power":             "vm=vm-42&state=poweredOff",
	"status":            "vm=vm-42&status=RECOVERING",
	"recovery-solution": "vm=vm-42&solution=com.vmware.vcDr",
	"remove":            "vm=vm-42",
	"GET":               "now, counts, access-log, replications, help",
	"without arguments": "reset-counts, expire-sessions, expire-remote-sessions, restart, lose-tasks, remote-down, " +
		"remote-up, break-pairing, mend",
}

// controlBreak adds a rule to the traffic control.
func (g *Gateway) controlBreak(q url.Values) error {
	rule := fault.Rule{
		Kind: q.Get("operation"),
		Cut:  q.Get("cut") == "true",
		Done: q.Get("done") == "true",
		Body: q.Get("body"),
	}
	for name, into := range map[string]*int{"status": &rule.Status, "times": &rule.Times, "skip": &rule.Skip} {
		if !q.Has(name) {
			continue
		}
		n, err := strconv.Atoi(q.Get(name))
		if err != nil {
			return fmt.Errorf("%s is not a number", name)
		}
		*into = n
	}
	if rule.Status == 0 && !rule.Cut {
		return errors.New("a rule needs status or cut=true")
	}
	g.traffic.Break(rule)
	return nil
}

func number(q url.Values, name string) (float64, error) {
	n, err := strconv.ParseFloat(q.Get(name), 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%s is a number from 0 on, not %q", name, q.Get(name))
	}
	return n, nil
}

func known(q url.Values, ok bool) error {
	if !ok {
		return fmt.Errorf("the VM %q is not replicated", q.Get("vm"))
	}
	return nil
}

func reply(w http.ResponseWriter, v any, err error) {
	w.Header().Set("Content-Type", "application/json")
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		v = map[string]string{"error": err.Error()}
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false) // it is for a terminal
	_ = encoder.Encode(v)        //nolint:errchkjson // the client went away
}
