package acctest

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/dev/lab/gateway"
)

// checkedByPrism sends a copy of each request to a Prism server, which mocks the vendor's document and must accept the
// request. Without a server, it returns next.
func checkedByPrism(t *testing.T, server string, next http.Handler) http.Handler {
	t.Helper()
	if server == "" {
		return next
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // a bubble cannot share connections
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		r.Body = io.NopCloser(bytes.NewReader(body))
		path := server + r.URL.EscapedPath()[len(gateway.Base):] + "?" + r.URL.RawQuery
		ctx := context.WithoutCancel(r.Context())
		seen, err := http.NewRequestWithContext(ctx, r.Method, path, bytes.NewReader(body)) //nolint:gosec // as below
		assert.NoError(t, err)
		seen.Header = r.Header.Clone()
		answer, err := client.Do(seen) //nolint:gosec // the address is that of the environment
		if assert.NoError(t, err) {
			_ = answer.Body.Close()
			assert.NotContains(t, answer.Header.Get("Sl-Violations"), `"location":["request"`, "%s %s", r.Method, r.URL)
		}
		next.ServeHTTP(w, r)
	})
}
