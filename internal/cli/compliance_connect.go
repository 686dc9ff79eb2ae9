// The connections of the command compliance, from the environment.

package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"terraform-provider-vsla/internal/audit"
	"terraform-provider-vsla/internal/environment"
	"terraform-provider-vsla/internal/vr"
	"terraform-provider-vsla/internal/vsphere"
)

// logoutLimit bounds how long the end of the sessions may take.
const logoutLimit = 10 * time.Second

// connect returns the clients, and what ends their sessions. It opens no connection.
func (p Program) connect() (audit.Reader, func(context.Context), error) {
	var missing []string
	text := func(name string) string {
		value := p.getenv(name)
		if value == "" {
			missing = append(missing, name)
		}
		return value
	}
	insecure, err1 := environment.ParseInsecure(p.getenv(environment.Insecure))
	limit, err2 := environment.ParseTimeout(p.getenv(environment.Timeout))
	requests, err3 := environment.ParseRequests(p.getenv(environment.ReplicationRequests), vr.DefaultRequestsPerMinute)
	if err := errors.Join(err1, err2, err3); err != nil {
		return audit.Reader{}, nil, err
	}
	agent := programName + "/" + p.Version
	vcenter := vsphere.Config{
		Server: text(environment.Server), User: text(environment.User), Password: text(environment.Password),
		Insecure: insecure, CAFile: p.getenv(environment.CAFile), Timeout: limit, UserAgent: agent,
		Sleep: p.Sleep, Now: p.Now,
	}
	gateway := vr.Config{
		Server: text(environment.ReplicationServer), User: text(environment.ReplicationUser),
		Password: text(environment.ReplicationPassword), RemoteUser: p.getenv(environment.ReplicationRemoteUser),
		RemotePassword: p.getenv(environment.ReplicationRemotePassword), RequestsPerMinute: requests,
		Insecure: insecure, CAFile: p.getenv(environment.CAFile), Timeout: limit, UserAgent: agent,
		Sleep: p.Sleep, Now: p.Now,
	}
	if len(missing) > 0 {
		return audit.Reader{}, nil, fmt.Errorf("the environment must have %s", strings.Join(missing, ", "))
	}
	var r audit.Reader
	var err error
	if r.VSphere, err = vsphere.New(vcenter); err != nil {
		return audit.Reader{}, nil, err
	}
	if r.Replication, err = vr.New(gateway); err != nil {
		return audit.Reader{}, nil, err
	}
	return r, func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), logoutLimit)
		defer cancel()
		// What is not ended now ends by itself.
		_ = r.VSphere.Close(ctx)
		_ = r.Replication.Close(ctx)
	}, nil
}

func (p Program) now() time.Time {
	if p.Now == nil {
		return time.Now() //nolint:forbidigo // the clock of the process
	}
	return p.Now()
}
