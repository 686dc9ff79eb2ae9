package docstest_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan/limits"
)

func TestLimitsPage(t *testing.T) {
	t.Parallel()
	page := read(t, "templates", "data-sources", "configuration_limits.md.tmpl")
	for _, product := range limits.Products() {
		for _, version := range limits.Versions(product) {
			result, err := limits.Check(limits.Input{Product: product, Version: version})
			require.NoError(t, err)
			names := strings.Join(slices.Sorted(maps.Keys(result.Limits)), "`, `")
			assert.Contains(t, string(page), fmt.Sprintf("| `%s` | %s | `%s` |\n", product, version, names))
		}
	}
}
