package vsphere_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/vsphere"
)

func TestListing_restarts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ kind, fault, detail string }{
		"container view": {
			"soap:RetrievePropertiesEx", "ManagedObjectNotFound", `<obj type="ContainerView">session[52]view-1</obj>`,
		},
		"property collector": {
			"soap:RetrievePropertiesEx", "ManagedObjectNotFound", `<obj type="PropertyCollector">session[52]pc-1</obj>`,
		},
		"token": {"soap:RetrievePropertiesEx", "InvalidArgument", `<invalidProperty>token</invalidProperty>`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, c, sleeps := startLab(t, vcsim.Config{})
			list := func() (int, error) {
				found, err := c.VirtualMachines(t.Context(), vsphere.VMFilter{}, vsphere.VMParts{})
				return len(found.VMs), err
			}
			_, err := list()
			require.NoError(t, err)
			v.Traffic().Break(fault.Rule{
				Kind:   test.kind,
				Times:  1,
				Status: http.StatusInternalServerError,
				Body:   soapFault(test.fault, test.detail),
				Before: func(*http.Request) {
					v.ExpireSessions()
					if _, err := list(); err != nil { // another caller logs in again
						t.Error(err)
					}
				},
			})
			n, err := list()
			require.NoError(t, err)
			assert.Equal(t, 8, n)
			assert.Empty(t, sleeps.sleeps)
		})
	}
}
