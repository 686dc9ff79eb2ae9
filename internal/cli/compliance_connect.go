// The connections of the command compliance, from the environment.

package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"terraform-provider-vsla/internal/connect"
	"terraform-provider-vsla/internal/estate/audit"
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
	insecure, err1 := connect.ParseInsecure(p.getenv(connect.Insecure))
	limit, err2 := connect.ParseTimeout(p.getenv(connect.Timeout))
	requests, err3 := connect.ParseRequests(p.getenv(connect.ReplicationRequests), vr.DefaultRequestsPerMinute)
	if err := errors.Join(err1, err2, err3); err != nil {
		return audit.Reader{}, nil, err
	}
	agent := programName + "/" + p.Version
	vcenter := vsphere.Config{
		Server: text(connect.Server), User: text(connect.User), Password: text(connect.Password),
		Insecure: insecure, CAFile: p.getenv(connect.CAFile), Timeout: limit, UserAgent: agent,
		Sleep: p.Sleep, Now: p.Now,
	}
	gateway := vr.Config{
		Server: text(connect.ReplicationServer), User: text(connect.ReplicationUser),
		Password: text(connect.ReplicationPassword), RemoteUser: p.getenv(connect.ReplicationRemoteUser),
		RemotePassword: p.getenv(connect.ReplicationRemotePassword), RequestsPerMinute: requests,
		Insecure: insecure, CAFile: p.getenv(connect.CAFile), Timeout: limit, UserAgent: agent,
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
