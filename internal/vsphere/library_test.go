package vsphere_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/vsphere"
)

// TestGlobalReach: only a list with a content library proves that the account reads below the global root.
func TestGlobalReach(t *testing.T) {
	t.Parallel()
	const kind = "GET content/{id}"
	for name, test := range map[string]struct {
		release tagging.Release
		rule    fault.Rule
		want    vsphere.GlobalReach
	}{
		"a library":            {want: vsphere.GlobalRead},
		"none":                 {rule: fault.Rule{Kind: kind, Status: http.StatusOK, Body: "[]"}, want: vsphere.GlobalUnknown},
		"refused":              {rule: fault.Rule{Kind: kind, Status: http.StatusForbidden}, want: vsphere.GlobalRefused},
		"release without list": {release: tagging.Release70, want: vsphere.GlobalUnknown},
	} {
		v, c, naps := start(t, vcsim.Config{Release: test.release})
		if test.rule.Kind != "" {
			v.Traffic().Break(test.rule)
		}
		for range 2 {
			got, err := c.GlobalReach(t.Context())
			assert.True(t, got == test.want && err == nil && len(naps.taken) <= 0,
				"%s: got %d, %v, waited %v; want %d", name, got, err, naps.taken, test.want)
		}
		assert.Equal(t, 1, v.Traffic().Count(kind), name)
	}
	v, c, _ := start(t, vcsim.Config{})
	v.Traffic().Break(fault.Rule{Kind: kind, Status: http.StatusInternalServerError})
	_, err := c.GlobalReach(t.Context())
	assert.ErrorIs(t, err, vsphere.ErrUnavailable)
}

func TestCategory_allowsLibraries(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		types []string
		want  bool
	}{
		{nil, true},
		{[]string{"VirtualMachine"}, false},
		{[]string{"VirtualMachine", "com.vmware.content.Library"}, true},
		{[]string{"com.vmware.content.library.Item"}, true},
	} {
		assert.Equal(t, test.want, (vsphere.Category{AssociableTypes: test.types}).AllowsLibraries())
	}
}
