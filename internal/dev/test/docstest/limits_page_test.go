package docstest_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"terraform-provider-vsla/internal/plan/limits"
)

// TestLimitsPage checks that the page of vsla_configuration_limits lists the names of every product and version.
func TestLimitsPage(t *testing.T) {
	t.Parallel()
	page := read(t, "templates", "data-sources", "configuration_limits.md.tmpl")
	for _, product := range limits.Products() {
		for _, version := range limits.Versions(product) {
			result, err := limits.Check(limits.Input{Product: product, Version: version})
			if err != nil {
				t.Fatal(err)
			}
			names := strings.Join(slices.Sorted(maps.Keys(result.Limits)), "`, `")
			if row := fmt.Sprintf("| `%s` | %s | `%s` |\n", product, version, names); !strings.Contains(string(page), row) {
				t.Errorf("the page lacks the row\n%s", row)
			}
		}
	}
}
