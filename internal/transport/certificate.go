package transport

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"slices"
)

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
