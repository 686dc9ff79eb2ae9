// Package snapservice simulates a vSAN Data Protection appliance next to a simulated vCenter. It implements sessions,
// protection groups, tasks, previews and the replication state of VMs on a virtual clock.
//
// The package is written from the API's description and does not share types with the client under test. Undocumented
// behavior is configurable with Switches.
package snapservice

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

// Switches configure undocumented behavior. The zero value selects plausible behavior.
type Switches struct {
	// Release is the release of the appliance, 9.1.0.0 by default. 9.0.0.0 lacks the features of 9.1.
	Release string
	// Unquoted makes logins require a token without quotes. By default, the quotes are required.
	Unquoted bool
	// BusyScope is the scope in which a running operation blocks further writes: cluster (default), group or appliance.
	BusyScope string
	// TaskResult is the format in which create tasks return their result: string (default), object or none. NoTarget
	// omits the target from tasks.
	TaskResult string
	NoTarget   bool
	// PurgeTasks removes tasks as soon as they complete.
	PurgeTasks bool
	// PeriodsInHours converts periods in minutes or days to hours in responses.
	PeriodsInHours bool
	// KeepName rejects a new group with the name of a group that is marked for deletion.
	KeepName bool
	// HideReads is the number of reads that report a new group as not found.
	HideReads int
}

// Config describes an appliance.
type Config struct {
	// VCenter, which is required, is the vCenter of the local site. If Other is set, the list of sites names Other as
	// the vCenter of the local site instead.
	VCenter, Other *vcsim.VCenter
	Switches       Switches
	// Wrap wraps the handler, for example with a validator.
	Wrap func(http.Handler) http.Handler
}

// Appliance is a running simulated appliance. It is safe for concurrent use.
type Appliance struct {
	config  Config
	traffic *fault.Traffic
	server  *http.Server
	address string
	ca      []byte

	mu          sync.Mutex
	now         time.Time
	next        int
	sessions    map[string]bool
	logins      int
	groups      []*Group
	tasks       map[string]*task
	order       []string
	vms         map[string]VMState
	hidden      map[string]bool // VMs that the account cannot read
	linkDown    time.Time
	failCreates bool
	taskDelay   time.Duration
	failedVMs   int64
}

// PeerCluster is the name of the remote cluster, and PeerSite is the ID of the remote site. pairPrefix is the prefix of
// cluster pair IDs.
const (
	PeerCluster = "dr-cluster"
	PeerSite    = "site-2"
	pairPrefix  = "pair-"
)

// Start starts an appliance that runs until Close. Canceling ctx after Start returns has no effect.
func Start(ctx context.Context, config Config) (*Appliance, error) {
	if config.Switches.Release == "" {
		config.Switches.Release = "9.1.0.0"
	}
	certificate, ca, err := vcsim.NewCertificate()
	if err != nil {
		return nil, err
	}
	a := &Appliance{
		config:   config,
		ca:       ca,
		now:      time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC),
		sessions: map[string]bool{},
		tasks:    map[string]*task{},
		vms:      map[string]VMState{},
		hidden:   map[string]bool{},
	}
	a.traffic = fault.NewTrafficOf(kindOf)
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	a.address = listener.Addr().String()
	handler := a.handler()
	if config.Wrap != nil {
		handler = config.Wrap(handler)
	}
	a.server = &http.Server{
		Handler:           a.traffic.Wrap(handler),
		ReadHeaderTimeout: time.Minute,
		ErrorLog:          log.New(io.Discard, "", 0), // discard errors about connections closed by a rule
	}
	secure := tls.NewListener(
		listener, &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12},
	)
	go func() { _ = a.server.Serve(secure) }()
	return a, nil
}

// Close stops the appliance.
func (a *Appliance) Close() { _ = a.server.Close() }

// URL returns the URL of the appliance.
func (a *Appliance) URL() string { return "https://" + a.address }

// CAPEM returns the CA certificate.
func (a *Appliance) CAPEM() []byte { return a.ca }

// Traffic returns the traffic control, whose request kinds are names such as "create" or "list".
func (a *Appliance) Traffic() *fault.Traffic { return a.traffic }

// route is an API operation. Operations that start a task return 202 and the task ID.
type route struct {
	kind, pattern, action string
	serve                 func(a *Appliance, r *http.Request) (any, error)
	status                int
	since91               bool
}

const (
	groupsPath = " /api/snapservice/clusters/{cluster}/protection-groups"
	groupPath  = groupsPath + "/{pg}"
)

var routes = []route{
	{"about", "GET /api/snapservice/info/about", "", (*Appliance).about, http.StatusOK, false},
	{"sites", "GET /api/snapservice/sites", "", (*Appliance).sites, http.StatusOK, false},
	{"licences", "GET /api/snapservice/sites/{site}/licenses", "", (*Appliance).licences, http.StatusOK, false},
	{"clusters", "GET /api/snapservice/sites/{site}/clusters", "", (*Appliance).clusters, http.StatusOK, false},
	{
		"capabilities", "GET /api/snapservice/sites/{site}/clusters/{cluster}/capabilities", "",
		(*Appliance).capabilities, http.StatusOK, true,
	},
	{"pairs", "GET /api/snapservice/cluster-pairs", "", (*Appliance).pairs, http.StatusOK, false},
	{"vms", "GET /api/snapservice/clusters/{cluster}/virtual-machines", "", (*Appliance).listVMs, http.StatusOK, false},
	{"list", "GET" + groupsPath, "", (*Appliance).list, http.StatusOK, false},
	{"get", "GET" + groupPath, "", (*Appliance).get, http.StatusOK, false},
	{"create", "POST" + groupsPath, "", (*Appliance).create, http.StatusAccepted, false},
	{"update", "PATCH" + groupPath, "", (*Appliance).updateGroup, http.StatusAccepted, false},
	{"delete", "DELETE" + groupPath, "", (*Appliance).remove, http.StatusAccepted, false},
	{"pause", "POST" + groupPath, "pause", (*Appliance).pause, http.StatusAccepted, false},
	{"resume", "POST" + groupPath, "resume", (*Appliance).resume, http.StatusAccepted, false},
	{"snapshot", "POST" + groupPath + "/snapshots", "", (*Appliance).snapshot, http.StatusAccepted, false},
	{
		"preview", "POST /api/snapservice/protection-groups", "compute-members",
		(*Appliance).computeMembers, http.StatusOK, true,
	},
	{"task", "GET /api/snapservice/tasks/{task}", "", (*Appliance).getTask, http.StatusOK, false},
	{"tasks", "GET /api/snapservice/tasks", "", (*Appliance).listTasks, http.StatusOK, false},
}

func kindOf(r *http.Request) string {
	if strings.HasSuffix(r.URL.Path, "/snapservice/sessions") {
		return r.Method + " session"
	}
	for _, o := range routes {
		method, pattern, _ := strings.Cut(o.pattern, " ")
		if r.Method == method && r.URL.Query().Get("action") == o.action && matchesPattern(pattern, r.URL.Path) {
			return o.kind
		}
	}
	return "other"
}

func matchesPattern(pattern, path string) bool {
	return slices.EqualFunc(strings.Split(pattern, "/"), strings.Split(path, "/"), func(want, got string) bool {
		return want == got || (strings.HasPrefix(want, "{") && got != "")
	})
}

func (a *Appliance) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/api/snapservice/sessions", a.serveSession)
	patterns := map[string][]route{}
	for _, o := range routes {
		patterns[o.pattern] = append(patterns[o.pattern], o)
	}
	for pattern, operations := range patterns {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			i := slices.IndexFunc(operations, func(o route) bool { return o.action == r.URL.Query().Get("action") })
			if i < 0 {
				w.WriteHeader(http.StatusNotImplemented)
				return
			}
			a.serve(operations[i], w, r)
		})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotImplemented) })
	return mux
}

func (a *Appliance) serve(o route, w http.ResponseWriter, r *http.Request) {
	defer a.lock()()
	a.update()
	switch {
	case o.kind != "about" && !a.sessions[r.Header.Get(sessionHeader)]:
		answerError(w, newRefusal("UNAUTHENTICATED", "There is no such session."))
		return
	case o.since91 && a.is90():
		answerError(w, newRefusal("OPERATION_NOT_FOUND", "There is no such operation."))
		return
	case o.status == http.StatusAccepted && r.URL.Query().Get("vmw-task") != "true":
		answerError(w, newRefusal("OPERATION_NOT_FOUND", "Only as a task."))
		return
	}
	answer, err := o.serve(a, r)
	if err != nil {
		answerError(w, err)
		return
	}
	writeJSON(w, o.status, answer)
}

func (a *Appliance) is90() bool { return strings.HasPrefix(a.config.Switches.Release, "9.0") }

// id returns a sequential ID, so that runs are reproducible.
func (a *Appliance) id(kind string) string {
	a.next++
	return fmt.Sprintf("%s-%04d", kind, a.next)
}

// Now returns the virtual time.
func (a *Appliance) Now() time.Time {
	defer a.lock()()
	return a.now
}

// Advance advances the virtual clock.
func (a *Appliance) Advance(d time.Duration) {
	defer a.lock()()
	a.now = a.now.Add(d)
	a.update()
}

func (a *Appliance) lock() (unlock func()) {
	a.mu.Lock()
	return a.mu.Unlock
}
