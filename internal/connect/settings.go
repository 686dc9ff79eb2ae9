// Package connect reads connection settings and creates clients for the provider and the command line.
package connect

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"terraform-provider-vsla/internal/vr"
)

// Environment variables of the connection settings. The first four are shared with the vsphere provider.
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

// Upper bounds of the numeric settings.
const (
	MaxTimeoutSeconds    = 86_400
	MaxRequestsPerMinute = 10_000
)

// Settings are the connection settings of all services.
type Settings struct {
	Server, User, Password string
	Insecure               bool
	CAFile                 string
	// Timeout limits a single request. It defaults to transport.DefaultTimeout.
	Timeout time.Duration
	// RequestsPerSecond limits requests to vCenter. If it is 0, the client slows down only when vCenter throttles it.
	RequestsPerSecond float64
	Replication       Replication
	Protection        Protection
}

// Protection are the connection settings of a vSAN Data Protection appliance. User and Password default to those of
// vCenter, because its STS issues the token.
type Protection struct {
	Server, User, Password string
}

// Replication are the connection settings of a vSphere Replication appliance.
type Replication struct {
	Server, User, Password, RemoteUser, RemotePassword string
	// RequestsPerMinute limits requests to the appliance; 0 means no limit.
	RequestsPerMinute int
}

// InvalidError reports a variable with an invalid value.
type InvalidError struct{ Variable, Want string }

// Error returns the variable and its requirement without the value.
func (e *InvalidError) Error() string { return e.Variable + " must be " + e.Want }

// Read reads the settings. lookup returns the value of an environment variable, or of the argument or flag that
// overrides it. Read returns an *InvalidError for each invalid value.
func Read(lookup func(variable string) string) (Settings, []error) {
	var errs []error
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

// Missing returns the required vCenter variables that are empty.
func (s Settings) Missing() []string {
	return missing([]string{Server, User, Password}, s.Server, s.User, s.Password)
}

// Missing returns the required variables that are empty.
func (r Replication) Missing() []string {
	return missing([]string{ReplicationServer, ReplicationUser, ReplicationPassword}, r.Server, r.User, r.Password)
}

// ProtectionMissing returns the required vSAN Data Protection variables that are empty.
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
