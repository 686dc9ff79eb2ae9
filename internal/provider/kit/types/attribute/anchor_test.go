package attribute_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/provider/kit/types/attribute"
)

func TestAnchor(t *testing.T) {
	t.Parallel()
	groups := path.Root("groups")
	for want, p := range map[string]path.Path{
		"throughput_mbps":                      path.Root("throughput_mbps"),
		`groups["gold"].hourly_weights[3]`:     groups.AtMapKey("gold").AtName("hourly_weights").AtListIndex(3),
		"change_curve":                         path.Root("change_curve").AtMapKey("15"),
		"groups":                               groups.AtMapKey("1e3").AtName("vm_count"),
		"virtual_machines":                     path.Root("virtual_machines").AtMapKey("true"),
		`groups["gold"].change_curve`:          groups.AtMapKey("gold").AtName("change_curve").AtMapKey("-0.5"),
		`virtual_machines["vm-15"].memory_gib`: path.Root("virtual_machines").AtMapKey("vm-15").AtName("memory_gib"),
	} {
		assert.Equal(t, want, attribute.DiagnosticPath(p).String(), "%+v", p)
	}
}
