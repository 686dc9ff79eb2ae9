// The connection to the gateway of vSphere Replication.

package connection

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/vr"
)

// ReplicationSettings are the provider's argument replication after the environment has filled in.
type ReplicationSettings struct {
	Server, User, Password     string
	RemoteUser, RemotePassword string
	// RequestsPerMinute is the client's own limit; 0 means none.
	RequestsPerMinute int
	// Unknown and Missing name arguments whose value is not known yet or given nowhere.
	Unknown, Missing []string
}

// Replication returns the client for the gateway, or an error that names every argument that is missing or not known
// yet.
func (s *Set) Replication(diags *diag.Diagnostics) *vr.Client {
	if s == nil {
		diags.AddError(
			"Provider Not Configured",
			"The provider was used before it was configured. This is a bug in the provider; please report it to its developers.",
		)
		return nil
	}
	settings := s.settings.Replication
	switch {
	case len(settings.Unknown) > 0:
		diags.AddError(
			"Replication Connection Not Known Yet",
			fmt.Sprintf(
				"%s of provider vsla is only known after apply, and this needs vSphere Replication now. Give a value that does "+
					"not depend on another resource, "+
					"or apply the resource that it comes from first, with -target.",
				strings.Join(settings.Unknown, ", "),
			),
		)
		return nil
	case len(settings.Missing) > 0:
		diags.AddError(
			"Replication Connection Not Configured",
			fmt.Sprintf(
				"This needs the REST API of vSphere Replication, and its connection is incomplete. Set in the provider block or "+
					"in the environment: %s. "+
					"The calculators need no connection.",
				strings.Join(settings.Missing, ", "),
			),
		)
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.replication == nil {
		c, err := vr.New(vr.Config{
			Server:            settings.Server,
			User:              settings.User,
			Password:          settings.Password,
			RemoteUser:        settings.RemoteUser,
			RemotePassword:    settings.RemotePassword,
			RequestsPerMinute: settings.RequestsPerMinute,
			Insecure:          s.settings.Insecure,
			CAFile:            s.settings.CAFile,
			Timeout:           s.settings.Timeout,
			UserAgent:         s.settings.UserAgent,
			Sleep:             s.settings.Sleep,
			Now:               s.settings.Now,
			Wrap:              s.settings.Wrap,
			Observe:           observeReplication,
			Background:        s.settings.Background,
		})
		if err != nil {
			diags.AddError("Invalid Replication Connection", explain.Detail(err))
			return nil
		}
		s.replication = c
		s.sessions.add(c)
	}
	return s.replication
}

// ReplicationNotKnownYet reports whether an argument of the connection is only known after apply, so that a check in
// a plan has to wait.
func (s *Set) ReplicationNotKnownYet() bool {
	return s != nil && len(s.settings.Replication.Unknown) > 0
}

// observeReplication logs one request by an allow list of fields.
func observeReplication(ctx context.Context, e vr.Event) {
	fields := map[string]any{
		"method":       e.Method,
		"path":         e.Path,
		"status":       e.Status,
		"attempt":      e.Attempt,
		"operation_id": e.OperationID,
	}
	if e.Throttled > 0 {
		fields["held_back_seconds"] = e.Throttled.Seconds()
		tflog.Info(ctx, "Replication request, held back by the request limit", fields)
		return
	}
	tflog.Debug(ctx, "Replication request", fields)
}
