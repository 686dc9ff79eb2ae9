package contract_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/contract"
)

func TestCheck_refused(t *testing.T) {
	t.Parallel()
	for _, phrase := range []string{
		"",
		"required ",
		"nullable Task",
		"Task 1..2",
		"int32 5",
		"int32 a..b",
		"Task in minutes",
		"list of ",
		"set of nullable Task",
		"map of ",
	} {
		assert.Error(t, contract.Check(phrase))
	}
}

func TestFacts_Document(t *testing.T) {
	t.Parallel()
	f, err := contract.ParseFacts([]byte(`{
		"operations": {"put": {
			"call": "PUT /base", "auth": ["SessionHeader"], "query": {"q": "required set of string"},
			"body": "required Base",
			"answers": {"200": "Derived"}
		}},
		"types": {
			"Base": {"nullable": true, "fields": {"list": "list of enum a b"}},
			"Derived": {"extends": "Base", "fields": {"own": "required int32 1..2"}, "requires": ["list"]}
		}
	}`))
	require.NoError(t, err)
	doc, err := f.Document("x-session")
	require.NoError(t, err)
	op := doc.Paths.Find("/base").Put
	types := doc.Components.Schemas
	assert.Contains(t, (*op.Security)[0], "SessionHeader")
	assert.True(t, op.Parameters[0].Value.Required)
	assert.True(t, op.Parameters[0].Value.Schema.Value.UniqueItems)
	assert.True(t, op.RequestBody.Value.Required)
	assert.True(t, types["Base"].Value.Nullable)
	list := types["Base"].Value.Properties["list"].Value
	assert.False(t, list.Nullable)
	assert.False(t, list.UniqueItems)
	assert.False(t, list.Items.Value.Nullable)
	assert.Equal(t, []any{"a", "b"}, list.Items.Value.Enum)
	assert.Equal(t, types["Base"].Value, types["Derived"].Value.AllOf[0].Value)
	assert.ElementsMatch(t, []string{"list", "own"}, types["Derived"].Value.Required)
}
