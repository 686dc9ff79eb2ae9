package acctest

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Configured returns a provider that is configured for the sites, without a CLI.
func (s *Sites) Configured(t *testing.T) tfprotov6.ProviderServer {
	t.Helper()
	return configured(t, s.Server(), map[string]any{
		"ca_file": s.caFile,
		"replication": map[string]any{
			"server":          s.URL(),
			"user":            s.User(),
			"password":        s.Password(),
			"remote_user":     s.RemoteUser(),
			"remote_password": s.RemotePassword(),
		},
	})
}

func configured(
	t *testing.T, start func() (tfprotov6.ProviderServer, error), arguments map[string]any,
) tfprotov6.ProviderServer {
	t.Helper()
	provider, err := start()
	require.NoError(t, err)
	schema, err := provider.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	require.NoError(t, err)
	config := Object(t, schema.Provider, arguments)
	answer, err := provider.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{Config: config})
	require.NoError(t, err)
	require.Empty(t, answer.Diagnostics)
	return provider
}

// Object returns a value of a schema's type with the given attributes; all others are null.
func Object(t *testing.T, schema *tfprotov6.Schema, attributes map[string]any) *tfprotov6.DynamicValue {
	t.Helper()
	value := object(t, schema.ValueType(), attributes)
	dynamic, err := tfprotov6.NewDynamicValue(schema.ValueType(), value)
	require.NoError(t, err)
	return &dynamic
}

func object(t *testing.T, of tftypes.Type, attributes map[string]any) tftypes.Value {
	t.Helper()
	shape, ok := of.(tftypes.Object)
	require.True(t, ok, "%s is not an object", of)
	all := make(map[string]tftypes.Value, len(shape.AttributeTypes))
	for name, kind := range shape.AttributeTypes {
		all[name] = valueOf(t, kind, attributes[name])
	}
	return tftypes.NewValue(of, all)
}

// valueOf converts a value; a map[string]any becomes an object or a map, depending on the type.
func valueOf(t *testing.T, of tftypes.Type, v any) tftypes.Value {
	t.Helper()
	members, nested := v.(map[string]any)
	if !nested {
		return tftypes.NewValue(of, v)
	}
	m, ok := of.(tftypes.Map)
	if !ok {
		return object(t, of, members)
	}
	all := make(map[string]tftypes.Value, len(members))
	for key, member := range members {
		all[key] = valueOf(t, m.ElementType, member)
	}
	return tftypes.NewValue(of, all)
}

// bubbleStart is the start time of every synctest bubble.
var bubbleStart = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// Paced runs f in a testing/synctest bubble with the gateway on the bubble's clock and without a network. Time passes
// only while all goroutines wait, so the number of requests is deterministic. Use Configured for providers; there is
// no CLI.
func (s *Sites) Paced(t *testing.T, f func(*testing.T)) {
	t.Helper()
	handler, options := s.Handler(), s.options
	defer func() { s.options = options }()
	synctest.Test(t, func(t *testing.T) {
		passes := time.Now //nolint:forbidigo // the bubble's clock
		s.real.Store(&passes)
		defer func() {
			now := time.Now() //nolint:forbidigo // the bubble's clock
			stopped := func() time.Time { return now }
			s.real.Store(&stopped)
		}()
		s.options.Sleep = nil
		s.options.Wrap = func(http.RoundTripper) http.RoundTripper { return direct{handler} }
		f(t)
		assert.NoError(t, s.sessions.Close(t.Context()))
	})
}

// direct is a round tripper that calls a handler.
type direct struct{ handler http.Handler }

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	in := r.Clone(r.Context())
	in.RemoteAddr, in.RequestURI = "127.0.0.1:1", r.URL.RequestURI()
	if r.Body == nil {
		in.Body = io.NopCloser(bytes.NewReader(nil))
	}
	w := httptest.NewRecorder()
	d.handler.ServeHTTP(w, in)
	return w.Result(), nil
}
