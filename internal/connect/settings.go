// Package connect reads the settings of the connections and makes their clients, for the provider and for the command
// line.
package connect

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"terraform-provider-vsla/internal/vr"
)

// The environment variables. The first four are the vsphere provider's own, so that one set serves both.
const (
	Server   = "VSPHERE_SERVER"
	User     = "VSPHERE_USER"
	Password = "VSPHERE_PASSWORD"
	Insecure = "VSPHERE_ALLOW_UNVERIFIED_SSL"
	CAFile   = "VSLA_CA_FILE"
	Timeout  = "VSLA_API_TIMEOUT_SECONDS"

	ProtectionServer   = "VSLA_DATA_PROTECTION_SERVER"
	ProtectionUser     = "VSLA_DATA_PROTECTION_USER"
	ProtectionPassword = "VSLA_DATA_PROTECTION_PASSWORD" //nolint:gosec // the variable's name

	ReplicationServer         = "VSLA_REPLICATION_SERVER"
	ReplicationUser           = "VSLA_REPLICATION_USER"
	ReplicationPassword       = "VSLA_REPLICATION_PASSWORD" //nolint:gosec // the variable's name
	ReplicationRemoteUser     = "VSLA_REPLICATION_REMOTE_USER"
	ReplicationRemotePassword = "VSLA_REPLICATION_REMOTE_PASSWORD" //nolint:gosec // the variable's name
	ReplicationRequests       = "VSLA_REPLICATION_REQUESTS_PER_MINUTE"
)

// The largest values.
const (
	MaxTimeoutSeconds    = 86_400
	MaxRequestsPerMinute = 10_000
)

// Settings are the settings of the connections.
type Settings struct {
	Server, User, Password string
	Insecure               bool
	CAFile                 string
	// Timeout bounds one request; 0 means the default.
	Timeout time.Duration
	// RequestsPerSecond bounds requests to vCenter; 0 means that the client adapts to what vCenter refuses.
	RequestsPerSecond float64
	Replication       Replication
	Protection        Protection
}

// Protection are the settings of the connection to an appliance of vSAN Data Protection. User and password default to
// those of vCenter, whose STS issues the token.
type Protection struct {
	Server, User, Password string
}

// Replication are the settings of the connection to a vSphere Replication appliance.
type Replication struct {
	Server, User, Password, RemoteUser, RemotePassword string
	// RequestsPerMinute bounds requests; 0 means no limit.
	RequestsPerMinute int
}

// InvalidError is the error of a variable whose value cannot be used.
type InvalidError struct{ Variable, Want string }

// Error returns the variable and what it must be, not its value.
func (e *InvalidError) Error() string { return e.Variable + " must be " + e.Want }

// Read reads the settings. lookup returns the value of an environment variable, or of the argument or flag that takes
// precedence over it. There is an *InvalidError for each value that cannot be used.
func Read(lookup func(variable string) string) (Settings, []error) {
	var errs []error
	// number reads a whole number from least to most.
	number := func(variable, want string, fallback, least, most int) int {
		raw := strings.TrimSpace(lookup(variable))
		if raw == "" {
			return fallback
		}
		n, err := strconv.Atoi(raw)
		if err != nil || n < least || n > most {
			errs = append(errs, &InvalidError{variable, want})
		}
		return n
	}
	s := Settings{
		Server: lookup(Server), User: lookup(User), Password: lookup(Password), CAFile: lookup(CAFile),
		Timeout: time.Second * time.Duration(
			number(Timeout, "a whole number of seconds from 1 to 86,400", 0, 1, MaxTimeoutSeconds),
		),
		Replication: Replication{
			Server: lookup(ReplicationServer), User: lookup(ReplicationUser), Password: lookup(ReplicationPassword),
			RemoteUser: lookup(ReplicationRemoteUser), RemotePassword: lookup(ReplicationRemotePassword),
			RequestsPerMinute: number(ReplicationRequests, "a whole number of requests from 0 to 10,000",
				vr.DefaultRequestsPerMinute, 0, MaxRequestsPerMinute),
		},
	}
	s.Protection = Protection{
		Server:   lookup(ProtectionServer),
		User:     cmp.Or(lookup(ProtectionUser), s.User),
		Password: cmp.Or(lookup(ProtectionPassword), s.Password),
	}
	if raw := strings.TrimSpace(lookup(Insecure)); raw != "" {
		var err error
		if s.Insecure, err = strconv.ParseBool(raw); err != nil {
			errs = append(errs, &InvalidError{Insecure, "true or false (or 1 or 0)"})
		}
	}
	return s, errs
}

// Missing returns the variables of vCenter's connection that are required and empty.
func (s Settings) Missing() []string {
	return missing([]string{Server, User, Password}, s.Server, s.User, s.Password)
}

// Missing returns the variables of the connection that are required and empty.
func (r Replication) Missing() []string {
	return missing([]string{ReplicationServer, ReplicationUser, ReplicationPassword}, r.Server, r.User, r.Password)
}

// ProtectionMissing returns the variables of the connection to vSAN Data Protection that are required and empty.
func (s Settings) ProtectionMissing() []string {
	p := s.Protection
	return missing([]string{ProtectionServer, Server, ProtectionUser, ProtectionPassword},
		p.Server, s.Server, p.User, p.Password)
}

func missing(variables []string, values ...string) []string {
	var empty []string
	for i, value := range values {
		if value == "" {
			empty = append(empty, variables[i])
		}
	}
	return empty
}
