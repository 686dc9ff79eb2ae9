package vsphere_test

import (
	"strings"
	"testing"

	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

// TestReach: no object proves something only where the account's role on the root folder propagates. What carries the
// tag is in a folder that the account cannot read.
func TestReach(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		access vcsim.Access
		want   string // part of the reason, empty for none
	}{
		"propagates":               {vcsim.AccessPropagates, ""},
		"on the root folder only":  {vcsim.AccessRoot, "does not reach Datacenter"},
		"below the root folder":    {vcsim.AccessBelow, "lacks the privilege System.Read on the root folder"},
		"perhaps of another group": {vcsim.AccessByGroup, `VSPHERE.LOCAL\Automation on the root folder does not propagate`},
	} {
		v, c, _ := start(t, vcsim.Config{VMs: 4})
		tag := newTag(t, c)
		hidden := allVMs(v)[:2]
		if err := c.AttachTag(t.Context(), tag, hidden); err != nil {
			t.Fatal(err)
		}
		v.LimitAccess(test.access, hidden[0].ID, hidden[1].ID)
		v.Traffic().Reset()
		for range 2 {
			got, err := c.Associations(t.Context(), []string{tag})
			if err != nil || got.Objects != 0 || (got.Unproven == "") != (test.want == "") ||
				!strings.Contains(got.Unproven, test.want) {
				t.Errorf("%s: got %+v, %v; want the reason %q", name, got, err, test.want)
			}
		}
		if n := v.Traffic().Count("soap:HasPrivilegeOnEntities"); n != 1 {
			t.Errorf("%s: asked %d times for privileges, want once", name, n)
		}
	}
}
