// Package vcsim starts simulated vCenters on loopback, over TLS: govmomi's simulator for the inventory, the lab's own
// tagging service in place of the simulator's, and the lab's traffic control in front of both.
//
// It is for tests, for the demo and for play; no package of the provider may import it.
package vcsim

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	_ "github.com/vmware/govmomi/pbm/simulator" // registers /pbm, without which the vsphere provider does not start
	"github.com/vmware/govmomi/simulator"
	_ "github.com/vmware/govmomi/vapi/simulator" // registers the REST endpoints of Plain
	"github.com/vmware/govmomi/vim25/types"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/tagging"
)

// The credentials of every lab, unless its Config names others.
const (
	DefaultUser     = "administrator@vsphere.local"
	DefaultPassword = "lab-only-password"
)

// Config describes the vCenter to simulate. The zero value is a small vCenter.
type Config struct {
	// Hosts (default 2) are spread over Clusters (default 2), VMs (default 8, negative for none) over the hosts.
	Hosts, Clusters, VMs int
	// Templates are added behind the VMs, and Inaccessible VMs behind those, each in another of vCenter's states.
	Templates, Inaccessible int
	// Datastores (default 1) are shared by all hosts; the VMs are on the first.
	Datastores int
	// Site numbers vCenters that run side by side, from 0: it makes their instance UUIDs differ.
	Site int
	// StatisticsLevel is what vCenter collects of its historical intervals, 1 to 4; default 1, as vCenter's.
	StatisticsLevel int
	// MaxQueryMetrics is how many historical series one query may ask for; default 256, as vCenter's.
	MaxQueryMetrics int
	// Page is the most objects that a page of properties has, whatever is asked for; 0 is no limit.
	Page           int
	User, Password string
	// Listen is the address, default a free port of 127.0.0.1.
	Listen string
	// Release is the release of vCenter, default 8.0. It decides which operations exist below /api.
	Release tagging.Release
	// MaxSessions is how many REST sessions a user may have, default DefaultMaxSessions.
	MaxSessions int
	// LinkedTo is a vCenter in Enhanced Linked Mode with this one. They share the clock, and categories and tags, which
	// take a minute to reach the other.
	LinkedTo *VCenter
	// Wrap is put around the handler, inside the traffic control: the place for a validator.
	Wrap func(http.Handler) http.Handler
	// Plain leaves the simulator's own tagging service in place, gaps and all. Sessions of REST are then not counted.
	Plain bool
}

// VCenter is a simulated vCenter that runs.
type VCenter struct {
	config   Config
	model    *simulator.Model
	vms      []VM
	tags     *tagging.Store
	traffic  *fault.Traffic
	sessions *sessions
	clock    *clock
	events   *Events
	partners []*VCenter
	server   *http.Server
	address  string
	ca       []byte

	authorization *authorization
	reading       *reading
}

// Start builds and serves a vCenter until it is closed; ctx bounds the start only.
func Start(ctx context.Context, config Config) (*VCenter, error) {
	config = config.withDefaults()
	certificate, ca, err := NewCertificate()
	if err != nil {
		return nil, err
	}
	v := &VCenter{
		config: config, model: simulator.VPX(), traffic: fault.NewTraffic(), clock: &clock{}, ca: ca,
	}
	if config.LinkedTo != nil {
		v.clock = config.LinkedTo.clock
	}
	v.sessions = newSessions(&account{user: config.User, password: config.Password, now: v.clock.now}, config.MaxSessions)
	if err := v.build(); err != nil {
		v.model.Remove()
		return nil, err
	}
	v.tags = tagging.New(v.InstanceUUID(), v.exists)
	v.tags.SetRelease(config.Release)
	if config.LinkedTo != nil {
		v.link(config.LinkedTo)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", config.Listen)
	if err != nil {
		v.model.Remove()
		return nil, err
	}
	v.address = listener.Addr().String()
	var handler http.Handler = http.HandlerFunc(v.route)
	if config.Wrap != nil {
		handler = config.Wrap(handler)
	}
	v.server = &http.Server{
		Handler:           v.traffic.Wrap(handler),
		ReadHeaderTimeout: time.Minute,
		// Connections that a rule cuts are no news.
		ErrorLog: log.New(io.Discard, "", 0),
	}
	secure := tls.NewListener(
		listener,
		&tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12},
	)
	go func() { _ = v.server.Serve(secure) }() // ends with Close
	return v, nil
}

func (c Config) withDefaults() Config {
	if c.Hosts == 0 {
		c.Hosts = 2
	}
	if c.VMs == 0 {
		c.VMs = 8
	}
	if c.VMs < 0 {
		c.VMs = 0
	}
	c.StatisticsLevel = cmp.Or(c.StatisticsLevel, 1)
	c.MaxQueryMetrics = cmp.Or(c.MaxQueryMetrics, defaultMaxQueryMetrics)
	c.Release = cmp.Or(c.Release, tagging.Release80)
	c.MaxSessions = cmp.Or(c.MaxSessions, DefaultMaxSessions)
	if c.User == "" {
		c.User = DefaultUser
	}
	if c.Password == "" {
		c.Password = DefaultPassword
	}
	if c.Listen == "" {
		c.Listen = "127.0.0.1:0"
	}
	return c
}

// building guards what the simulator's models share while they are made: licences and settings are package variables.
var building sync.Mutex

// build makes the inventory and the simulator's handlers.
func (v *VCenter) build() error {
	building.Lock()
	defer building.Unlock()
	m := v.model
	m.Host, m.Cluster = 0, cmp.Or(v.config.Clusters, 2)
	m.ClusterHost = max(1, v.config.Hosts/m.Cluster)
	// Without a distributed switch a start saves two tasks and one for each host, of at least 20 ms each.
	m.Machine, m.Autostart, m.Portgroup = 1, false, 0
	m.Datastore = max(1, v.config.Datastores)
	about := &m.ServiceContent.About
	about.Version, about.ApiVersion = string(v.config.Release)+".0", string(v.config.Release)+".0.0"
	m.ServiceContent.About.InstanceUuid = fmt.Sprintf("e0000000-0000-4000-8000-%012d", v.config.Site+1)
	if err := m.Create(); err != nil {
		return err
	}
	m.Service.RegisterEndpoints = true
	m.Service.Listen = &url.URL{Host: "127.0.0.1:0", User: url.UserPassword(v.config.User, v.config.Password)}
	// NewServer makes the handlers; they are served by the lab's own server, behind its traffic control.
	m.Service.NewServer().Server.Close()
	if err := v.populate(v.config.VMs, v.config.Templates, v.config.Inaccessible); err != nil {
		return err
	}
	v.serveProperties()
	return errors.Join(v.serveEvents(), v.serveStatistics(), v.servePrivileges())
}

func (v *VCenter) route(w http.ResponseWriter, r *http.Request) {
	mux := v.model.Service.ServeMux
	path := r.URL.Path
	switch {
	case strings.HasPrefix(path, "/sdk"):
		v.sessions.serveSOAP(mux, w, r)
	case v.config.Plain:
		mux.ServeHTTP(w, r)
	case path == restSessionPath, path == apiSessionPath && v.tags.HasAPI():
		v.sessions.serveREST(w, r)
	case tagging.Serves(path):
		if !v.sessions.valid(r) {
			v.sessions.refuse(w, r)
			return
		}
		v.tags.ServeHTTP(w, r)
	case path == stsPath:
		v.serveSTS(w, r)
	case path == topologyPath:
		v.serveTopology(w, r)
	case path == libraryPath:
		v.serveLibraries(w, r)
	case strings.HasPrefix(path, "/api/"), strings.HasPrefix(path, "/rest/"):
		tagging.NoSuchOperation(w, r)
	default:
		mux.ServeHTTP(w, r)
	}
}

func (v *VCenter) exists(o tagging.Object) bool {
	ref := types.ManagedObjectReference{Type: o.Type, Value: o.ID}
	return o == v.Library() || v.model.Service.Context.Map.Get(ref) != nil
}

// URL returns the vCenter's address, https and without credentials.
func (v *VCenter) URL() string { return "https://" + v.address }

// User and Password are what the vCenter accepts.
func (v *VCenter) User() string { return v.config.User }

// Password returns the password that the vCenter accepts.
func (v *VCenter) Password() string { return v.config.Password }

// CAPEM returns the certificate to trust.
func (v *VCenter) CAPEM() []byte { return v.ca }

// InstanceUUID is the vCenter's own id.
func (v *VCenter) InstanceUUID() string { return v.model.ServiceContent.About.InstanceUuid }

// Tags is the tagging service; with Plain it is not in use.
func (v *VCenter) Tags() *tagging.Store { return v.tags }

// Traffic counts and breaks requests.
func (v *VCenter) Traffic() *fault.Traffic { return v.traffic }

// VMs returns the truth about the VMs, templates and VMs out of reach last, in the order in which they were made.
func (v *VCenter) VMs() []VM { return v.vms }

// Sessions returns the number of open sessions of each protocol.
func (v *VCenter) Sessions() (rest, soap int) { return v.sessions.counts() }

// SessionIDs returns the id of every session that was ever opened, for tests that check that none leaks.
func (v *VCenter) SessionIDs() []string { return v.sessions.all() }

// ExpireSessions ends all sessions, as an idle limit or a restart would, and everything open in them.
func (v *VCenter) ExpireSessions() {
	v.sessions.expire()
	v.events.end()
}

// WrapSessionEnds answers REST calls of sessions that have ended with 400 and a message that names the reason, as some
// services of vCenter do; by default with 401.
func (v *VCenter) WrapSessionEnds(wrap bool) {
	v.sessions.mu.Lock()
	defer v.sessions.mu.Unlock()
	v.sessions.wrapped = wrap
}

// DestroyVM deletes a VM outside Terraform.
func (v *VCenter) DestroyVM(id string) error {
	vm, ok := find(v.model.Service.Context, id)
	if !ok {
		return fmt.Errorf("there is no VM %s", id)
	}
	v.remove(vm)
	return nil
}

// Close ends the vCenter and removes its files.
func (v *VCenter) Close() error {
	err := v.server.Close()
	v.model.Remove()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
