package vsphere_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

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

func TestWriteStatistics_maxQueryMetricsByText(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{StatisticsLevel: 2})
	body := strings.Replace(soapFault("SystemError", "<reason></reason>"), "refused",
		"This operation is restricted by the administrator - 'vpxd.stats.maxQueryMetrics'.", 1)
	v.Traffic().Break(fault.Rule{Kind: "soap:QueryPerf", Times: 1, Status: http.StatusInternalServerError, Body: body})
	ids := vmIDs(v)
	_, found, err := readStatistics(t, c, vsphere.WriteQuery{VMIDs: ids, IntervalSeconds: 300, Lookback: time.Hour})
	require.NoError(t, err)
	assert.Len(t, found, len(ids))
}
