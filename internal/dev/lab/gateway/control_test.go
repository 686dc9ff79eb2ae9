package gateway_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

func TestControl(t *testing.T) {
	t.Parallel()
	var sites []*vcsim.VCenter
	for n := range 2 {
		v, err := vcsim.Start(t.Context(), vcsim.Config{Site: n, VMs: 1, Datastores: 1})
		require.NoError(t, err)
		t.Cleanup(func() { _ = v.Close() })
		sites = append(sites, v)
	}
	g, err := gateway.Start(t.Context(), gateway.Config{Protected: sites[0], Recovery: sites[1]})
	require.NoError(t, err)
	t.Cleanup(g.Close)
	send := func(h http.Handler, method, path string) (int, string) {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), method, path, nil)
		r.SetBasicAuth(g.User(), g.Password())
		h.ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	login := func() int {
		status, _ := send(g.Handler(), http.MethodPost, gateway.Base+"/session")
		return status
	}
	require.Equal(t, http.StatusOK, login())
	vm := sites[0].VMs()[0].ID
	require.NoError(t, sites[0].SetPower(vm, "poweredOn"))
	// The initial sync sends 1e9 B compressed to half that size, which takes 40 s at 12.5e6 B/s. It starts at second 8
	// and ends at second 48.
	require.NoError(t, g.AddReplication(gateway.ReplicationOptions{VM: vm, RPOMinutes: 15, Compression: true}))
	for _, test := range []struct {
		method, path string
		status       int
		want         string
	}{
		{http.MethodPost, "used?vm=" + vm + "&bytes=1e9", 200, "2024-01-01T00:00:00Z"},
		{http.MethodPost, "advance?seconds=47.5", 200, "2024-01-01T00:00:47.5Z"},
		{http.MethodGet, "replications", 200, `"SyncCount":0`},
		{http.MethodPost, "advance?seconds=0.5", 200, "2024-01-01T00:00:48Z"},
		{http.MethodGet, "replications", 200, `"SyncCount":1`},
		{http.MethodPost, "advance?seconds=-1", 400, "seconds"},
		{http.MethodGet, "advance?seconds=1", 405, ""},
		{http.MethodGet, "counts", 200, `"login":1`},
		{http.MethodGet, "access-log", 200, `"Operation":"login","Status":200`},
		{http.MethodPost, "status?vm=" + vm + "&status=RECOVERING", 200, ""},
		{http.MethodGet, "replications", 200, `"Status":"RECOVERING"`},
		{http.MethodPost, "status?vm=vm-99999&status=OK", 400, "not replicated"},
		{http.MethodPost, "break?operation=login&status=503&times=1", 200, ""},
		{http.MethodPost, "break?operation=login", 400, "status"},
	} {
		status, body := send(g.Control(), test.method, gateway.ControlPath+test.path)
		require.Equal(t, test.status, status, test.path)
		assert.Contains(t, body, test.want)
	}
	assert.Equal(t, http.StatusServiceUnavailable, login())
	status, _ := send(g.Handler(), http.MethodGet, gateway.Base+gateway.ControlPath+"now")
	assert.Equal(t, http.StatusNotFound, status, "the control is under the API")
	assert.Equal(t, gateway.Epoch.Add(48*time.Second), g.Now())
}
