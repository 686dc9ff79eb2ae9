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

const logoutTimeout = 10 * time.Second

// replicationNeed states whether a command requires a vSphere Replication server.
type replicationNeed bool

const (
	replicationRequired replicationNeed = true
	replicationOptional replicationNeed = false
)

// settings reads the connection settings from the environment. If a vSphere Replication server is required or set, its
// other settings are required as well.
func (p Program) settings(replication replicationNeed) (connect.Settings, error) {
	s, errs := connect.Read(p.getenv)
	missing := s.Missing()
	if replication == replicationRequired || s.Replication.Server != "" {
		missing = append(missing, s.Replication.Missing()...)
	}
	if len(missing) > 0 {
		errs = append(errs, fmt.Errorf("the environment must have %s", strings.Join(missing, ", ")))
	}
	return s, errors.Join(errs...)
}

// newClients returns clients, which connect on first use, and a function that closes their sessions. The vSphere
// Replication client is nil if its server is neither set nor required.
func (p Program) newClients(replication replicationNeed) (audit.Reader, func(context.Context), error) {
	s, err := p.settings(replication)
	if err != nil {
		return audit.Reader{}, nil, err
	}
	process := connect.Process{UserAgent: programName + "/" + p.Version, Sleep: p.Sleep, Now: p.Now}
	var r audit.Reader
	if r.VSphere, err = process.VSphere(s); err != nil {
		return audit.Reader{}, nil, err
	}
	if s.Replication.Server != "" {
		if r.Replication, err = process.Replication(s); err != nil {
			return audit.Reader{}, nil, err
		}
	}
	return r, func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), logoutTimeout)
		defer cancel()
		// Ignore errors, because the sessions expire on their own.
		_ = r.VSphere.Close(ctx)
		if r.Replication != nil {
			_ = r.Replication.Close(ctx)
		}
	}, nil
}
