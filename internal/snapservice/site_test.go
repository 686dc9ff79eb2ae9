package snapservice_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	lab "terraform-provider-vsla/internal/dev/lab/snapservice"
)

// TestCheckVCenter_capitals writes the ID of the vCenter in capitals.
func TestCheckVCenter_capitals(t *testing.T) {
	t.Parallel()
	s := startSite(t, lab.Switches{}, nil)
	s.Traffic().Break(fault.Rule{
		Kind:   "sites",
		Status: http.StatusOK,
		Body: `{"items":[{"site":"site-1","summary":` +
			`{"local":true,"name":"protected","in_use":true,"pairing_summaries":[],` +
			`"vcenter_info":{"host":"a","name":"a","vcenter":"` + strings.ToUpper(s.vc.InstanceUUID()) + `"}}}]}`,
	})
	warning, err := s.client.CheckVCenter(t.Context())
	require.NoError(t, err)
	assert.Empty(t, warning)
}
