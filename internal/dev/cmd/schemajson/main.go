// Command schemajson prints the provider's schemas in the format of `terraform providers schema -json`, but needs no
// CLI. The documentation can therefore cover features that the installed CLI does not support.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"terraform-provider-vsla/internal/provider"
	"terraform-provider-vsla/internal/provider/kit/connection"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, stdout io.Writer) error {
	options := provider.Options{Version: "dev", Sessions: &connection.Sessions{}}
	server, err := providerserver.NewProtocol6WithError(provider.New(options)())()
	if err != nil {
		return err
	}
	answer, err := server.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return err
	}
	for _, d := range answer.Diagnostics {
		return fmt.Errorf("%s: %s", d.Summary, d.Detail)
	}
	identities, err := server.GetResourceIdentitySchemas(ctx, &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		return err
	}
	doc := map[string]any{
		"format_version": "1.0",
		"provider_schemas": map[string]any{
			// The documentation generator expects the name without a registry.
			"vsla": map[string]any{
				"provider":            schema(answer.Provider),
				"resource_schemas":    each(answer.ResourceSchemas, schema),
				"data_source_schemas": each(answer.DataSourceSchemas, schema),
				"functions":           each(answer.Functions, signature),

				"resource_identity_schemas": each(identities.IdentitySchemas, identity),
				"list_resource_schemas":     each(answer.ListResourceSchemas, schema),
				"action_schemas": each(answer.ActionSchemas,
					func(a *tfprotov6.ActionSchema) any { return schema(a.Schema) }),
			},
		},
	}
	encoder := json.NewEncoder(stdout)
	encoder.SetIndent("", "  ")
	return encoder.Encode(doc)
}

func each[T any](in map[string]T, convert func(T) any) map[string]any {
	out := make(map[string]any, len(in))
	for name, one := range in {
		out[name] = convert(one)
	}
	return out
}

func schema(s *tfprotov6.Schema) any {
	return map[string]any{
		"version": s.Version,
		"block": map[string]any{
			"attributes":       attributes(s.Block.Attributes),
			"description":      s.Block.Description,
			"description_kind": kind(s.Block.DescriptionKind),
		},
	}
}

func identity(s *tfprotov6.ResourceIdentitySchema) any {
	all := make(map[string]any, len(s.IdentityAttributes))
	for _, a := range s.IdentityAttributes {
		all[a.Name] = map[string]any{
			"type":                typeOf(a.Type),
			"description":         a.Description,
			"required_for_import": a.RequiredForImport,
			"optional_for_import": a.OptionalForImport,
		}
	}
	return map[string]any{"version": s.Version, "attributes": all}
}

func attributes(list []*tfprotov6.SchemaAttribute) map[string]any {
	out := make(map[string]any, len(list))
	for _, a := range list {
		doc := map[string]any{
			"description":      a.Description,
			"description_kind": kind(a.DescriptionKind),
			"required":         a.Required,
			"optional":         a.Optional,
			"computed":         a.Computed,
			"sensitive":        a.Sensitive,
			"deprecated":       a.Deprecated,
			"write_only":       a.WriteOnly,
		}
		if a.NestedType != nil {
			doc["nested_type"] = map[string]any{
				"attributes":   attributes(a.NestedType.Attributes),
				"nesting_mode": strings.ToLower(a.NestedType.Nesting.String()),
			}
		} else {
			doc["type"] = typeOf(a.Type)
		}
		out[a.Name] = doc
	}
	return out
}

func signature(f *tfprotov6.Function) any {
	doc := map[string]any{
		"summary":     f.Summary,
		"description": f.Description,
		"return_type": typeOf(f.Return.Type),
	}
	parameters := make([]any, 0, len(f.Parameters))
	for _, p := range f.Parameters {
		parameters = append(
			parameters,
			map[string]any{"name": p.Name, "description": p.Description, "type": typeOf(p.Type)},
		)
	}
	doc["parameters"] = parameters
	return doc
}

func typeOf(t tftypes.Type) json.RawMessage {
	raw, err := t.MarshalJSON() //nolint:staticcheck // deprecated without a replacement
	if err != nil {
		return json.RawMessage(`"dynamic"`)
	}
	return raw
}

func kind(k tfprotov6.StringKind) string {
	if k == tfprotov6.StringKindMarkdown {
		return "markdown"
	}
	return "plain"
}
