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

// Process configures the clients that one process creates, independent of the user's settings. The zero value is
// usable.
type Process struct {
	// UserAgent identifies the process in vCenter's session list.
	UserAgent string
	// Sleep waits between attempts, and Now returns the current time. They default to real time.
	Sleep func(context.Context, time.Duration) error
	Now   func() time.Time
	// Background returns the context for requests shared by several callers. It defaults to context.Background.
	Background func() context.Context
	// The Observe functions are called after each request. The Wrap functions wrap the HTTP transports. Each may be
	// nil.
	ObserveVSphere, ObserveReplication, ObserveProtection func(context.Context, transport.Event)
	WrapVSphere, WrapReplication, WrapProtection          func(http.RoundTripper) http.RoundTripper
	// Logins shares refused logins between the clients. If it is nil, each client keeps its own.
	Logins *Logins
}

func (p Process) settings(
	s Settings, observe func(context.Context, transport.Event), wrap func(http.RoundTripper) http.RoundTripper,
) transport.Settings {
	return transport.Settings{
		Insecure: s.Insecure, CAFile: s.CAFile, Timeout: s.Timeout, UserAgent: p.UserAgent, Observe: observe,
		Background: p.Background, Now: p.Now, Sleep: p.Sleep, Wrap: wrap,
	}
}

// VSphere returns a vCenter client. It connects on the first request.
func (p Process) VSphere(s Settings) (*vsphere.Client, error) {
	return vsphere.New(vsphere.Config{
		Server: s.Server, User: s.User, Password: s.Password, RequestsPerSecond: s.RequestsPerSecond,
		Settings:    p.settings(s, p.ObserveVSphere, p.WrapVSphere),
		Credentials: p.Logins.of(s.User, s.Password),
	})
}

// Replication returns a client of the vSphere Replication appliance. It connects on the first request.
func (p Process) Replication(s Settings) (*vr.Client, error) {
	r := s.Replication
	return vr.New(vr.Config{
		Server: r.Server, User: r.User, Password: r.Password, RemoteUser: r.RemoteUser, RemotePassword: r.RemotePassword,
		RequestsPerMinute: r.RequestsPerMinute, Settings: p.settings(s, p.ObserveReplication, p.WrapReplication),
		Credentials: p.Logins.of(r.User, r.Password), RemoteCredentials: p.Logins.of(r.RemoteUser, r.RemotePassword),
	})
}

// Protection returns a client of the vSAN Data Protection appliance. It connects on the first request.
func (p Process) Protection(s Settings) (*snapservice.Client, error) {
	d := s.Protection
	return snapservice.New(snapservice.Config{
		Server: d.Server, VCenter: s.Server, User: d.User, Password: d.Password,
		Settings:    p.settings(s, p.ObserveProtection, p.WrapProtection),
		Credentials: p.Logins.of(d.User, d.Password),
	})
}
