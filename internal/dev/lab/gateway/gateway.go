// Package gateway simulates a vSphere Replication appliance and its REST API v2. The appliance replicates VMs between
// two vCenters, which internal/dev/lab/vcsim simulates. Time is virtual, and internal/dev/lab/gateway/replica computes
// the transfers.
//
// Undocumented behavior of the API is configurable with Switches. The package does not share JSON types with the client
// under test; package vrcontract validates the bodies. Operations that the client does not use are not implemented.
package gateway

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/gateway/replica"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

// Default credentials of the two sites.
const (
	DefaultUser           = "administrator@vsphere.local"
	DefaultPassword       = "lab-only-password"
	DefaultRemoteUser     = "administrator@recovery.local"
	DefaultRemotePassword = "lab-only-remote-password"
)

// DefaultLink is the default bandwidth between the sites in bytes per second (100 Mbit/s).
const DefaultLink = 12.5e6

// Epoch is the start time of every appliance.
var Epoch = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// Config describes an appliance.
type Config struct {
	// Protected is the appliance's own site, and Recovery is the other site. If Recovery is nil, the site is paired
	// with itself.
	Protected *vcsim.VCenter
	Recovery  *vcsim.VCenter
	// User and Password are the credentials for the local site. RemoteUser and RemotePassword are those for the remote
	// site.
	User           string
	Password       string
	RemoteUser     string
	RemotePassword string
	// Link is the bandwidth between the sites in bytes per second. The default is DefaultLink.
	Link     float64
	Switches Switches
	// Plain disables TLS.
	Plain bool
	// Scale is the speed of the virtual clock relative to Real. If it is 0, only Advance and StepPerPoll advance the
	// clock.
	Scale float64
	Real  func() time.Time
	// Wrap wraps the API handler inside the traffic control, for example with a validator.
	Wrap func(http.Handler) http.Handler
}

// Gateway is a running simulated appliance. It is safe for concurrent use.
type Gateway struct {
	mappings []Mapping // nil until the first use

	config  Config
	mux     *http.ServeMux
	kinds   map[string]string // operation IDs by route pattern
	traffic *fault.Traffic
	server  *http.Server
	address string
	ca      []byte

	mu            sync.Mutex
	random        *rand.Rand
	engine        *replica.Engine
	realStart     time.Time
	scaled        time.Duration // real time multiplied by Scale, at the last tick
	step          time.Duration
	local         *site
	remote        *site // equal to local if the site is paired with itself
	pairing       string
	selfPairing   string
	remoteDown    bool
	disconnected  bool // set by BreakPairing
	reconnecting  bool
	sessions      sessions
	limiter       limiter
	denied        map[string]bool
	answerChanges []*answerChange
	log           []Access
	tasks         tasks
	replications  []*replication
	capabilities  map[string]Capability
	rates         map[string]float64          // bytes per second by VM ID
	used          map[string]int64            // bytes by VM ID
	stores        map[string]func(*datastore) // overrides by datastore ID
	files         map[string]map[string]bool  // disk files at the target, by datastore ID and path
}

type site struct {
	vc       *vcsim.VCenter
	vcID     string
	vcName   string
	vrmsID   string
	vrmsName string
	name     string
	servers  []*replicationServer
	policies []storagePolicy
}

// Start starts an appliance that runs until Close. Canceling ctx after Start returns has no effect.
func Start(ctx context.Context, config Config) (*Gateway, error) {
	g, err := newGateway(config)
	if err != nil {
		return nil, err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	g.address = listener.Addr().String()
	if !g.config.Plain {
		certificate, ca, err := vcsim.NewCertificate()
		if err != nil {
			_ = listener.Close()
			return nil, err
		}
		g.ca = ca
		listener = tls.NewListener(
			listener,
			&tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12},
		)
	}
	g.server = &http.Server{
		Handler:           g.Handler(),
		ReadHeaderTimeout: time.Minute,
		ErrorLog:          log.New(io.Discard, "", 0), // discard errors about connections closed by a rule
	}
	go func() { _ = g.server.Serve(listener) }()
	return g, nil
}

func newGateway(config Config) (*Gateway, error) {
	if config.Protected == nil {
		return nil, errors.New("a gateway needs the vCenter of its site")
	}
	config = config.withDefaults()
	g := &Gateway{
		config:       config,
		engine:       replica.New(config.Link),
		random:       rand.New(rand.NewPCG(0, 1)), //nolint:gosec // reproducible IDs
		denied:       map[string]bool{},
		capabilities: map[string]Capability{},
		rates:        map[string]float64{},
		used:         map[string]int64{},
		stores:       map[string]func(*datastore){},
		files:        map[string]map[string]bool{},
	}
	g.route()
	g.traffic = fault.NewTrafficOf(g.kind)
	g.pairing = g.uuid()
	g.local = g.newSite(config.Protected, "protected")
	g.remote = g.local
	if config.Recovery != nil {
		if config.Recovery.InstanceUUID() == config.Protected.InstanceUUID() {
			return nil, errors.New("the two vCenters have one instance UUID: give them different values of " +
				"vcsim.Config.Site")
		}
		g.remote = g.newSite(config.Recovery, "recovery")
	}
	g.selfPairing = g.uuid()
	g.sessions = newSessions()
	g.limiter = limiter{limits: config.Switches.Limits, ips: map[string]*window{}, session: map[string]*window{}}
	if config.Real != nil {
		g.realStart = config.Real()
	}
	return g, nil
}

func (c Config) withDefaults() Config {
	c.User = cmp.Or(c.User, DefaultUser)
	c.Password = cmp.Or(c.Password, DefaultPassword)
	c.RemoteUser = cmp.Or(c.RemoteUser, DefaultRemoteUser)
	c.RemotePassword = cmp.Or(c.RemotePassword, DefaultRemotePassword)
	c.Link = cmp.Or(c.Link, DefaultLink)
	c.Switches = c.Switches.withDefaults()
	return c
}

func (g *Gateway) newSite(vc *vcsim.VCenter, name string) *site {
	s := &site{
		vc:       vc,
		vcID:     vc.InstanceUUID(),
		name:     name,
		vcName:   "vc." + name + ".lab",
		vrmsID:   g.uuid(),
		vrmsName: "vrms." + name + ".lab",
	}
	if g.config.Switches.Capitals {
		s.vcID = strings.ToUpper(s.vcID)
	}
	for _, n := range []string{"vrs1", "vrs2"} {
		s.servers = append(s.servers, g.newServer(n+"."+name+".lab"))
	}
	s.policies = []storagePolicy{
		{ID: defaultPolicy, Name: "Datastore Default"},
		{ID: g.uuid(), Name: "Replica Policy"},
		{ID: g.uuid(), Name: "Encryption Policy", Encryption: true},
	}
	return s
}

// Close stops the appliance.
func (g *Gateway) Close() { _ = g.server.Close() }

// URL returns the appliance's URL without the base path of the API.
func (g *Gateway) URL() string {
	if g.config.Plain {
		return "http://" + g.address
	}
	return "https://" + g.address
}

// CAPEM returns the CA certificate in PEM format, or nil if TLS is disabled.
func (g *Gateway) CAPEM() []byte { return g.ca }

// User returns the user name for the local site.
func (g *Gateway) User() string { return g.config.User }

// Password returns the password for the local site.
func (g *Gateway) Password() string { return g.config.Password }

// RemoteUser returns the user name for the remote site.
func (g *Gateway) RemoteUser() string { return g.config.RemoteUser }

// RemotePassword returns the password for the remote site.
func (g *Gateway) RemotePassword() string { return g.config.RemotePassword }

// PairingID returns the ID of the pairing between the two sites.
func (g *Gateway) PairingID() string { return g.pairing }

// LocalVCenterID returns the instance UUID of the protected site's vCenter.
func (g *Gateway) LocalVCenterID() string { return g.local.vcID }

// RemoteVCenterID returns the instance UUID of the recovery site's vCenter.
func (g *Gateway) RemoteVCenterID() string { return g.remote.vcID }

// Traffic returns the traffic control, whose request kinds are operation IDs.
func (g *Gateway) Traffic() *fault.Traffic { return g.traffic }
