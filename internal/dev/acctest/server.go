package acctest

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/provider"
	"terraform-provider-vsla/internal/provider/kit/connection"
)

// Server returns a provider factory with an empty environment and a separate clock.
func Server(sessions *connection.Sessions) func() (tfprotov6.ProviderServer, error) {
	return serverWithClock(sessions, &clock{now: epoch})
}

// serverWithClock returns a provider factory with an empty environment and a clock.
func serverWithClock(sessions *connection.Sessions, c *clock) func() (tfprotov6.ProviderServer, error) {
	return server(provider.Options{Sessions: sessions, Sleep: c.sleep, Now: c.time})
}

// server returns a factory that starts a server of the same provider each time.
func server(options provider.Options) func() (tfprotov6.ProviderServer, error) {
	options.Version = "test"
	if options.Getenv == nil {
		options.Getenv = func(string) string { return "" }
	}
	p := provider.New(options)()
	return func() (tfprotov6.ProviderServer, error) { return provider.NewServer(p), nil }
}

// configuredServer returns a provider that is configured with the arguments, for use without a CLI.
func configuredServer(
	t *testing.T, start func() (tfprotov6.ProviderServer, error), arguments map[string]any,
) tfprotov6.ProviderServer {
	t.Helper()
	provider, err := start()
	require.NoError(t, err)
	schema, err := provider.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	require.NoError(t, err)
	config := Object(t, schema.Provider, arguments)
	resp, err := provider.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{Config: config})
	require.NoError(t, err)
	require.Empty(t, resp.Diagnostics)
	return provider
}
