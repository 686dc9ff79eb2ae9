package transport_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"terraform-provider-vsla/internal/transport"
)

// TestDelay verifies that the delays are 0.5, 1, 2, 4, 8 and 8 seconds, each reduced by up to half.
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
	good, bad := filepath.Join(dir, "good.pem"), filepath.Join(dir, "bad.pem")
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
	assert.Contains(t, err.Error(), "contains no PEM certificate")
	_, err = transport.ReadRoots(filepath.Join(dir, "none.pem"))
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

func TestKinds(t *testing.T) {
	t.Parallel()
	unknown := fmt.Errorf("wrapped: %w", &net.DNSError{IsNotFound: true})
	passing := fmt.Errorf("wrapped: %w", &net.DNSError{IsTimeout: true})
	assert.True(t, transport.IsUnknownHost(unknown) && !transport.IsUnknownHost(passing) && !transport.IsUnknownHost(nil),
		"unknown hosts are not told from others")
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

func TestCheckScheme(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]error{
		"https://vcenter.example.com": nil, "https://10.0.0.1": nil, "http://127.0.0.1:8989": nil, "http://[::1]:8989": nil,
		"http://localhost/sdk": nil, "http://127.8.8.8": nil, "http://vcenter.example.com": transport.ErrPlainHTTP,
		"http://10.0.0.1:80": transport.ErrPlainHTTP, "http://localhost.example.com": transport.ErrPlainHTTP,
		"http://127.0.0.1.example.com": transport.ErrPlainHTTP, "HTTP://vcenter.example.com": transport.ErrPlainHTTP,
	} {
		u, err := url.Parse(address)
		require.NoError(t, err)
		assert.ErrorIs(t, transport.CheckScheme(u), want, address)
	}
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
		assert.NoError(t, graceful.Err())
		time.Sleep(2 * time.Second)
		assert.Error(t, graceful.Err(), "got no error a second after the end, want one")
	})
}

func TestKinds_areDistinct(t *testing.T) {
	t.Parallel()
	one, other := transport.NewKinds(), transport.NewKinds()
	assert.True(t, errors.Is(one.NotFound, transport.ErrNotFound) && !errors.Is(one.NotFound, other.NotFound) &&
		!errors.Is(one.NotFound, transport.ErrPermission), "NotFound is not its own sentinel of its kind")
	for status, want := range map[int]error{
		400: one.Invalid, 401: one.Session, 403: one.Permission, 404: one.NotFound, 409: one.Conflict, 422: one.Invalid,
		429: one.Limited, 500: one.Unavailable, 503: one.Unavailable,
	} {
		assert.ErrorIs(t, one.FromStatus(status), want, status)
	}
}

func TestKinds_noAnswer(t *testing.T) {
	t.Parallel()
	k := transport.NewKinds()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	broken := errors.New("broken")
	for name, test := range map[string]struct {
		cancelled, timedOut bool
		err, want           error
	}{
		"cancelled":       {true, true, broken, context.Canceled},
		"time limit":      {false, true, broken, k.Uncertain},
		"certificate":     {false, false, x509.UnknownAuthorityError{}, k.Certificate},
		"unknown host":    {false, false, &net.DNSError{IsNotFound: true}, k.UnknownHost},
		"DNS is down":     {false, false, &net.DNSError{IsTimeout: true}, k.Unavailable},
		"connection lost": {false, false, broken, k.Unavailable},
	} {
		caller, bounded := t.Context(), t.Context()
		if test.cancelled {
			caller = ended
		}
		if test.timedOut {
			bounded = ended
		}
		assert.ErrorIs(t, k.NoResponse(caller, bounded, "GET tag", time.Minute, test.err), test.want, name)
	}
}

// TestAwaitRetry verifies that requests without a usable response are retried after a delay. Throttled requests are
// retried immediately, because the rate limiter delays them. Other errors are never retried. There are at most five
// attempts.
func TestAwaitRetry(t *testing.T) {
	t.Parallel()
	k := transport.NewKinds()
	var slept []time.Duration
	settings := transport.Settings{
		Sleep: func(ctx context.Context, d time.Duration) error { slept = append(slept, d); return ctx.Err() },
	}
	require.NoError(t, settings.Complete())
	for _, err := range []error{
		k.NotFound, k.Permission, k.Conflict, k.Invalid, k.Session, k.Login, k.Uncertain, k.Certificate, k.UnknownHost,
		k.Ambiguous,
	} {
		assert.False(t, settings.AwaitRetry(t.Context(), err, 0, 1), "%v is repeated", err)
	}
	require.True(t, settings.AwaitRetry(t.Context(), k.Limited, time.Minute, 4),
		"refused for load: not repeated, or slept %v", slept)
	assert.Empty(t, slept)
	assert.True(t, settings.AwaitRetry(t.Context(), k.Unavailable, time.Minute, 4) && len(slept) == 1 &&
		slept[0] == time.Minute, "unavailable: not repeated, or slept %v", slept)
	for _, err := range []error{k.Limited, k.Unavailable} {
		assert.False(t, settings.AwaitRetry(t.Context(), err, 0, 5), "%v is repeated after five attempts", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.False(t, settings.AwaitRetry(ended, k.Limited, 0, 1), "repeated after the end of the context")
	assert.False(t, settings.AwaitRetry(ended, k.Unavailable, 0, 1), "repeated after the end of the context")
}

func TestScrubber(t *testing.T) {
	t.Parallel()
	const secret = `S3cr<et&"w\ord`
	s := transport.NewScrubber(secret, "abc", "")
	var escaped strings.Builder
	require.NoError(t, xml.EscapeText(&escaped, []byte(secret)))
	for name, quoted := range map[string]string{
		"as it is": secret, "Go": strings.Trim(strconv.Quote(secret), `"`), "XML": escaped.String(), "query": url.QueryEscape(secret),
		"path":                 url.PathEscape(secret),
		"base64":               base64.StdEncoding.EncodeToString([]byte(secret)),
		"base64 for addresses": base64.URLEncoding.EncodeToString([]byte(secret)),
		"HTML":                 "S3cr&lt;et&amp;&quot;w\\ord", "XML of others": "S3cr&#x3c;et&#38;&#x22;w\\ord",
		"URL in lower case": "S3cr%3cet%26%22w%5cord", "JSON of others": `S3cr\u003cet\u0026\u0022w\\ord`,
		"JSON in HTML": "S3cr\\u003cet&amp;amp;\\&quot;w\\\\ord", "hexadecimal": "533363723C65742622775C6F7264",
		"base64 in two lines": "UzNjcjxl\r\ndCYid1xvcmQ=", "base64 with its line break escaped": `UzNjcjxl\ndCYid1xvcmQ=`,
	} {
		got := s.Text("before " + quoted + " after")
		assert.True(t, !strings.Contains(got, quoted) && strings.HasPrefix(got, "before ") &&
			strings.HasSuffix(got, " after"), "%s: got %q, want it without %q", name, got, quoted)
	}
	// The secret must be removed from the base64 encoding of a longer string, whatever its offset in that string.
	for before := range 3 {
		quoted := base64.StdEncoding.EncodeToString([]byte("user:"[:3+before] + secret + "!!!"))
		got := s.Text(quoted)
		require.Contains(t, got, "(removed)", 3+before)
		assert.LessOrEqual(t, len(got), 24, 3+before)
	}
	assert.Equal(t, "abc", s.Text("abc"))
	cause := fmt.Errorf("%w: quoted %s", transport.ErrInvalid, secret)
	err := s.Error(cause)
	require.NotContains(t, err.Error(), secret)
	assert.ErrorIs(t, err, transport.ErrInvalid)
	assert.NoError(t, s.Error(nil))
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestGuard(t *testing.T) {
	t.Parallel()
	var s transport.Scrubber
	sent := 0
	client := http.Client{Transport: transport.Guard(roundTripper(func(r *http.Request) (*http.Response, error) {
		sent++
		header := http.Header{"Location": {"http://evil.example.com/session-1234"}}
		return &http.Response{StatusCode: http.StatusFound, Header: header, Body: http.NoBody, Request: r}, nil
	}), &s)}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://vc.example.com/api", nil)
	require.NoError(t, err)
	r.SetBasicAuth("user", "pass-word")
	r.Header.Set("Vmware-Api-Session-Id", "session-1234")
	r.Header.Set("Cookie", `vmware_soap_session="cookie-1234"`)
	answer, err := client.Do(r)
	if answer != nil {
		_ = answer.Body.Close()
	}
	var redirect *transport.RedirectError
	assert.True(t, errors.As(err, &redirect) && sent == 1 &&
		strings.Contains(err.Error(), "https://vc.example.com redirects to http://evil.example.com;"),
		"got %v after %d requests, want a refusal that names both hosts after 1", err, sent)
	quoted := "pass-word session-1234 cookie-1234 " + base64.StdEncoding.EncodeToString([]byte("user:pass-word"))
	got, want := s.Text(quoted), "(removed) (removed) (removed) (removed)"
	assert.Equal(t, want, got)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func TestGuard_limit(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		size, announced int64
		want            error
	}{
		"at the limit": {transport.MaxResponseSize, -1, nil},
		"above it":     {transport.MaxResponseSize + 1, -1, transport.ErrTooLarge},
		"announced":    {0, transport.MaxResponseSize + 1, transport.ErrTooLarge},
	} {
		guarded := transport.Guard(roundTripper(func(*http.Request) (*http.Response, error) {
			return &http.Response{
				StatusCode: http.StatusOK, Body: io.NopCloser(io.LimitReader(zeros{}, test.size)), ContentLength: test.announced,
			}, nil
		}), transport.NewScrubber())
		answer, err := guarded.RoundTrip(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
		if err == nil {
			_, err = io.Copy(io.Discard, answer.Body)
			err = errors.Join(err, answer.Body.Close())
		}
		assert.ErrorIs(t, err, test.want, name)
	}
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
