package gateway_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/gateway"
)

// control asks the control listener.
func (l *lab) control(t *testing.T, method, path string) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	l.Control().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, gateway.ControlPath+path, nil))
	return w.Code, w.Body.String()
}

func TestControl(t *testing.T) {
	t.Parallel()
	l := connect(t, gateway.Config{})
	l.SetUsed(l.vm(0), 0)
	l.configured(t, 0)
	vm := "vm=" + l.protected.VMs()[0].ID
	for _, test := range []struct {
		method, path string
		status       int
		want         string // in the answer
	}{
		{http.MethodGet, "now", 200, "2024-01-01T00:00:08Z"},
		{http.MethodPost, "advance?seconds=0.5", 200, "2024-01-01T00:00:08.5Z"},
		{http.MethodPost, "advance?seconds=-1", 400, "seconds"},
		{http.MethodGet, "advance?seconds=1", 405, ""},
		{http.MethodGet, "counts", 200, `"configureReplication":1`},
		{http.MethodGet, "access-log", 200, `"Operation":"login","Status":200`},
		{http.MethodPost, "status?" + vm + "&status=RECOVERING", 200, ""},
		{http.MethodGet, "replications", 200, `"Status":"RECOVERING"`},
		{http.MethodPost, "status?vm=vm-99999&status=OK", 400, "not replicated"},
		{http.MethodPost, "break?operation=getVrInfo&status=503&times=1", 200, ""},
		{http.MethodPost, "break?operation=getVrInfo", 400, "status"},
	} {
		status, body := l.control(t, test.method, test.path)
		require.Equal(t, test.status, status)
		assert.Contains(t, body, test.want)
	}
	l.get(t, "/info").want(t, http.StatusServiceUnavailable)
	l.get(t, gateway.ControlPath+"now").want(t, http.StatusNotFound) // it is never under the API
}
