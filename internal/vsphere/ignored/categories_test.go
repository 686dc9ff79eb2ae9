package ignored_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/vsphere/ignored"
)

func TestCategories_match(t *testing.T) {
	t.Parallel()
	patterns := ignored.Categories{ignored.Always, "backup", "team-*"}
	for name, want := range map[string]bool{
		"SRM-com.vmware.vcDr:::protectionGroup": true,
		"SRM-com.vmware":                        false,
		"backup":                                true,
		"backup-2":                              false,
		"Backup":                                false,
		"team-":                                 true,
		"team-a":                                true,
		"my-team-a":                             false,
		"":                                      false,
	} {
		assert.Equal(t, want, patterns.Match(name), name)
	}
}
