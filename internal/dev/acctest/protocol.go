package acctest

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/stretchr/testify/require"
)

// Configured returns a provider configured for both sites, for use without a CLI.
func (s *Sites) Configured(t *testing.T) tfprotov6.ProviderServer {
	t.Helper()
	return configuredServer(t, s.Server(), map[string]any{
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

// Object returns an object of a schema's type. Attributes that are not given are null.
func Object(t *testing.T, schema *tfprotov6.Schema, attributes map[string]any) *tfprotov6.DynamicValue {
	t.Helper()
	value := newObject(t, schema.ValueType(), attributes)
	dynamic, err := tfprotov6.NewDynamicValue(schema.ValueType(), value)
	require.NoError(t, err)
	return &dynamic
}
