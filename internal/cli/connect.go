// The connections of the commands compliance and adopt, from the environment.

package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"terraform-provider-vsla/internal/connect"
	"terraform-provider-vsla/internal/estate/audit"
)

// logoutLimit bounds how long the end of the sessions may take.
const logoutLimit = 10 * time.Second

// connect returns the clients, and what ends their sessions. It opens no connection. There is no client of a vSphere
// Replication appliance where its server is not set, which is an error if replication is required.
func (p Program) connect(replication bool) (audit.Reader, func(context.Context), error) {
	s, errs := connect.Read(p.getenv)
	if len(errs) > 0 {
		return audit.Reader{}, nil, errors.Join(errs...)
	}
	replication = replication || s.Replication.Server != ""
	missing := s.Missing()
	if replication {
		missing = append(missing, s.Replication.Missing()...)
	}
	if len(missing) > 0 {
		return audit.Reader{}, nil, fmt.Errorf("the environment must have %s", strings.Join(missing, ", "))
	}
	process := connect.Process{UserAgent: programName + "/" + p.Version, Sleep: p.Sleep, Now: p.Now}
	var r audit.Reader
	var err error
	if r.VSphere, err = process.VSphere(s); err != nil {
		return audit.Reader{}, nil, err
	}
	if replication {
		if r.Replication, err = process.Replication(s); err != nil {
			return audit.Reader{}, nil, err
		}
	}
	return r, func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), logoutLimit)
		defer cancel()
		// A session that is not closed now expires.
		_ = r.VSphere.Close(ctx)
		if r.Replication != nil {
			_ = r.Replication.Close(ctx)
		}
	}, nil
}

func (p Program) now() time.Time {
	if p.Now == nil {
		return time.Now() //nolint:forbidigo // the clock of the process
	}
	return p.Now()
}
