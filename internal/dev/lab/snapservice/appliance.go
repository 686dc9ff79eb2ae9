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
	VCenter  *vcsim.VCenter
	Other    *vcsim.VCenter
	Switches Switches
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
	next        int             // number of the last ID
	sessions    map[string]bool // IDs of open sessions
	logins      int
	groups      []*Group
	tasks       map[string]*task   // by ID
	order       []string           // IDs of tasks, oldest first
	vms         map[string]VMState // states set by SetVM, by ID
	hidden      map[string]bool    // VMs that the account cannot read
	linkDown    time.Time          // set by CutLink
	failCreates bool
	taskDelay   time.Duration // added to the duration of each task
	failedVMs   int64         // for each snapshot
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
	a := &Appliance{
		config:   config,
		now:      time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC),
		sessions: map[string]bool{},
		tasks:    map[string]*task{},
		vms:      map[string]VMState{},
		hidden:   map[string]bool{},
	}
	a.traffic = fault.NewTrafficOf(kindOf)
	listener, err := a.listen(ctx)
	if err != nil {
		return nil, err
	}
	handler := a.handler()
	if config.Wrap != nil {
		handler = config.Wrap(handler)
	}
	a.server = &http.Server{
		Handler:           a.traffic.Wrap(handler),
		ReadHeaderTimeout: time.Minute,
		ErrorLog:          log.New(io.Discard, "", 0), // discard errors about connections closed by a rule
	}
	go func() { _ = a.server.Serve(listener) }()
	return a, nil
}

// listen opens a TLS port with a new certificate, and sets the address and the CA certificate.
func (a *Appliance) listen(ctx context.Context) (net.Listener, error) {
	certificate, ca, err := vcsim.NewCertificate()
	if err != nil {
		return nil, err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	a.ca = ca
	a.address = listener.Addr().String()
	return tls.NewListener(listener, &tls.Config{
		Certificates: []tls.Certificate{certificate},
		MinVersion:   tls.VersionTLS12,
	}), nil
}

// Close stops the appliance.
func (a *Appliance) Close() { _ = a.server.Close() }

// URL returns the URL of the appliance.
func (a *Appliance) URL() string { return "https://" + a.address }

// CAPEM returns the CA certificate.
func (a *Appliance) CAPEM() []byte { return a.ca }

// Traffic returns the traffic control, whose request kinds are names such as "create" or "list".
func (a *Appliance) Traffic() *fault.Traffic { return a.traffic }

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
