package connect

import (
	"context"
	"net/http"
	"time"

	"terraform-provider-vsla/internal/snapservice"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vr"
	"terraform-provider-vsla/internal/vsphere"
)

// Process contains the settings that all clients of a process share and that the user does not set. The zero value is
// usable.
type Process struct {
	// UserAgent identifies the process in vCenter's session list.
	UserAgent string
	// Sleep waits between attempts, and Now returns the current time. Both default to the real clock.
	Sleep func(context.Context, time.Duration) error
	Now   func() time.Time
	// Background returns the context for requests shared by several callers. It defaults to context.Background.
	Background func() context.Context
	// Each Observe function is called after every JSON request to its service, and each Wrap function wraps the HTTP
	// transports of the clients for its service. Any of them can be nil.
	ObserveVSphere     func(context.Context, transport.Event)
	ObserveReplication func(context.Context, transport.Event)
	ObserveProtection  func(context.Context, transport.Event)
	WrapVSphere        func(http.RoundTripper) http.RoundTripper
	WrapReplication    func(http.RoundTripper) http.RoundTripper
	WrapProtection     func(http.RoundTripper) http.RoundTripper
	// Logins remembers refused logins across clients. If it is nil, each client has its own record.
	Logins *Logins
}

// settings returns the settings that all clients share.
func (p Process) settings(
	s Settings, observe func(context.Context, transport.Event), wrap func(http.RoundTripper) http.RoundTripper,
) transport.Settings {
	return transport.Settings{
		Insecure:   s.Insecure,
		CAFile:     s.CAFile,
		Timeout:    s.Timeout,
		UserAgent:  p.UserAgent,
		Observe:    observe,
		Background: p.Background,
		Now:        p.Now,
		Sleep:      p.Sleep,
		Wrap:       wrap,
	}
}

// VSphere returns a vCenter client that connects on its first request.
func (p Process) VSphere(s Settings) (*vsphere.Client, error) {
	return vsphere.New(vsphere.Config{
		Server:            s.Server,
		User:              s.User,
		Password:          s.Password,
		RequestsPerSecond: s.RequestsPerSecond,
		Settings:          p.settings(s, p.ObserveVSphere, p.WrapVSphere),
		Credentials:       p.Logins.credentials(s.User, s.Password),
	})
}

// Replication returns a client for the vSphere Replication appliance that connects on its first request.
func (p Process) Replication(s Settings) (*vr.Client, error) {
	r := s.Replication
	return vr.New(vr.Config{
		Server:            r.Server,
		User:              r.User,
		Password:          r.Password,
		RemoteUser:        r.RemoteUser,
		RemotePassword:    r.RemotePassword,
		RequestsPerMinute: r.RequestsPerMinute,
		Settings:          p.settings(s, p.ObserveReplication, p.WrapReplication),
		Credentials:       p.Logins.credentials(r.User, r.Password),
		RemoteCredentials: p.Logins.credentials(r.RemoteUser, r.RemotePassword),
	})
}

// Protection returns a client for the vSAN Data Protection appliance that connects on its first request.
func (p Process) Protection(s Settings) (*snapservice.Client, error) {
	d := s.Protection
	return snapservice.New(snapservice.Config{
		Server:      d.Server,
		VCenter:     s.Server,
		User:        d.User,
		Password:    d.Password,
		Settings:    p.settings(s, p.ObserveProtection, p.WrapProtection),
		Credentials: p.Logins.credentials(d.User, d.Password),
	})
}
