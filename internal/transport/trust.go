package transport

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
)

// Roots reads a PEM bundle of root certificates.
func Roots(file string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(file) //nolint:gosec // the file that the user names
	if err != nil {
		return nil, fmt.Errorf("cannot read the CA file: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("the CA file %q contains no PEM certificate", file)
	}
	return roots, nil
}

// CertificateRefused reports whether a request failed because the server's certificate is not trusted.
func CertificateRefused(err error) bool {
	var (
		unknown  x509.UnknownAuthorityError
		hostname x509.HostnameError
		invalid  x509.CertificateInvalidError
		verify   *tls.CertificateVerificationError
	)
	return errors.As(err, &unknown) || errors.As(err, &hostname) || errors.As(err, &invalid) || errors.As(err, &verify)
}

// UnknownHost reports whether a request failed because the server's name cannot be resolved.
func UnknownHost(err error) bool {
	var dns *net.DNSError
	return errors.As(err, &dns) && dns.IsNotFound
}
