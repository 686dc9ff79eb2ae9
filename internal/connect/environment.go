// Package connect names the environment variables of the connections, which the provider and the command doctor
// read alike, and reads the values that are not text.
package connect

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// The environment variables. The first four are the vsphere provider's own, so that one set serves both.
const (
	Server   = "VSPHERE_SERVER"
	User     = "VSPHERE_USER"
	Password = "VSPHERE_PASSWORD"
	Insecure = "VSPHERE_ALLOW_UNVERIFIED_SSL"
	CAFile   = "VSLA_CA_FILE"
	Timeout  = "VSLA_API_TIMEOUT_SECONDS"

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

// ParseInsecure reads whether certificates are not checked; empty means false.
func ParseInsecure(raw string) (bool, error) {
	if raw = strings.TrimSpace(raw); raw == "" {
		return false, nil
	}
	insecure, err := strconv.ParseBool(raw)
	if err != nil {
		return false, fmt.Errorf("%s must be true or false (or 1 or 0)", Insecure)
	}
	return insecure, nil
}

// ParseTimeout reads the time limit of one request in seconds; empty means 0, the default.
func ParseTimeout(raw string) (time.Duration, error) {
	if raw = strings.TrimSpace(raw); raw == "" {
		return 0, nil
	}
	seconds, err := strconv.ParseInt(raw, 10, 64)
	if err != nil || seconds < 1 || seconds > MaxTimeoutSeconds {
		return 0, fmt.Errorf("%s must be a whole number of seconds from 1 to 86,400", Timeout)
	}
	return time.Duration(seconds) * time.Second, nil
}

// ParseRequests reads how many requests a minute an appliance is sent at most, 0 for no limit; empty means fallback.
func ParseRequests(raw string, fallback int) (int, error) {
	if raw = strings.TrimSpace(raw); raw == "" {
		return fallback, nil
	}
	n, err := strconv.Atoi(raw)
	if err != nil || n < 0 || n > MaxRequestsPerMinute {
		return fallback, fmt.Errorf("%s must be a whole number of requests from 0 to 10,000", ReplicationRequests)
	}
	return n, nil
}
