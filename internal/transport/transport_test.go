package transport_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/transport"
)

// TestDelay verifies delays of 0.5, 1, 2, 4, 8 and 8 seconds, each reduced by up to half.
func TestDelay(t *testing.T) {
	t.Parallel()
	for attempt, most := range map[int]time.Duration{1: 500e6, 2: 1e9, 3: 2e9, 4: 4e9, 5: 8e9, 6: 8e9} {
		for range 100 {
			d := transport.Delay(attempt)
			require.GreaterOrEqual(t, d, most/2, attempt)
			assert.LessOrEqual(t, d, most, attempt)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]time.Duration{
		"": 0, "3": 3 * time.Second, "60": time.Minute, "61": time.Minute, "0": 0, "-5": 0, "soon": 0, "Wed, 21 Oct 2026 07:28:00 GMT": 0,
	} {
		assert.Equal(t, want, transport.RetryAfter(http.Header{"Retry-After": {header}}), header)
	}
}

// TestWait verifies that Wait returns after the delay or when the context ends.
func TestWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var took time.Duration
		wait := func(ctx context.Context) error {
			began := time.Now() //nolint:forbidigo // the bubble's clock
			err := transport.Wait(ctx, time.Hour)
			took = time.Since(began) //nolint:forbidigo // the bubble's clock
			return err
		}
		require.NoError(t, wait(t.Context()))
		assert.Equal(t, time.Hour, took)
		short, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		require.ErrorIs(t, wait(short), context.DeadlineExceeded)
		assert.Equal(t, time.Minute, took)
	})
}

func TestRoots(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	dir := t.TempDir()
	good, bad := filepath.Join(dir, "good.pem"), filepath.Join(dir, "bad.pem")
	bundle := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	for file, content := range map[string][]byte{good: bundle, bad: []byte("no certificate")} {
		require.NoError(t, os.WriteFile(file, content, 0o600))
	}
	roots, err := transport.Roots(good)
	require.NoError(t, err)
	assert.NoError(t, get(t, server.URL, roots))
	err = get(t, server.URL, x509.NewCertPool())
	assert.True(t, transport.CertificateRefused(fmt.Errorf("wrapped: %w", err)), "not trusted: %v", err)
	_, err = transport.Roots(bad)
	require.Error(t, err)
	assert.Contains(t, err.Error(), "contains no PEM certificate")
	_, err = transport.Roots(filepath.Join(dir, "none.pem"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func get(t *testing.T, url string, roots *x509.CertPool) error {
	t.Helper()
	client := http.Client{
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}},
	}
	defer client.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	answer, err := client.Do(req)
	if err != nil {
		return err
	}
	return answer.Body.Close()
}

// TestKinds verifies that an unknown host is distinguished from an unreachable server and from certificate errors.
func TestKinds(t *testing.T) {
	t.Parallel()
	unknown := fmt.Errorf("wrapped: %w", &net.DNSError{IsNotFound: true})
	passing := fmt.Errorf("wrapped: %w", &net.DNSError{IsTimeout: true})
	assert.True(t, transport.UnknownHost(unknown) && !transport.UnknownHost(passing) && !transport.UnknownHost(nil),
		"unknown hosts are not told from others")
	require.False(t, transport.CertificateRefused(unknown), "an unknown host is taken for a refused certificate")
	assert.False(t, transport.CertificateRefused(nil), "an unknown host is taken for a refused certificate")
	for _, err := range []error{
		x509.UnknownAuthorityError{},
		x509.HostnameError{},
		x509.CertificateInvalidError{},
		&tls.CertificateVerificationError{Err: unknown},
	} {
		assert.True(t, transport.CertificateRefused(fmt.Errorf("wrapped: %w", err)),
			"%T is not taken for a refused certificate", err)
	}
}

func TestCheckScheme(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]error{
		"https://vcenter.example.com": nil, "https://10.0.0.1": nil,
		"http://127.0.0.1:8989": nil, "http://[::1]:8989": nil, "http://localhost/sdk": nil, "http://127.8.8.8": nil,
		"http://vcenter.example.com": transport.ErrPlain, "http://10.0.0.1:80": transport.ErrPlain,
		"http://localhost.example.com": transport.ErrPlain, "http://127.0.0.1.example.com": transport.ErrPlain,
		"HTTP://vcenter.example.com": transport.ErrPlain,
	} {
		u, err := url.Parse(address)
		require.NoError(t, err)
		assert.ErrorIs(t, transport.CheckScheme(u), want, address)
	}
}

func TestGrace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, interrupt := context.WithCancel(t.Context())
		graceful, cancel := transport.Grace(ctx)
		defer cancel()
		time.Sleep(time.Hour)
		interrupt()
		time.Sleep(transport.GraceTime - time.Second)
		assert.NoError(t, graceful.Err())
		time.Sleep(2 * time.Second)
		assert.Error(t, graceful.Err(), "got no error a second after the end, want one")
	})
}
