package guard

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/vsphere"
)

func TestMayDelete(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		carried       vsphere.AssociationCount
		err           error
		may           bool
		errors, warns string
	}{
		"not in use": {may: true},
		"in use": {
			carried: vsphere.AssociationCount{Tags: 1, Objects: 2, ByType: map[string]int{"VirtualMachine": 2}},
			errors:  "would also remove 2 associations of 1 tag (2 VirtualMachine)",
		},
		"linked": {
			carried: vsphere.AssociationCount{LinkedNodes: []string{"a.lab", "b.lab"}},
			errors:  "linked: a.lab, b.lab",
		},
		"topology unknown": {
			carried: vsphere.AssociationCount{TopologyUnknown: true},
			may:     true,
			warns:   "could not be checked",
		},
		"not all can be read": {
			carried: vsphere.AssociationCount{UnprovenReason: "it lacks the privilege System.Read on the root folder"},
			errors:  "lacks the privilege System.Read on the root folder",
		},
		"not counted": {err: vsphere.ErrPermission, errors: "Read-only (System.Read)"},
	} {
		var diags diag.Diagnostics
		assert.Equal(t, test.may, mayDeleteAssociations(&diags, "Tag", test.carried, test.err), name)
		for _, check := range []struct {
			got  diag.Diagnostics
			want string
		}{{diags.Errors(), test.errors}, {diags.Warnings(), test.warns}} {
			require.Equal(t, check.want != "", len(check.got) == 1, name)
			if len(check.got) > 0 {
				assert.Contains(t, check.got[0].Detail(), check.want, name)
			}
		}
	}
}

// TestMaySkip verifies that, without a global permission, tags are not deleted if their category allows content
// libraries or if the whole category is deleted.
func TestMaySkip(t *testing.T) {
	t.Parallel()
	libraries := vsphere.Category{}
	vms := vsphere.Category{AssociableTypes: []string{"VirtualMachine"}}
	for name, test := range map[string]struct {
		category        vsphere.Category
		global          vsphere.GlobalAccess
		whole           bool
		errors, warning bool
	}{
		"refused":              {category: libraries, global: vsphere.GlobalRefused, errors: true},
		"refused, VMs only":    {category: vms, global: vsphere.GlobalRefused},
		"refused, hidden tags": {category: vms, global: vsphere.GlobalRefused, whole: true, errors: true},
		"none":                 {category: libraries, global: vsphere.GlobalUnknown, warning: true},
		"none, VMs only":       {category: vms, global: vsphere.GlobalUnknown},
	} {
		var diags diag.Diagnostics
		may := Deletion{Title: "Tag", IncludesCategory: test.whole}.mayDeleteUnlisted(test.category, test.global,
			&diags)
		assert.NotEqual(t, test.errors, may, name)
		assert.Equal(t, test.errors, diags.HasError(), name)
		assert.Equal(t, test.warning, diags.WarningsCount() == 1, name)
	}
}
