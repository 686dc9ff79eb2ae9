package acctest

import (
	"errors"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stretchr/testify/require"
)

// QueryResult is one result of a list resource.
type QueryResult struct {
	Name     string
	Identity map[string]tftypes.Value
	Resource map[string]tftypes.Value
}

// Query evaluates a list block like `terraform query`, but does not require Terraform 1.14. It returns error
// diagnostics as an error.
func (l *Lab) Query(t *testing.T, typeName string, arguments map[string]string, limit int64) ([]QueryResult, error) {
	t.Helper()
	return query(t, l.Configured(t), typeName, arguments, limit)
}

// Query is like Lab.Query.
func (p *Protection) Query(
	t *testing.T, typeName string, arguments map[string]string, limit int64,
) ([]QueryResult, error) {
	t.Helper()
	return query(t, p.Configured(t), typeName, arguments, limit)
}

// query evaluates a list block with a configured provider.
func query(
	t *testing.T, server tfprotov6.ProviderServer, typeName string, arguments map[string]string, limit int64,
) ([]QueryResult, error) {
	t.Helper()
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	require.NoError(t, err)
	identities, err := server.GetResourceIdentitySchemas(t.Context(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	require.NoError(t, err)
	lister, ok := server.(tfprotov6.ListResourceServer)
	require.True(t, ok, "the server has no list resources")
	given := make(map[string]any, len(arguments))
	for name, value := range arguments {
		given[name] = value
	}
	stream, err := lister.ListResource(t.Context(), &tfprotov6.ListResourceRequest{
		TypeName:        typeName,
		Limit:           limit,
		IncludeResource: true,
		Config:          Object(t, schemas.ListResourceSchemas[typeName], given),
	})
	require.NoError(t, err)
	var (
		all  []QueryResult
		errs []error
	)
	for result := range stream.Results {
		if err := diagnosticsError(result.Diagnostics); err != nil {
			errs = append(errs, err)
			continue
		}
		all = append(all, QueryResult{
			Name:     result.DisplayName,
			Identity: decodeObject(t, result.Identity.IdentityData, identities.IdentitySchemas[typeName].ValueType()),
			Resource: decodeObject(t, result.Resource, schemas.ResourceSchemas[typeName].ValueType()),
		})
	}
	return all, errors.Join(errs...)
}

// Move moves another provider's state to a resource. It returns error diagnostics as an error.
func (l *Lab) Move(t *testing.T, typeName, sourceProvider, sourceType, state string) error {
	t.Helper()
	server, err := Server(l.sessions)()
	require.NoError(t, err)
	resp, err := server.MoveResourceState(t.Context(), &tfprotov6.MoveResourceStateRequest{
		SourceProviderAddress: sourceProvider,
		SourceTypeName:        sourceType,
		SourceState:           &tfprotov6.RawState{JSON: []byte(state)},
		TargetTypeName:        typeName,
	})
	require.NoError(t, err)
	return diagnosticsError(resp.Diagnostics)
}

// diagnosticsError returns the error diagnostics as an error, or nil if there are none.
func diagnosticsError(diags []*tfprotov6.Diagnostic) error {
	var errs []error
	for _, d := range diags {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			errs = append(errs, errors.New(d.Summary+": "+d.Detail))
		}
	}
	return errors.Join(errs...)
}
