package transport

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
)

// ParseAddress parses a host, host:port or URL. path is used if server has no path. Errors do not quote server, because
// it may contain a password.
func ParseAddress(what, server, path string) (*url.URL, error) {
	server = strings.TrimSpace(server)
	if server == "" {
		return nil, fmt.Errorf("the %s is not set", what)
	}
	if !strings.Contains(server, "://") {
		server = "https://" + server
	}
	u, err := url.Parse(server)
	if err != nil || !isServerURL(u) {
		return nil, fmt.Errorf("the %s must be a host, host:port or URL", what)
	}
	if u.User != nil {
		return nil, fmt.Errorf(
			"the URL of the %s must not contain a user or password; use the separate arguments",
			what,
		)
	}
	if err := CheckScheme(u); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	u.Path = strings.TrimRight(u.Path, "/")
	if u.Path == "" {
		u.Path = path
	}
	return u, nil
}

// isServerURL reports whether a URL has an HTTP scheme and a host, and neither a query nor a fragment.
func isServerURL(u *url.URL) bool {
	isHTTP := u.Scheme == "https" || u.Scheme == "http"
	return isHTTP && u.Hostname() != "" && u.RawQuery == "" && u.Fragment == ""
}

// ErrPlainHTTP means that the URL would send the password in clear text.
var ErrPlainHTTP = errors.New(
	"http:// would send the password in clear text; use https:// (http is accepted for loopback addresses only)",
)

// CheckScheme rejects http URLs, except for loopback addresses.
func CheckScheme(u *url.URL) error {
	if u.Scheme != "http" || u.Hostname() == "localhost" {
		return nil
	}
	if ip := net.ParseIP(u.Hostname()); ip != nil && ip.IsLoopback() {
		return nil
	}
	return ErrPlainHTTP
}
