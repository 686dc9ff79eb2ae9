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
	ProtectionPassword = "VSLA_DATA_PROTECTION_PASSWORD" //nolint:gosec // a variable name, not a password

	ReplicationServer         = "VSLA_REPLICATION_SERVER"
	ReplicationUser           = "VSLA_REPLICATION_USER"
	ReplicationPassword       = "VSLA_REPLICATION_PASSWORD" //nolint:gosec // a variable name, not a password
	ReplicationRemoteUser     = "VSLA_REPLICATION_REMOTE_USER"
	ReplicationRemotePassword = "VSLA_REPLICATION_REMOTE_PASSWORD" //nolint:gosec // a variable name, not a password
	ReplicationRequests       = "VSLA_REPLICATION_REQUESTS_PER_MINUTE"
)

// Upper bounds of the numeric settings.
const (
	MaxTimeoutSeconds    = 86_400
	MaxRequestsPerMinute = 10_000
)

// Settings holds the connection settings of all services.
type Settings struct {
	Server, User, Password string
	Insecure               bool
	CAFile                 string
	// Timeout limits each request. The default is transport.DefaultTimeout.
	Timeout time.Duration
	// RequestsPerSecond limits requests to vCenter. If it is 0, the client slows down only after vCenter throttles it.
	RequestsPerSecond float64
	Replication       Replication
	Protection        Protection
}

// Protection holds the connection settings of a vSAN Data Protection appliance. User and Password default to the
// vCenter account, because vCenter's STS issues the token.
type Protection struct {
	Server, User, Password string
}

// Replication holds the connection settings of a vSphere Replication appliance.
type Replication struct {
	Server         string
	User           string
	Password       string
	RemoteUser     string
	RemotePassword string
	// RequestsPerMinute limits requests to the appliance. 0 means no limit.
	RequestsPerMinute int
}

// InvalidError reports an environment variable with an invalid value.
type InvalidError struct {
	Variable string
	Want     string // the values that it accepts
}

// Error returns the name of the variable and the values that it accepts, but not its actual value.
func (e *InvalidError) Error() string { return e.Variable + " must be " + e.Want }

// Read reads the settings. lookup returns the setting named by an environment variable, either from that variable or
// from an argument or flag that overrides it. Read returns an *InvalidError for each invalid value.
func Read(lookup func(variable string) string) (Settings, []error) {
	var errs []error
	number := func(variable, want string, fallback, minimum, maximum int) int {
		raw := strings.TrimSpace(lookup(variable))
		if raw == "" {
			return fallback
		}
		n, err := strconv.Atoi(raw)
		if err != nil || n < minimum || n > maximum {
			errs = append(errs, &InvalidError{variable, want})
		}
		return n
	}
	s := Settings{
		Server:   lookup(Server),
		User:     lookup(User),
		Password: lookup(Password),
		CAFile:   lookup(CAFile),
		Timeout: time.Second * time.Duration(
			number(Timeout, "a whole number of seconds from 1 to 86,400", 0, 1, MaxTimeoutSeconds),
		),
		Replication: Replication{
			Server:         lookup(ReplicationServer),
			User:           lookup(ReplicationUser),
			Password:       lookup(ReplicationPassword),
			RemoteUser:     lookup(ReplicationRemoteUser),
			RemotePassword: lookup(ReplicationRemotePassword),
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
		insecure, err := strconv.ParseBool(raw)
		if err != nil {
			errs = append(errs, &InvalidError{Insecure, "true or false (or 1 or 0)"})
		}
		s.Insecure = insecure
	}
	return s, errs
}

// Missing returns the required vCenter variables that are empty.
func (s Settings) Missing() []string {
	return missing([]string{Server, User, Password}, s.Server, s.User, s.Password)
}

// Missing returns the required vSphere Replication variables that are empty.
func (r Replication) Missing() []string {
	return missing([]string{ReplicationServer, ReplicationUser, ReplicationPassword}, r.Server, r.User, r.Password)
}

// ProtectionMissing returns the required vSAN Data Protection variables that are empty.
func (s Settings) ProtectionMissing() []string {
	p := s.Protection
	return missing([]string{ProtectionServer, Server, ProtectionUser, ProtectionPassword},
		p.Server, s.Server, p.User, p.Password)
}

// missing returns the variables whose values are empty. The values are in the same order.
func missing(variables []string, values ...string) []string {
	var empty []string
	for i, value := range values {
		if value == "" {
			empty = append(empty, variables[i])
		}
	}
	return empty
}
