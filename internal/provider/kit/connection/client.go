// Package connection creates the clients with which resources and data sources access vCenter, vSphere Replication and
// vSAN Data Protection.
//
// Clients connect on the first request. Missing or unknown settings are not reported until a resource requests a
// client, because the calculators need no connection.
package connection

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"terraform-provider-vsla/internal/connect"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/snapservice"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vr"
	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/vsphere/ignored"
)

// Settings are the provider settings, merged from arguments and environment variables.
type Settings struct {
	connect.Settings
	Process connect.Process
	// Ignored contains the tag categories that the provider never reads or removes.
	Ignored ignored.Categories
	// Unknown and Missing list the unknown and missing arguments of the vCenter connection.
	Unknown []string
	Missing []string
	// ReplicationUnknown and ReplicationMissing list those of the vSphere Replication connection.
	ReplicationUnknown []string
	ReplicationMissing []string
	// ProtectionUnknown and ProtectionMissing list those of the vSAN Data Protection connection.
	ProtectionUnknown []string
	ProtectionMissing []string
}

// Set provides the clients of one provider configuration. It is safe for concurrent use.
type Set struct {
	settings Settings
	sessions *Sessions

	mu          sync.Mutex
	vsphere     *vsphere.Client
	replication *vr.Client
	protection  *snapservice.Client
	states      map[reflect.Type]any // values are pointers to the key type
}

// State returns a value of type T that is shared by all resources of a provider configuration. The first call creates a
// zero value. T must be safe for concurrent use.
func State[T any](s *Set) *T {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := reflect.TypeFor[T]()
	if state, ok := s.states[key].(*T); ok {
		return state
	}
	state := new(T)
	if s.states == nil {
		s.states = make(map[reflect.Type]any)
	}
	s.states[key] = state
	return state
}

// NewSet returns a set that creates clients on first use. The caller must close the sessions.
func NewSet(settings Settings, sessions *Sessions) *Set {
	settings.Process.ObserveVSphere = observeVSphere
	settings.Process.ObserveReplication = observeReplication
	settings.Process.ObserveProtection = observeProtection
	settings.Process.Logins = new(connect.Logins)
	return &Set{settings: settings, sessions: sessions}
}

// From returns the set from the provider data. During validation, it returns nil without an error.
func From(data any, diags *diag.Diagnostics) *Set {
	if data == nil {
		return nil
	}
	set, ok := data.(*Set)
	if !ok {
		diags.AddError("Unexpected Provider Data",
			fmt.Sprintf("Expected *connection.Set, got %T. This is a bug in the provider. Please report it to the "+
				"developers.", data))
		return nil
	}
	return set
}

// Ignored returns the tag categories that the provider never reads or removes.
func (s *Set) Ignored() ignored.Categories { return s.settings.Ignored }

// VSphereUnknown reports whether an argument of the vCenter connection is unknown until apply.
func (s *Set) VSphereUnknown() bool { return s != nil && len(s.settings.Unknown) > 0 }

// ReplicationUnknown reports whether an argument of the vSphere Replication connection is unknown until apply.
func (s *Set) ReplicationUnknown() bool {
	return s != nil && len(s.settings.ReplicationUnknown) > 0
}

// ProtectionUnknown reports whether an argument of the vSAN Data Protection connection is unknown until apply.
func (s *Set) ProtectionUnknown() bool { return s != nil && len(s.settings.ProtectionUnknown) > 0 }

// VSphere returns the vCenter client. It adds an error if an argument is missing or unknown.
func (s *Set) VSphere(diags *diag.Diagnostics) *vsphere.Client {
	if !s.checkConfigured(diags) ||
		!checkComplete(diags, "vCenter", "vCenter", s.settings.Unknown, s.settings.Missing) {
		return nil
	}
	return getOrConnect(s, &s.vsphere, "Invalid vCenter Connection", diags, s.settings.Process.VSphere)
}

// Replication returns the vSphere Replication client. It adds an error if an argument is missing or unknown.
func (s *Set) Replication(diags *diag.Diagnostics) *vr.Client {
	if !s.checkConfigured(diags) || !checkComplete(diags, "Replication", "the REST API of vSphere Replication",
		s.settings.ReplicationUnknown, s.settings.ReplicationMissing) {
		return nil
	}
	return getOrConnect(s, &s.replication, "Invalid Replication Connection", diags, s.settings.Process.Replication)
}

// Protection returns the vSAN Data Protection client. It adds an error if an argument is missing or unknown.
func (s *Set) Protection(diags *diag.Diagnostics) *snapservice.Client {
	if !s.checkConfigured(diags) || !checkComplete(diags, "Data Protection", "vSAN Data Protection",
		s.settings.ProtectionUnknown, s.settings.ProtectionMissing) {
		return nil
	}
	return getOrConnect(s, &s.protection, "Invalid Data Protection Connection", diags, s.settings.Process.Protection)
}

// HasVSphere reports whether all arguments of the vCenter connection are set and known.
func (s *Set) HasVSphere() bool {
	return s != nil && len(s.settings.Unknown) == 0 && len(s.settings.Missing) == 0
}

// HasProtection reports whether all arguments of the vSAN Data Protection connection are set and known.
func (s *Set) HasProtection() bool {
	return s != nil && len(s.settings.ProtectionUnknown) == 0 && len(s.settings.ProtectionMissing) == 0
}

func (s *Set) checkConfigured(diags *diag.Diagnostics) bool {
	if s == nil {
		diags.AddError("Provider Not Configured", "The provider was used before it was configured. This is a bug in "+
			"the provider. Please report it to the developers.")
	}
	return s != nil
}

func checkComplete(diags *diag.Diagnostics, name, service string, unknown, missing []string) bool {
	switch {
	case len(unknown) > 0:
		diags.AddError(name+" Connection Unknown Until Apply", strings.Join(unknown, ", ")+" of provider vsla is "+
			"unknown until apply, but this operation requires it during plan. Use a value that does not depend on "+
			"another resource, or apply that resource first with -target. The calculators require no connection.")
	case len(missing) > 0:
		diags.AddError(name+" Connection Not Configured", "This operation requires a connection to "+service+
			". Set the following in the provider block or in the environment: "+strings.Join(missing, ", ")+
			". The calculators require no connection.")
	default:
		return true
	}
	return false
}

func getOrConnect[C interface {
	comparable
	closer
}](s *Set, cached *C, summary string, diags *diag.Diagnostics, connect func(connect.Settings) (C, error)) C {
	s.mu.Lock()
	defer s.mu.Unlock()
	var none C
	if *cached != none {
		return *cached
	}
	c, err := connect(s.settings.Settings)
	if err != nil {
		diags.AddError(summary, explain.Detail(err))
		return none
	}
	*cached = c
	s.sessions.add(c)
	return c
}

// observeVSphere logs a request. Only allowlisted fields are logged, so that secrets cannot leak.
func observeVSphere(ctx context.Context, e transport.Event) {
	tflog.Debug(ctx, "vCenter request", fields(e))
}

func observeProtection(ctx context.Context, e transport.Event) {
	tflog.Debug(ctx, "Data protection request", fields(e))
}

func observeReplication(ctx context.Context, e transport.Event) {
	if e.Throttled == 0 {
		tflog.Debug(ctx, "Replication request", fields(e))
		return
	}
	delayed := fields(e)
	delayed["delayed_seconds"] = e.Throttled.Seconds()
	tflog.Info(ctx, "Replication request, delayed by the rate limit", delayed)
}

func fields(e transport.Event) map[string]any {
	return map[string]any{
		"method":       e.Method,
		"path":         e.Path,
		"status":       e.Status,
		"attempt":      e.Attempt,
		"operation_id": e.OperationID,
	}
}

// Sessions collects the open sessions. The program closes them on exit, because Terraform provides no hook for this.
type Sessions struct {
	mu   sync.Mutex
	open []closer
}

type closer interface{ Close(context.Context) error }

func (s *Sessions) add(c closer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = append(s.open, c)
}

// Close closes all sessions. ctx should expire within two seconds, the time that Terraform allows for a shutdown.
func (s *Sessions) Close(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	errs := make([]error, len(s.open))
	var group sync.WaitGroup
	for i, c := range s.open {
		// Close sessions concurrently, because a server might not respond.
		group.Go(func() { errs[i] = c.Close(ctx) })
	}
	group.Wait()
	s.open = nil
	return errors.Join(errs...)
}
