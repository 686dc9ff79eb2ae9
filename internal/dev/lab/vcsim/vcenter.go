// Package vcsim starts simulated vCenters that listen on the loopback interface with TLS. They combine the inventory of
// govmomi's simulator with the lab's tagging service and traffic control.
//
// The package is for tests, the demo and manual use. The provider's packages must not import it.
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
	"sync/atomic"
	"time"

	_ "github.com/vmware/govmomi/pbm/simulator" // registers /pbm, which the vsphere provider needs to start
	"github.com/vmware/govmomi/simulator"
	_ "github.com/vmware/govmomi/vapi/simulator" // registers the REST endpoints that Plain uses
	"github.com/vmware/govmomi/vim25/types"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/tagging"
)

// Default credentials.
const (
	DefaultUser     = "administrator@vsphere.local"
	DefaultPassword = "lab-only-password"
)

// Config describes a simulated vCenter. The zero value describes a small vCenter.
type Config struct {
	// Hosts (default 2) are distributed evenly over Clusters (default 2). VMs (default 8, negative for none) are
	// distributed evenly over the hosts.
	Hosts    int
	Clusters int
	VMs      int
	// Templates and Inaccessible are the numbers of templates and inaccessible VMs that are added after the VMs. The
	// inaccessible VMs are disconnected, inaccessible, orphaned and invalid in rotation.
	Templates    int
	Inaccessible int
	// Datastores (default 1) are shared by all hosts. All VMs are on the first datastore.
	Datastores int
	// Site must differ between the vCenters in a test, because it determines the instance UUID.
	Site int
	// StatisticsLevel is the statistics level of the historical intervals, 1 to 4. The default is 1, as in vCenter.
	StatisticsLevel int
	// MaxQueryMetrics is the maximum number of historical series per query. The default is 256, as in vCenter.
	MaxQueryMetrics int
	// Page limits the page size of property queries regardless of the request; 0 means no limit.
	Page           int
	User, Password string
	// Release is the vCenter release, 8.0 by default. It determines which operations exist under /api.
	Release tagging.Release
	// MaxSessions is the maximum number of REST sessions per user. The default is DefaultMaxSessions.
	MaxSessions int
	// LinkedTo is another vCenter that is connected in Enhanced Linked Mode. Both vCenters share a clock. Each receives
	// the other's changes to categories and tags after a minute.
	LinkedTo *VCenter
	// Wrap wraps the handler inside the traffic control, for example with a validator.
	Wrap func(http.Handler) http.Handler
	// Plain uses the simulator's own tagging service, which is incomplete, and does not count REST sessions.
	Plain bool
}

// VCenter is a running simulated vCenter.
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

	stsAhead      atomic.Int64 // in nanoseconds
	authorization *authorization
	reading       *reading
}

// Start starts a vCenter that runs until Close. Canceling ctx after Start returns has no effect.
func Start(ctx context.Context, config Config) (*VCenter, error) {
	config = config.withDefaults()
	certificate, ca, err := NewCertificate()
	if err != nil {
		return nil, err
	}
	v := &VCenter{config: config, model: simulator.VPX(), traffic: fault.NewTraffic(), clock: &clock{}, ca: ca}
	if config.LinkedTo != nil {
		v.clock = config.LinkedTo.clock
	}
	v.sessions = newSessions(
		&account{user: config.User, password: config.Password, now: v.clock.now},
		config.MaxSessions,
	)
	if err := v.build(); err != nil {
		v.model.Remove()
		return nil, err
	}
	v.tags = tagging.New(v.InstanceUUID(), v.exists)
	v.tags.SetRelease(config.Release)
	if config.LinkedTo != nil {
		v.link(config.LinkedTo)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
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
		// Discard errors about connections closed by a rule.
		ErrorLog: log.New(io.Discard, "", 0),
	}
	secure := tls.NewListener(
		listener,
		&tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12},
	)
	go func() { _ = v.server.Serve(secure) }()
	return v, nil
}

func (c Config) withDefaults() Config {
	c.Hosts = cmp.Or(c.Hosts, 2)
	c.VMs = max(0, cmp.Or(c.VMs, 8))
	c.StatisticsLevel = cmp.Or(c.StatisticsLevel, 1)
	c.MaxQueryMetrics = cmp.Or(c.MaxQueryMetrics, defaultMaxQueryMetrics)
	c.Release = cmp.Or(c.Release, tagging.Release80)
	c.MaxSessions = cmp.Or(c.MaxSessions, DefaultMaxSessions)
	c.User = cmp.Or(c.User, DefaultUser)
	c.Password = cmp.Or(c.Password, DefaultPassword)
	return c
}

var building sync.Mutex

func (v *VCenter) build() error {
	building.Lock()
	defer building.Unlock()
	m := v.model
	m.Host = 0
	m.Cluster = cmp.Or(v.config.Clusters, 2)
	m.ClusterHost = max(1, v.config.Hosts/m.Cluster)
	// Do not create a distributed switch, because the simulator would then run one task per host plus two more. Each
	// task takes at least 20 ms.
	m.Machine = 1
	m.Autostart = false
	m.Portgroup = 0
	m.Datastore = max(1, v.config.Datastores)
	about := &m.ServiceContent.About
	about.Version = string(v.config.Release) + ".0"
	about.ApiVersion = string(v.config.Release) + ".0.0"
	m.ServiceContent.About.InstanceUuid = fmt.Sprintf("e0000000-0000-4000-8000-%012d", v.config.Site+1)
	if err := m.Create(); err != nil {
		return err
	}
	m.Service.RegisterEndpoints = true
	m.Service.Listen = &url.URL{Host: "127.0.0.1:0", User: url.UserPassword(v.config.User, v.config.Password)}
	// NewServer creates the handlers. The lab serves them behind its own traffic control.
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
	case tagging.IsTaggingPath(path):
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

// URL returns the HTTPS URL of the vCenter without credentials.
func (v *VCenter) URL() string { return "https://" + v.address }

// User returns the user name for logging in to the vCenter.
func (v *VCenter) User() string { return v.config.User }

// Password returns the password for logging in to the vCenter.
func (v *VCenter) Password() string { return v.config.Password }

// CAPEM returns the CA certificate in PEM format.
func (v *VCenter) CAPEM() []byte { return v.ca }

// InstanceUUID returns the instance UUID.
func (v *VCenter) InstanceUUID() string { return v.model.ServiceContent.About.InstanceUuid }

// Tags returns the tagging service. It is not used if Plain is set.
func (v *VCenter) Tags() *tagging.Store { return v.tags }

// Traffic returns the traffic control.
func (v *VCenter) Traffic() *fault.Traffic { return v.traffic }

// VMs returns the expected properties of all VMs in order of creation. Templates and inaccessible VMs are last.
func (v *VCenter) VMs() []VM { return v.vms }

// Sessions returns the numbers of open REST and SOAP sessions.
func (v *VCenter) Sessions() (rest, soap int) { return v.sessions.counts() }

// SessionIDs returns the IDs of all sessions ever opened, for tests that search for leaked IDs.
func (v *VCenter) SessionIDs() []string { return v.sessions.all() }

// ExpireSessions ends all sessions and closes all event collectors, as an idle timeout or a restart would.
func (v *VCenter) ExpireSessions() {
	v.sessions.expire()
	v.events.end()
}

// WrapSessionEnds sets whether REST calls with an expired session fail with 400 instead of 401. As in some vCenter
// services, the message then contains the reason.
func (v *VCenter) WrapSessionEnds(wrap bool) {
	v.sessions.mu.Lock()
	defer v.sessions.mu.Unlock()
	v.sessions.wrapped = wrap
}

// DestroyVM deletes a VM outside of Terraform.
func (v *VCenter) DestroyVM(id string) error {
	vm, ok := find(v.model.Service.Context, id)
	if !ok {
		return fmt.Errorf("there is no VM %s", id)
	}
	v.remove(vm)
	return nil
}

// Close stops the vCenter and removes its files.
func (v *VCenter) Close() error {
	err := v.server.Close()
	v.model.Remove()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
