// Package gateway simulates a vSphere Replication appliance: the REST API v2 through which clients configure the
// replication of one vCenter's VMs to another. The vCenters are those of internal/dev/lab/vcsim, time is virtual, and
// data moves by the arithmetic of internal/dev/lab/gateway/replica.
//
// The API's description leaves much open; each open question is one of the Switches. The package has JSON types of its
// own: it shares nothing with the client that it tests. Whether bodies have the form of the description is checked by
// package vrcontract, around client and appliance; operations that no client of this project uses are left out.
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
	"sync"
	"time"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/gateway/replica"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

// The accounts of every gateway, unless its Config names others.
const (
	DefaultUser           = "administrator@vsphere.local"
	DefaultPassword       = "lab-only-password"
	DefaultRemoteUser     = "administrator@recovery.local"
	DefaultRemotePassword = "lab-only-remote-password"
)

// DefaultLink is the link of a pairing: 100 Mbit/s, in bytes a second.
const DefaultLink = 12.5e6

// Epoch is the time at which every appliance starts.
var Epoch = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// Config describes an appliance.
type Config struct {
	// Protected is the site of the gateway. Recovery is the other; nil pairs the site with itself.
	Protected, Recovery *vcsim.VCenter
	// User and Password are the account of the local site, the others that of the remote one.
	User, Password, RemoteUser, RemotePassword string
	// Link is the bytes that the link between the sites carries in a second, default DefaultLink.
	Link     float64
	Switches Switches
	// Plain serves without TLS.
	Plain bool
	// Scale lets virtual time pass so many times faster than Real; with 0 only Advance and StepPerPoll do.
	Scale float64
	Real  func() time.Time
	// Log gets a line for each request: virtual time, operation and status.
	Log io.Writer
	// Wrap is put around the handler, inside the traffic control: the place for a validator.
	Wrap func(http.Handler) http.Handler
}

// Gateway is a running simulated appliance. It is safe for concurrent use.
type Gateway struct {
	config  Config
	mux     *http.ServeMux
	kinds   map[string]string // operationIds by pattern
	traffic *fault.Traffic
	server  *http.Server
	address string
	ca      []byte

	mu           sync.Mutex
	random       *rand.Rand
	engine       *replica.Engine
	realStart    time.Time
	scaled       time.Duration // of the virtual time, what Real has given
	step         time.Duration
	local        *site
	remote       *site // == local in a pairing with itself
	pairing      string
	selfPairing  string
	remoteDown   bool
	apart        bool // until the pairing is reconnected
	reconnecting bool
	sessions     sessions
	limiter      limiter
	denied       map[string]bool
	spoilers     []*spoiler
	log          []Access
	tasks        tasks
	replications []*replication
	capabilities map[string]Capability
	rates        map[string]float64          // by VM
	used         map[string]int64            // by VM
	stores       map[string]func(*datastore) // by datastore
	files        map[string]map[string]bool  // disks at the target, by datastore and path
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

// Start serves until Close; ctx bounds the start only.
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
		ErrorLog:          log.New(io.Discard, "", 0), // connections that a rule cuts are no news
	}
	go func() { _ = g.server.Serve(listener) }() // ends with Close
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
		random:       rand.New(rand.NewPCG(0, 1)), //nolint:gosec // ids that repeat are what a test wants
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
			return nil, errors.New("the two vCenters have one instance UUID: give them different values of vcsim.Config.Site")
		}
		g.remote = g.newSite(config.Recovery, "recovery")
	}
	g.selfPairing = g.uuid()
	g.sessions = newSessions()
	g.limiter = newLimiter(config.Switches.Limits)
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

// Close ends the appliance.
func (g *Gateway) Close() { _ = g.server.Close() }

// URL is the address, without the API's base path.
func (g *Gateway) URL() string {
	if g.config.Plain {
		return "http://" + g.address
	}
	return "https://" + g.address
}

// CAPEM is the certificate to trust; none with Plain.
func (g *Gateway) CAPEM() []byte { return g.ca }

// User is the local account's name.
func (g *Gateway) User() string { return g.config.User }

// Password is the local account's.
func (g *Gateway) Password() string { return g.config.Password }

// RemoteUser is the remote account's name.
func (g *Gateway) RemoteUser() string { return g.config.RemoteUser }

// RemotePassword is the remote account's.
func (g *Gateway) RemotePassword() string { return g.config.RemotePassword }

// PairingID is the id of the pairing of the two sites.
func (g *Gateway) PairingID() string { return g.pairing }

// LocalVCenterID is the instance UUID of the protected site's vCenter.
func (g *Gateway) LocalVCenterID() string { return g.local.vcID }

// RemoteVCenterID is the instance UUID of the recovery site's vCenter.
func (g *Gateway) RemoteVCenterID() string { return g.remote.vcID }

// Traffic counts and breaks requests; kinds are operationIds.
func (g *Gateway) Traffic() *fault.Traffic { return g.traffic }
