package vcsim_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/vmware/govmomi"
	"github.com/vmware/govmomi/pbm"
	"github.com/vmware/govmomi/vim25/soap"

	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

// browser calls a vCenter without govmomi.
type browser struct {
	*http.Client
	t       *testing.T
	v       *vcsim.VCenter
	session string
}

func browse(t *testing.T, v *vcsim.VCenter) *browser {
	t.Helper()
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(v.CAPEM()) {
		t.Fatal("no certificate")
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}
	t.Cleanup(transport.CloseIdleConnections)
	return &browser{Client: &http.Client{Transport: transport}, t: t, v: v}
}

// call returns status and body; a password logs in.
func (b *browser) call(method, path, password string) (int, string) {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, b.v.URL()+path, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	if password != "" {
		r.SetBasicAuth(b.v.User(), password)
	}
	if b.session != "" {
		r.Header.Set("Vmware-Api-Session-Id", b.session)
	}
	res, err := b.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

func (b *browser) want(method, path, password string, status int, part string) {
	b.t.Helper()
	if got, body := b.call(method, path, password); got != status || !strings.Contains(body, part) {
		b.t.Errorf("%s %s is answered %d %s, want %d with %q", method, path, got, body, status, part)
	}
}

const (
	restSession = "/rest/com/vmware/cis/session"
	apiSession  = "/api/session"
)

func TestSession_api(t *testing.T) {
	t.Parallel()
	v := start(t, vcsim.Config{VMs: -1})
	b := browse(t, v)
	b.want("GET", apiSession, "", 401, `"error_type":"UNAUTHENTICATED"`)
	status, body := b.call("POST", apiSession, v.Password())
	if err := json.Unmarshal([]byte(body), &b.session); status != 201 || err != nil {
		t.Fatalf("the login is answered %d %s", status, body)
	}
	b.want("GET", apiSession, "", 200, `"user":"`+v.User()+`"`)
	b.want("GET", "/api/cis/tagging/tag", "", 200, "[]")
	b.want("GET", "/rest/com/vmware/cis/tagging/tag", "", 200, `{"value":[]}`)
	b.want("GET", "/api/vcenter/topology/nodes", "", 200, `"node":"vc1.lab"`)
	b.want("GET", "/api/nothing", "", 404, "com.vmware.vapi.rest.operationsForUrlNotFound")
	b.want("DELETE", apiSession, "", 204, "")
	b.want("GET", "/api/cis/tagging/tag", "", 401, "UNAUTHENTICATED")
}

func TestSession_releaseWithoutAPI(t *testing.T) {
	t.Parallel()
	v := start(t, vcsim.Config{VMs: -1, Release: tagging.Release70})
	browse(t, v).want("POST", apiSession, v.Password(), 404, "com.vmware.vapi.rest.operationsForUrlNotFound")
	if c := connect(t, v); c.ServiceContent.About.Version != "7.0.0" {
		t.Errorf("about.version is %s", c.ServiceContent.About.Version)
	}
}

func TestSession_limit(t *testing.T) {
	t.Parallel()
	v := start(t, vcsim.Config{VMs: -1, MaxSessions: 2})
	b := browse(t, v)
	b.want("POST", restSession, v.Password(), 200, "value")
	b.want("POST", apiSession, v.Password(), 201, "")
	const full = "com.vmware.vapi.endpoint.failedToLoginMaxUserSessionCountReached"
	b.want("POST", restSession, v.Password(), 503, full)
	b.want("POST", apiSession, v.Password(), 503, full)
	v.ExpireSessions()
	b.want("POST", restSession, v.Password(), 200, "value")
}

// TestSession_wrappedEnd: the end of a session arrives as 400 with the reason inside. A call without any is a 401.
func TestSession_wrappedEnd(t *testing.T) {
	t.Parallel()
	v := start(t, vcsim.Config{VMs: -1})
	b := browse(t, v)
	v.WrapSessionEnds(true)
	b.want("GET", "/api/cis/tagging/tag", "", 401, "UNAUTHENTICATED")
	b.session = "ended"
	b.want("GET", "/api/cis/tagging/tag", "", 400, "com.vmware.vapi.std.errors.unauthenticated")
	b.want("GET", "/rest/com/vmware/cis/tagging/tag", "", 400, "com.vmware.vapi.std.errors.invalid_argument")
	v.WrapSessionEnds(false)
	b.want("GET", "/rest/com/vmware/cis/tagging/tag", "", 401, "com.vmware.vapi.std.errors.unauthenticated")
}

// soapLogin logs in by SOAP and reports whether that worked.
func soapLogin(t *testing.T, v *vcsim.VCenter, password string) bool {
	t.Helper()
	u, err := soap.ParseURL("https://" + v.User() + ":" + password + "@" + strings.TrimPrefix(v.URL(), "https://"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = govmomi.NewClient(t.Context(), u, true)
	return err == nil
}

// TestLockout: five failures within 180 seconds lock the account for 900 seconds, by whatever protocol.
func TestLockout(t *testing.T) {
	t.Parallel()
	v := start(t, vcsim.Config{VMs: -1})
	b := browse(t, v)
	for range 4 {
		b.want("POST", restSession, "wrong", 401, "unauthenticated")
	}
	v.Advance(181 * time.Second)
	b.want("POST", apiSession, "wrong", 401, "UNAUTHENTICATED")
	if v.Locked() {
		t.Error("five failures in 181 seconds lock the account")
	}
	for range 4 {
		if soapLogin(t, v, "wrong") {
			t.Error("a wrong password is accepted")
		}
	}
	if !v.Locked() || soapLogin(t, v, v.Password()) {
		t.Error("five failures at once do not lock the account")
	}
	b.want("POST", restSession, v.Password(), 401, "unauthenticated")
	v.Advance(900 * time.Second)
	b.want("POST", restSession, v.Password(), 200, "value")
	if !soapLogin(t, v, v.Password()) {
		t.Error("the account is locked after 900 seconds")
	}
}

func TestLinked(t *testing.T) {
	t.Parallel()
	one := start(t, vcsim.Config{VMs: -1})
	two := start(t, vcsim.Config{VMs: -1, Site: 1, LinkedTo: one, LinkDelay: 30 * time.Second})
	b := browse(t, two)
	_, body := b.call("POST", apiSession, two.Password())
	if err := json.Unmarshal([]byte(body), &b.session); err != nil {
		t.Fatal(err)
	}
	b.want("GET", "/api/vcenter/topology/nodes", "", 200, `"node":"vc1.lab","replication_partners":["vc2.lab"]`)
	category := tagging.Category{Name: "tier", Cardinality: "SINGLE"}
	if _, err := one.Tags().AddCategory(category); err != nil {
		t.Fatal(err)
	}
	two.Advance(29 * time.Second)
	if got := two.Tags().Categories(); len(got) > 0 {
		t.Errorf("after 29 seconds the partner has %v", got)
	}
	one.Advance(time.Second)
	if got := two.Tags().Categories(); len(got) != 1 {
		t.Errorf("after 30 seconds the partner has %v", got)
	}
}

// TestStoragePolicies: the service of storage policies answers, without which the vsphere provider does not start.
func TestStoragePolicies(t *testing.T) {
	t.Parallel()
	c, err := pbm.NewClient(t.Context(), connect(t, start(t, vcsim.Config{VMs: -1})).Client)
	if err != nil {
		t.Fatal(err)
	}
	if id, err := c.ProfileIDByName(t.Context(), "VM Encryption Policy"); err != nil || id == "" {
		t.Errorf("the storage policy has the id %q, %v", id, err)
	}
}
