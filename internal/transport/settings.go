package transport

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"
)

// DefaultTimeout is the default value of Settings.Timeout.
const DefaultTimeout = 300 * time.Second

// Settings configure a client. The zero value is usable.
type Settings struct {
	// Insecure disables certificate verification.
	Insecure bool
	// CAFile is the path of a PEM bundle that replaces the system's root certificates. If it is empty, the system's
	// certificates are used.
	CAFile string
	// Timeout limits each request. 0 means DefaultTimeout.
	Timeout time.Duration
	// UserAgent is sent in the User-Agent header.
	UserAgent string
	// Observe, if set, is called after each JSON request.
	Observe func(context.Context, Event)
	// Background returns the context for requests shared by several callers. It defaults to context.Background.
	Background func() context.Context
	// Now returns the current time. It defaults to the system clock.
	Now func() time.Time
	// Sleep waits for the delay or until the context ends. It defaults to the package's Sleep function.
	Sleep func(context.Context, time.Duration) error
	// Wrap, if set, wraps the HTTP transports. Tests use it to check requests against the API contract.
	Wrap func(http.RoundTripper) http.RoundTripper

	startupProbe *startupProbe
}

// Complete validates the settings and sets defaults. It does not connect to a server.
func (s *Settings) Complete() error {
	if s.Timeout < 0 {
		return errors.New("the request timeout must not be negative")
	}
	if s.CAFile != "" {
		if _, err := ReadRoots(s.CAFile); err != nil {
			return err
		}
	}
	if s.Timeout == 0 {
		s.Timeout = DefaultTimeout
	}
	if s.Observe == nil {
		s.Observe = func(context.Context, Event) {}
	}
	if s.Background == nil {
		s.Background = context.Background
	}
	if s.Now == nil {
		s.Now = time.Now //nolint:forbidigo // the default for an injectable clock
	}
	if s.Sleep == nil {
		s.Sleep = Sleep
	}
	s.startupProbe = &startupProbe{}
	return nil
}

// NewHTTPClient returns an HTTP client that keeps the given number of idle connections per host, instead of Go's
// default of two. s.Complete must have been called.
func (s *Settings) NewHTTPClient(idle int, scrubber *Scrubber) (*http.Client, error) {
	secure := &tls.Config{
		MinVersion:         tls.VersionTLS12,
		InsecureSkipVerify: s.Insecure, //nolint:gosec // set by the user, off by default
	}
	if s.CAFile != "" {
		roots, err := ReadRoots(s.CAFile)
		if err != nil {
			return nil, err
		}
		secure.RootCAs = roots
	}
	return &http.Client{Transport: s.WrapTransport(&http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		TLSClientConfig:     secure,
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: idle,
		IdleConnTimeout:     90 * time.Second,
	}, scrubber)}, nil
}

// WrapTransport applies s.Wrap and Guard to a transport.
func (s *Settings) WrapTransport(t http.RoundTripper, scrubber *Scrubber) http.RoundTripper {
	if s.Wrap != nil {
		t = s.Wrap(t)
	}
	return Guard(t, scrubber)
}

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
	if err != nil || u.Hostname() == "" || (u.Scheme != "https" && u.Scheme != "http") || u.RawQuery != "" ||
		u.Fragment != "" {
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
	if u.Path = strings.TrimRight(u.Path, "/"); u.Path == "" {
		u.Path = path
	}
	return u, nil
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

// ReadRoots reads a PEM bundle of root certificates.
func ReadRoots(file string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(file) //nolint:gosec // the user chooses the file
	if err != nil {
		return nil, fmt.Errorf("the file in ca_file (or VSLA_CA_FILE) cannot be read: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("the file %q in ca_file (or VSLA_CA_FILE) contains no PEM certificate", file)
	}
	return roots, nil
}

// IsCertificateError reports whether a request failed because the server's certificate is not trusted.
func IsCertificateError(err error) bool {
	var (
		unknown  x509.UnknownAuthorityError
		hostname x509.HostnameError
		invalid  x509.CertificateInvalidError
		verify   *tls.CertificateVerificationError
	)
	return errors.As(err, &unknown) || errors.As(err, &hostname) || errors.As(err, &invalid) || errors.As(err, &verify)
}

// IsExpired reports whether a request failed because the server's certificate is not valid at this time.
func IsExpired(err error) bool {
	invalid, ok := errors.AsType[x509.CertificateInvalidError](err)
	return ok && invalid.Reason == x509.Expired
}

// NamesInCertificate returns the names for which the server's certificate is valid, if a request failed because the
// server's name is not among them.
func NamesInCertificate(err error) (names []string, isWrongName bool) {
	hostname, ok := errors.AsType[x509.HostnameError](err)
	if !ok || hostname.Certificate == nil {
		return nil, ok
	}
	names = slices.Clone(hostname.Certificate.DNSNames)
	for _, ip := range hostname.Certificate.IPAddresses {
		names = append(names, ip.String())
	}
	return names, true
}

// IsRefused reports whether the server refused a connection because nothing listens at its address. A connection that
// a proxy refused does not count.
func IsRefused(err error) bool {
	network, ok := errors.AsType[*net.OpError](err)
	return ok && network.Op == "dial" && errors.Is(err, syscall.ECONNREFUSED)
}

// IsUnknownHost reports whether a request failed because the server's name cannot be resolved.
func IsUnknownHost(err error) bool {
	var dns *net.DNSError
	return errors.As(err, &dns) && dns.IsNotFound
}
