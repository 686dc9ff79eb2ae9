// The inputs of the calculators, from the schemas of the provider.

package policytest_test

import (
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"terraform-provider-vsla/internal/provider"
	"terraform-provider-vsla/internal/provider/kit/connection"
)

// measuring are the data sources that the gate judges and that are no calculators.
var measuring = []string{"vsla_sla_compliance", "vsla_replication_history"}

// inputs returns the inputs of each calculator and of what measures, with those of nested objects as
// "groups.vm_count" and numbers in a map as "counts.".
func inputs(t *testing.T) map[string][]string {
	t.Helper()
	answer := askProvider(t)
	found := map[string][]string{}
	for kind, schema := range answer.DataSourceSchemas {
		if !slices.Contains(measuring, kind) && !explained(schema.Block.Attributes) {
			continue
		}
		for _, a := range schema.Block.Attributes {
			if isInput(a) {
				found[kind] = append(found[kind], append(elements(a), a.Name)...)
			}
		}
		slices.Sort(found[kind])
	}
	if len(found) < 9 {
		t.Fatalf("%d calculators only", len(found))
	}
	return found
}

// explained reports whether a data source explains its result by reasons, as every calculator does.
func explained(attributes []*tfprotov6.SchemaAttribute) bool {
	return slices.ContainsFunc(attributes, func(a *tfprotov6.SchemaAttribute) bool { return a.Name == "reasons" })
}

func isInput(a *tfprotov6.SchemaAttribute) bool { return a.Required || a.Optional }

// elements are the inputs in the elements of a map.
func elements(a *tfprotov6.SchemaAttribute) []string {
	if a.NestedType == nil {
		if _, ok := a.Type.(tftypes.Map); ok {
			return []string{a.Name + "."}
		}
		return nil
	}
	var names []string
	for _, inner := range a.NestedType.Attributes {
		if isInput(inner) {
			names = append(names, a.Name+"."+inner.Name)
			if _, ok := inner.Type.(tftypes.Map); ok {
				names = append(names, a.Name+"."+inner.Name+".")
			}
		}
	}
	return names
}

func askProvider(t *testing.T) *tfprotov6.GetProviderSchemaResponse {
	t.Helper()
	options := provider.Options{Version: "test", Sessions: &connection.Sessions{}}
	server, err := providerserver.NewProtocol6WithError(provider.New(options)())()
	if err != nil {
		t.Fatal(err)
	}
	answer, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// attributeNames are the attributes of each resource and of each data source.
type attributeNames struct{ resources, dataSources map[string]map[string]bool }

func providerSchema(t *testing.T) attributeNames {
	t.Helper()
	answer := askProvider(t)
	return attributeNames{namesOf(answer.ResourceSchemas), namesOf(answer.DataSourceSchemas)}
}

func namesOf(schemas map[string]*tfprotov6.Schema) map[string]map[string]bool {
	all := map[string]map[string]bool{}
	for kind, schema := range schemas {
		all[kind] = map[string]bool{}
		for _, a := range schema.Block.Attributes {
			all[kind][a.Name] = true
		}
	}
	return all
}
