package gateway_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/dev/lab/vrcontract"
)

type lab struct {
	*gateway.Gateway
	protected, recovery *vcsim.VCenter
	http                *http.Client
	session             string
	pairing             string // path
}

var shared = sync.OnceValues(func() ([]*vcsim.VCenter, error) {
	var list []*vcsim.VCenter
	for n := range 2 {
		v, err := vcsim.Start(context.Background(), siteConfig(n))
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if list, err := shared(); err == nil {
		for _, v := range list {
			_ = v.Close()
		}
	}
	os.Exit(code)
}

// startLab starts a simulated appliance between two vCenters, without logging in. Unless the config has vCenters, they
// are shared with other tests.
func startLab(t *testing.T, config gateway.Config) *lab {
	t.Helper()
	if config.Protected == nil {
		list, err := shared()
		require.NoError(t, err)
		config.Protected, config.Recovery = list[0], list[1]
	}
	l := &lab{protected: config.Protected, recovery: config.Recovery}
	if config.Wrap == nil {
		contract := vrcontract.Load(t)
		config.Wrap = func(next http.Handler) http.Handler { return contract.Middleware(t, next) }
	}
	return l.start(t, config)
}

func loose(next http.Handler) http.Handler { return next }

func siteConfig(n int) vcsim.Config {
	return vcsim.Config{Site: n, VMs: 12, Templates: 1, Datastores: 2}
}

func (l *lab) start(t *testing.T, config gateway.Config) *lab {
	t.Helper()
	g, err := gateway.Start(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(g.Close)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(g.CAPEM())
	l.Gateway, l.pairing = g, "/pairings/"+g.PairingID()
	l.http = &http.Client{
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}},
	}
	return l
}

// connect starts a lab and logs in on both sides, with sessions that last unless the config limits them.
func connect(t *testing.T, config gateway.Config) *lab {
	t.Helper()
	if s := &config.Switches; s.SessionTTL == 0 && s.SessionIdle == 0 {
		s.SessionTTL, s.SessionIdle = -1, -1
	}
	l := startLab(t, config)
	l.login(t)
	l.remoteLogin(t)
	return l
}

func (l *lab) login(t *testing.T) {
	t.Helper()
	a := l.send(t, http.MethodPost, "/session", nil, basic(l.User(), l.Password()))
	a.want(t, http.StatusOK)
	l.session = a.text(t, "session_id")
}

func (l *lab) remoteLogin(t *testing.T) {
	t.Helper()
	l.send(t, http.MethodPost, l.pairing+"/remote-session", nil, basic(l.RemoteUser(), l.RemotePassword())).
		want(t, http.StatusNoContent)
}

func basic(user, password string) func(*http.Request) {
	return func(r *http.Request) { r.SetBasicAuth(user, password) }
}

type answer struct {
	status int
	header http.Header
	raw    []byte
}

func (l *lab) call(t *testing.T, method, path string, body any) answer {
	t.Helper()
	return l.send(t, method, path, body)
}

func (l *lab) get(t *testing.T, path string) answer {
	t.Helper()
	return l.send(t, http.MethodGet, path, nil)
}

func (l *lab) send(t *testing.T, method, path string, body any, change ...func(*http.Request)) answer {
	t.Helper()
	a, err := l.try(t.Context(), method, path, body, change...)
	require.NoError(t, err, "%v, %v", method, path)
	return a
}

func (l *lab) try(ctx context.Context, method, path string, body any, change ...func(*http.Request)) (answer, error) {
	var reader io.Reader
	switch body := body.(type) {
	case nil:
	case []byte:
		reader = bytes.NewReader(body)
	default:
		b, err := json.Marshal(body)
		if err != nil {
			return answer{}, err
		}
		reader = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, l.URL()+gateway.Base+path, reader)
	if err != nil {
		return answer{}, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if l.session != "" {
		req.Header.Set("x-dr-session", l.session)
	}
	for _, f := range change {
		f(req)
	}
	res, err := l.http.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	return answer{res.StatusCode, res.Header, raw}, err
}

func (a answer) want(t *testing.T, status int) answer {
	t.Helper()
	require.Equal(t, status, a.status)
	return a
}

func (a answer) at(t *testing.T, path string) any {
	t.Helper()
	var v any
	require.NoError(t, json.Unmarshal(a.raw, &v), a.raw)
	for name := range strings.SplitSeq(path, ".") {
		switch holder := v.(type) {
		case map[string]any:
			v = holder[name]
		case []any:
			var i int
			if _, err := fmt.Sscan(name, &i); err != nil || i >= len(holder) {
				t.Fatalf("no %s in %s", path, a.raw)
			}
			v = holder[i]
		default:
			t.Fatalf("no %s in %s", path, a.raw)
		}
	}
	return v
}

func (a answer) text(t *testing.T, path string) string {
	t.Helper()
	s, ok := a.at(t, path).(string)
	require.True(t, ok, "%s is not a string in %s", path, a.raw)
	return s
}

func (a answer) list(t *testing.T, path string) []any {
	t.Helper()
	list, ok := a.at(t, path).([]any)
	require.True(t, ok, "%s is not a list in %s", path, a.raw)
	return list
}

func (l *lab) vm(i int) string {
	return "VirtualMachine:" + l.protected.VMs()[i].ID + ":" + l.LocalVCenterID()
}

func (l *lab) datastore() string {
	return "Datastore:" + l.recovery.Datastores()[0].ID + ":" + l.RemoteVCenterID()
}

// spec is what configures the i-th VM with all its disks, as the vendor's examples do: disks are sent back as they
// were read.
func (l *lab) spec(t *testing.T, i int) map[string]any {
	t.Helper()
	read := l.get(t, l.pairing+"/vcenters/"+l.LocalVCenterID()+"/vms/"+url.PathEscape(l.vm(i))+"/disks").
		want(t, http.StatusOK)
	var disks []any
	for _, d := range read.list(t, "list") {
		disks = append(disks, map[string]any{
			"vm_disk":                  d,
			"enabled_for_replication":  true,
			"destination_datastore_id": l.datastore(),
			"destination_disk_format":  "SAME_AS_SOURCE",
		})
	}
	return map[string]any{
		"vm_id":                       l.vm(i),
		"target_vc_id":                l.RemoteVCenterID(),
		"rpo":                         15,
		"network_compression_enabled": false,
		"auto_replicate_new_disks":    true,
		"lwd_encryption_enabled":      false,
		"mpit_enabled":                false,
		"disks":                       disks,
	}
}

func (l *lab) configured(t *testing.T, i int) string {
	t.Helper()
	l.call(t, http.MethodPost, l.pairing+"/replications", []any{l.spec(t, i)}).want(t, http.StatusAccepted)
	l.Advance(8 * time.Second)
	return l.replication(t, i)
}

func (l *lab) replication(t *testing.T, i int) string {
	t.Helper()
	found := l.get(t, l.pairing+"/replications?filter_property=vm_id&filter="+url.QueryEscape(l.vm(i))).
		want(t, http.StatusOK)
	return l.pairing + "/replications/" + url.PathEscape(found.text(t, "list.0.id"))
}

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
