// Package connection is what the provider's Configure hands to resources and data sources: lazy connections to vCenter
// and to vSphere Replication.
//
// Nothing here connects before a call needs it, and missing or unknown settings are an error only at that moment, so
// that the calculators work without any.
package connection

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/ignored"
	"terraform-provider-vsla/internal/vr"
	"terraform-provider-vsla/internal/vsphere"
)

// Settings are the provider's arguments after the environment has filled in.
type Settings struct {
	Server, User, Password string
	Insecure               bool
	CAFile                 string
	Timeout                time.Duration
	// RequestsPerSecond bounds requests; 0 means that a bound is found out.
	RequestsPerSecond float64
	// Ignored are the tag categories that this provider never reads or removes.
	Ignored ignored.Categories
	// Unknown and Missing name arguments whose value is not known yet or given nowhere.
	Unknown, Missing []string
	// Replication is the gateway of vSphere Replication.
	Replication ReplicationSettings
	// UserAgent names provider and Terraform version in vCenter's session list.
	UserAgent string
	// Sleep replaces the wait between attempts, Now the clock; nil means real time.
	Sleep func(context.Context, time.Duration) error
	Now   func() time.Time
	// Background returns the context of requests that several callers share, with the provider's logger; nil means
	// context.Background.
	Background func() context.Context
	// Wrap is put around the HTTP transport to the replication gateway; nil means nothing.
	Wrap func(http.RoundTripper) http.RoundTripper
}

// Set returns the clients of one provider configuration. It is safe for concurrent use.
type Set struct {
	settings Settings
	sessions *Sessions

	mu          sync.Mutex
	vsphere     *vsphere.Client
	replication *vr.Client
	states      map[reflect.Type]any // of pointers to the type
}

// State returns what resources of one provider configuration share within a run of Terraform: one T for each type, with
// its zero value at first. A package that needs such state defines the type; T must be safe for concurrent use.
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

// NewSet keeps settings for later use; it never fails and opens nothing. Clients it makes are closed by sessions.
func NewSet(settings Settings, sessions *Sessions) *Set {
	return &Set{settings: settings, sessions: sessions}
}

// From returns the Set out of the provider data that Configure receives. It is nil, without an error, while Terraform
// only validates.
func From(data any, diags *diag.Diagnostics) *Set {
	if data == nil {
		return nil
	}
	set, ok := data.(*Set)
	if !ok {
		diags.AddError("Unexpected Provider Data",
			fmt.Sprintf("Configure was given %T. This is a bug in the provider; please report it to its developers.", data))
		return nil
	}
	return set
}

// Ignored are the tag categories that this provider never reads or removes.
func (s *Set) Ignored() ignored.Categories { return s.settings.Ignored }

// VSphereNotKnownYet reports whether an argument of the connection is only known after apply, so that what a plan would
// read has to wait.
func (s *Set) VSphereNotKnownYet() bool { return s != nil && len(s.settings.Unknown) > 0 }

// VSphere returns the client for vCenter, or an error that names every argument that is missing or not known yet.
func (s *Set) VSphere(diags *diag.Diagnostics) *vsphere.Client {
	switch {
	case s == nil:
		diags.AddError(
			"Provider Not Configured",
			"The provider was used before it was configured. This is a bug in the provider; please report it to its developers.",
		)
		return nil
	case len(s.settings.Unknown) > 0:
		diags.AddError(
			"vCenter Connection Not Known Yet",
			fmt.Sprintf(
				"%s of provider vsla is unknown until apply, but this operation needs it during plan. Use a value that does not "+
					"depend on another resource, "+
					"or apply the resource that it comes from first, with -target. The calculators need no connection.",
				strings.Join(s.settings.Unknown, ", "),
			),
		)
		return nil
	case len(s.settings.Missing) > 0:
		diags.AddError(
			"vCenter Connection Not Configured",
			fmt.Sprintf(
				"This needs vCenter, and its connection is incomplete. Set in the provider block or in the environment: %s. "+
					"The calculators need no connection.",
				strings.Join(s.settings.Missing, ", "),
			),
		)
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.vsphere == nil {
		c, err := vsphere.New(vsphere.Config{
			Server:            s.settings.Server,
			User:              s.settings.User,
			Password:          s.settings.Password,
			Insecure:          s.settings.Insecure,
			CAFile:            s.settings.CAFile,
			Timeout:           s.settings.Timeout,
			RequestsPerSecond: s.settings.RequestsPerSecond,
			UserAgent:         s.settings.UserAgent,
			Sleep:             s.settings.Sleep,
			Now:               s.settings.Now,
			Observe:           observe,
			Background:        s.settings.Background,
		})
		if err != nil {
			diags.AddError("Invalid vCenter Connection", explain.Detail(err))
			return nil
		}
		s.vsphere = c
		s.sessions.add(c)
	}
	return s.vsphere
}

// observe logs one REST request by an allow list of fields.
func observe(ctx context.Context, e vsphere.Event) {
	tflog.Debug(ctx, "vCenter request", map[string]any{
		"method": e.Method, "path": e.Path, "status": e.Status, "attempt": e.Attempt, "operation_id": e.OperationID,
	})
}

// Sessions remembers the clients of a provider process, because Terraform has no call that says the end is near: main
// closes them after it has served.
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

// Close logs out of every session that was opened. Terraform kills a provider two seconds after it has asked it to end,
// so give it less.
func (s *Sessions) Close(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	errs := make([]error, len(s.open))
	var group sync.WaitGroup
	for i, c := range s.open {
		// At the same time: a server that does not answer must not keep the others from being told.
		group.Go(func() { errs[i] = c.Close(ctx) })
	}
	group.Wait()
	s.open = nil
	return errors.Join(errs...)
}
