package gateway_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

func start(t *testing.T) (*gateway.Gateway, []*vcsim.VCenter) {
	t.Helper()
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
	return g, sites
}

// TestInvalidBodies verifies that the gateway refuses requests that the API does not allow.
func TestInvalidBodies(t *testing.T) {
	t.Parallel()
	g, sites := start(t)
	session := ""
	user := g.User()
	password := g.Password()
	send := func(method, path, body string) (int, string) {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), method, gateway.Base+path, strings.NewReader(body))
		r.SetBasicAuth(user, password)
		r.Header.Set("X-Dr-Session", session)
		g.Handler().ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	_, body := send(http.MethodPost, "/session", "")
	var opened struct {
		ID string `json:"session_id"`
	}
	require.NoError(t, json.Unmarshal([]byte(body), &opened))
	session = opened.ID
	user = g.RemoteUser()
	password = g.RemotePassword()
	pairing := "/pairings/" + g.PairingID()
	status, body := send(http.MethodPost, pairing+"/remote-session", "")
	require.Equal(t, http.StatusNoContent, status, body)
	local := pairing + "/vcenters/" + g.LocalVCenterID()
	seeds := local + "/datastores/Datastore:" + sites[0].VMStates()[0].DatastoreID + ":" + g.LocalVCenterID() +
		"/actions/find-seeds"
	for _, test := range []struct {
		method, path, body string
		want               int
	}{
		{http.MethodPost, seeds, `[{"vm_disk": {"vm_id": "x"}, "destination_path": null, "use_wildcard": true}]`, 200},
		{http.MethodPost, seeds, `[{"vm_disk": {"vm_id": "x"}, "destination_path": null, "use_wildcard": {}}]`, 400},
		{http.MethodPost, seeds, `null`, 400},
		{http.MethodPost, seeds, `[null]`, 400},
		{http.MethodPost, pairing + "/replications", `null`, 400},
		{http.MethodPost, pairing + "/replications", `[null]`, 400},
		{http.MethodGet, pairing + "/replications?source_vc_guid=" + g.LocalVCenterID(), "", 200},
		{http.MethodGet, pairing + "/replications?source_vc_guid=", "", 400},
	} {
		status, body := send(test.method, test.path, test.body)
		assert.Equal(t, test.want, status, "%s %s: %s", test.path, test.body, body)
	}
}
