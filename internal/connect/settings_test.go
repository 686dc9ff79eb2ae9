package connect_test

import (
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/connect"
)

func TestRead_protection(t *testing.T) {
	t.Parallel()
	vcenter := map[string]string{
		"VSPHERE_SERVER":              "vc",
		"VSPHERE_USER":                "admin",
		"VSPHERE_PASSWORD":            "secret",
		"VSLA_DATA_PROTECTION_SERVER": "appliance",
	}
	for name, test := range map[string]struct {
		own  map[string]string
		want connect.Protection
	}{
		"of vCenter": {want: connect.Protection{Server: "appliance", User: "admin", Password: "secret"}},
		"its own": {
			own:  map[string]string{"VSLA_DATA_PROTECTION_USER": "backup", "VSLA_DATA_PROTECTION_PASSWORD": "other"},
			want: connect.Protection{Server: "appliance", User: "backup", Password: "other"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, errs := connect.Read(func(variable string) string {
				if v, ok := test.own[variable]; ok {
					return v
				}
				return vcenter[variable]
			})
			require.Empty(t, errs)
			assert.Equal(t, test.want, s.Protection)
		})
	}
}

// TestLogins_locks creates clients at the same time. The race detector (go test -race) reports an access to the logins
// without their lock.
func TestLogins_locks(t *testing.T) {
	t.Parallel()
	p := connect.Process{Logins: new(connect.Logins)}
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			_, err := p.VSphere(connect.Settings{Server: "vc", User: strconv.Itoa(i), Password: "secret"})
			assert.NoError(t, err)
		})
	}
	all.Wait()
}
