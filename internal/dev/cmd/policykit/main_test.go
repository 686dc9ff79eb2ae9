package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/plan/registry"
)

func TestGenerated(t *testing.T) {
	t.Parallel()
	root, err := acctest.Root()
	require.NoError(t, err)
	calculators, err := generate(registry.Calculators())
	require.NoError(t, err)
	schemas, err := readSchemas(t.Context())
	require.NoError(t, err)
	arguments, err := schemas.arguments()
	require.NoError(t, err)
	for name, want := range map[string][]byte{"calculators.rego": calculators, "arguments.rego": arguments} {
		got, err := os.ReadFile(filepath.Join(root, folder, name))
		require.NoError(t, err)
		assert.Equal(t, want, got, "%s is out of date: run make docs", name)
	}
}

func TestArguments(t *testing.T) {
	t.Parallel()
	for want, resources := range map[string][]string{
		"vsla_tag has no rule for the argument colour": {"adopt_existing", "category_id", "colour"},
		"vsla_tag has no argument":                     {"name"},
	} {
		s := schemas{resources: map[string][]string{"vsla_tag": resources}}
		_, err := s.arguments()
		require.Error(t, err, resources)
		assert.Contains(t, err.Error(), want, resources)
	}
}
