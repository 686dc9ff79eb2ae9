package transport_test

import (
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/transport"
)

func TestScrubber(t *testing.T) {
	t.Parallel()
	const secret = `S3cr<et&"w\ord`
	s := transport.NewScrubber(secret, "abc", "")
	var escaped strings.Builder
	require.NoError(t, xml.EscapeText(&escaped, []byte(secret)))
	for name, quoted := range map[string]string{
		"as it is":                           secret,
		"Go":                                 strings.Trim(strconv.Quote(secret), `"`),
		"XML":                                escaped.String(),
		"query":                              url.QueryEscape(secret),
		"path":                               url.PathEscape(secret),
		"base64":                             base64.StdEncoding.EncodeToString([]byte(secret)),
		"base64 for addresses":               base64.URLEncoding.EncodeToString([]byte(secret)),
		"HTML":                               "S3cr&lt;et&amp;&quot;w\\ord",
		"XML of others":                      "S3cr&#x3c;et&#38;&#x22;w\\ord",
		"URL in lower case":                  "S3cr%3cet%26%22w%5cord",
		"JSON of others":                     `S3cr\u003cet\u0026\u0022w\\ord`,
		"JSON in HTML":                       "S3cr\\u003cet&amp;amp;\\&quot;w\\\\ord",
		"hexadecimal":                        "533363723C65742622775C6F7264",
		"base64 in two lines":                "UzNjcjxl\r\ndCYid1xvcmQ=",
		"base64 with its line break escaped": `UzNjcjxl\ndCYid1xvcmQ=`,
	} {
		got := s.Text("before " + quoted + " after")
		assert.NotContains(t, got, quoted, name)
		assert.True(t, strings.HasPrefix(got, "before "), "%s: got %q, want it without %q", name, got, quoted)
		assert.True(t, strings.HasSuffix(got, " after"), "%s: got %q, want it without %q", name, got, quoted)
	}
	// The secret must be removed from the base64 encoding of a longer string, whatever its offset in that string.
	for before := range 3 {
		quoted := base64.StdEncoding.EncodeToString([]byte("user:"[:3+before] + secret + "!!!"))
		got := s.Text(quoted)
		require.Contains(t, got, "(removed)", "%+v", 3+before)
		assert.LessOrEqual(t, len(got), 24, "%+v", 3+before)
	}
	assert.Equal(t, "abc", s.Text("abc"))
	cause := fmt.Errorf("%w: quoted %s", transport.ErrInvalid, secret)
	err := s.Error(cause)
	require.NotContains(t, err.Error(), secret)
	require.ErrorIs(t, err, transport.ErrInvalid)
	assert.NoError(t, s.Error(nil))
}

// TestScrubber_visible verifies that a server's text stays on its line, even without a secret.
func TestScrubber_visible(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"no\n::error::x":           `no\n::error::x`,
		"no\r\n##vso[task]":        `no\r\n##vso[task]`,
		"\x1b[2Jx":                 `\x1b[2Jx`,
		"\u009b2J":                 `\u009b2J`,
		"a\u2028b\u2029c":          `a\u2028b\u2029c`,
		"a\u202eb\u200bc\ufeff":    `a\u202eb\u200bc\ufeff`,
		"no byte of UTF-8: \x9b2J": "no byte of UTF-8: \ufffd2J",
		"Größe 1 µs, 日本":           "Größe 1 µs, 日本",
	} {
		for _, s := range []*transport.Scrubber{transport.NewScrubber(), transport.NewScrubber("password")} {
			assert.EqualError(t, s.Error(errors.New(text)), want)
		}
	}
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
	require.ErrorAs(t, err, &redirect)
	assert.Equal(t, 1, sent)
	assert.Contains(t, err.Error(), "https://vc.example.com redirects to http://evil.example.com;")
	quoted := "pass-word session-1234 cookie-1234 " + base64.StdEncoding.EncodeToString([]byte("user:pass-word"))
	got := s.Text(quoted)
	want := "(removed) (removed) (removed) (removed)"
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
				StatusCode:    http.StatusOK,
				Body:          io.NopCloser(io.LimitReader(zeros{}, test.size)),
				ContentLength: test.announced,
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
