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
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/transport"
)

// TestDelay verifies that the delays are 0.5, 1, 2, 4, 8 and 8 seconds, each reduced by up to half.
func TestDelay(t *testing.T) {
	t.Parallel()
	for attempt, most := range map[int]time.Duration{1: 500e6, 2: 1e9, 3: 2e9, 4: 4e9, 5: 8e9, 6: 8e9} {
		for range 100 {
			d := transport.Delay(attempt)
			require.GreaterOrEqual(t, d, most/2, "%+v", attempt)
			assert.LessOrEqual(t, d, most, "%+v", attempt)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]time.Duration{
		"":                              0,
		"3":                             3 * time.Second,
		"60":                            time.Minute,
		"61":                            time.Minute,
		"0":                             0,
		"-5":                            0,
		"soon":                          0,
		"Wed, 21 Oct 2026 07:28:00 GMT": 0,
	} {
		assert.Equal(t, want, transport.RetryAfter(http.Header{"Retry-After": {header}}), header)
	}
}

func TestSleep(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var took time.Duration
		wait := func(ctx context.Context) error {
			began := time.Now() //nolint:forbidigo // the fake clock of synctest
			err := transport.Sleep(ctx, time.Hour)
			took = time.Since(began) //nolint:forbidigo // the fake clock of synctest
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

func TestReadRoots(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	dir := t.TempDir()
	good := filepath.Join(dir, "good.pem")
	bad := filepath.Join(dir, "bad.pem")
	bundle := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	for file, content := range map[string][]byte{good: bundle, bad: []byte("no certificate")} {
		require.NoError(t, os.WriteFile(file, content, 0o600))
	}
	roots, err := transport.ReadRoots(good)
	require.NoError(t, err)
	assert.NoError(t, get(t, server.URL, roots))
	err = get(t, server.URL, x509.NewCertPool())
	assert.True(t, transport.IsCertificateError(fmt.Errorf("wrapped: %w", err)), "not trusted: %v", err)
	_, err = transport.ReadRoots(bad)
	require.Error(t, err)
	assert.Contains(t, err.Error(), "VSLA_CA_FILE) contains no PEM certificate")
	_, err = transport.ReadRoots(filepath.Join(dir, "none.pem"))
	require.ErrorIs(t, err, os.ErrNotExist)
	assert.Contains(t, err.Error(), "ca_file (or VSLA_CA_FILE)")
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

func TestKinds(t *testing.T) {
	t.Parallel()
	unknown := fmt.Errorf("wrapped: %w", &net.DNSError{IsNotFound: true})
	passing := fmt.Errorf("wrapped: %w", &net.DNSError{IsTimeout: true})
	assert.True(t, transport.IsUnknownHost(unknown), "unknown hosts are not told from others")
	assert.False(t, transport.IsUnknownHost(passing), "unknown hosts are not told from others")
	assert.False(t, transport.IsUnknownHost(nil), "unknown hosts are not told from others")
	require.False(t, transport.IsCertificateError(unknown), "an unknown host is taken for a refused certificate")
	assert.False(t, transport.IsCertificateError(nil), "an unknown host is taken for a refused certificate")
	for _, err := range []error{
		x509.UnknownAuthorityError{},
		x509.HostnameError{},
		x509.CertificateInvalidError{},
		&tls.CertificateVerificationError{Err: unknown},
	} {
		assert.True(t, transport.IsCertificateError(fmt.Errorf("wrapped: %w", err)),
			"%T is not taken for a refused certificate", err)
	}
}

func TestCertificateFaults(t *testing.T) {
	t.Parallel()
	certificate := &x509.Certificate{DNSNames: []string{"vc01"}, IPAddresses: []net.IP{{192, 0, 2, 1}}}
	for name, test := range map[string]struct {
		err                error
		expired, wrongName bool
		names              []string
	}{
		"expired":           {x509.CertificateInvalidError{Reason: x509.Expired}, true, false, nil},
		"not an authority":  {x509.CertificateInvalidError{Reason: x509.NotAuthorizedToSign}, false, false, nil},
		"unknown authority": {x509.UnknownAuthorityError{}, false, false, nil},
		"wrong name":        {x509.HostnameError{Certificate: certificate}, false, true, []string{"vc01", "192.0.2.1"}},
		"no name":           {x509.HostnameError{}, false, true, nil},
		"none":              {nil, false, false, nil},
	} {
		err := fmt.Errorf("wrapped: %w", &tls.CertificateVerificationError{Err: test.err})
		assert.Equal(t, test.expired, transport.IsExpired(err), name)
		names, isWrongName := transport.NamesInCertificate(err)
		assert.Equal(t, test.wrongName, isWrongName, name)
		assert.Equal(t, test.names, names, name)
	}
}

func TestIsRefused(t *testing.T) {
	t.Parallel()
	assert.True(t, transport.IsRefused(&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}))
	assert.False(
		t,
		transport.IsRefused(&net.OpError{Op: "proxyconnect", Err: syscall.ECONNREFUSED}),
		"refused by a proxy",
	)
	assert.False(t, transport.IsRefused(&net.OpError{Op: "dial", Err: syscall.ETIMEDOUT}))
	assert.False(t, transport.IsRefused(nil))
}

func TestWithGracePeriod(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, interrupt := context.WithCancel(t.Context())
		graceful, cancel := transport.WithGracePeriod(ctx)
		defer cancel()
		time.Sleep(time.Hour)
		interrupt()
		time.Sleep(transport.GracePeriod - time.Second)
		require.NoError(t, graceful.Err())
		time.Sleep(2 * time.Second)
		assert.Error(t, graceful.Err(), "got no error a second after the end, want one")
	})
}

// TestAwaitRetry verifies that requests without a usable response are retried after a delay. Throttled requests are
// retried immediately, because the rate limiter delays them. Other errors are never retried. There are at most five
// attempts.
func TestAwaitRetry(t *testing.T) {
	t.Parallel()
	k := transport.NewKinds()
	var slept []time.Duration
	settings := transport.Settings{
		Sleep: func(ctx context.Context, d time.Duration) error {
			slept = append(slept, d)
			return ctx.Err()
		},
	}
	require.NoError(t, settings.Complete())
	for _, err := range []error{
		k.NotFound,
		k.Permission,
		k.Conflict,
		k.Invalid,
		k.Session,
		k.Login,
		k.Uncertain,
		k.Certificate,
		k.UnknownHost,
		k.Ambiguous,
	} {
		assert.False(t, settings.AwaitRetry(t.Context(), err, 0, 1), "%v is repeated", err)
	}
	require.True(t, settings.AwaitRetry(t.Context(), k.Limited, time.Minute, 4),
		"refused for load: not repeated, or slept %v", slept)
	assert.Empty(t, slept)
	assert.True(t, settings.AwaitRetry(t.Context(), k.Unavailable, time.Minute, 4),
		"unavailable: not repeated, or slept %v", slept)
	require.Len(t, slept, 1, "unavailable")
	assert.Equal(t, time.Minute, slept[0], "unavailable")
	for _, err := range []error{k.Limited, k.Unavailable} {
		assert.False(t, settings.AwaitRetry(t.Context(), err, 0, 5), "%v is repeated after five attempts", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.False(t, settings.AwaitRetry(ended, k.Limited, 0, 1), "repeated after the end of the context")
	assert.False(t, settings.AwaitRetry(ended, k.Unavailable, 0, 1), "repeated after the end of the context")
}
