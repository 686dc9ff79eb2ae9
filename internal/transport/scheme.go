// Plain HTTP.

package transport

import (
	"errors"
	"net"
	"net/url"
)

// ErrPlain reports that the server's URL would send the password in clear text.
var ErrPlain = errors.New(
	"http:// would send the password in clear text; use https:// (http is accepted for loopback " +
		"addresses only)",
)

// CheckScheme refuses plain HTTP, except to a loopback address.
func CheckScheme(u *url.URL) error {
	if u.Scheme != "http" || u.Hostname() == "localhost" {
		return nil
	}
	if ip := net.ParseIP(u.Hostname()); ip != nil && ip.IsLoopback() {
		return nil
	}
	return ErrPlain
}
