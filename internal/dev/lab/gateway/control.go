package gateway

import (
	"cmp"
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

// ControlPath is the path prefix of the handler returned by Control.
const ControlPath = "/_control/"

// Control returns a handler that controls the lab from a shell. A GET request for now, counts, access-log, replications
// or help returns that information. A POST request changes the lab and takes its arguments from the query. Responses
// are JSON.
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

func (g *Gateway) controlBreak(q url.Values) error {
	rule := fault.Rule{
		Kind: q.Get("operation"), CloseConnection: q.Get("cut") == "true", HandleFirst: q.Get("done") == "true",
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
	if rule.Status == 0 && !rule.CloseConnection {
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
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(v) //nolint:errchkjson // fails only if the client disconnects
}

// ReplicationOptions contains the settings of a replication configured by another client.
type ReplicationOptions struct {
	// VM is the full ID or the managed object ID.
	VM         string
	RPOMinutes int64

	Compression, Encryption, Quiesce, DataSets, NoAutoReplicate bool
	// Instances and Days configure point in time instances. If Instances is 0, they are disabled.
	Instances, Days int32
	// Datastore and Policy are indexes into the target's datastores and storage policies. If Policy is 0, the replication
	// has no policy.
	Datastore, Policy int
	// LastDisk overrides the settings of the VM's last disk.
	LastDisk DiskOptions
}

// DiskOptions contains the settings of a disk that differ from those of the VM's other disks.
type DiskOptions struct {
	Excluded bool
	// Datastore is an index into the target's datastores. 0 means the replication's datastore.
	Datastore int
	// Format is the format of the replica. If empty, it does not change, and is THIN at first.
	Format string
}

// ChangeDisk reconfigures the disk with the given device key, as another client would. It returns false if the VM is
// not replicated.
func (g *Gateway) ChangeDisk(vm string, key int32, other DiskOptions) bool {
	return g.withReplication(vm, func(r *replication) {
		spec := r.spec
		spec.Disks = nil
		for _, d := range r.disks {
			want := d.spec
			if d.source.key() == key {
				want.Enabled = !other.Excluded
				if other.Datastore > 0 {
					want.DatastoreID = g.datastores(g.remote)[other.Datastore].ID
				}
				want.Format = cmp.Or(other.Format, want.Format)
			}
			spec.Disks = append(spec.Disks, want)
		}
		g.change(r, spec)
		g.updateHost(r)
	})
}
