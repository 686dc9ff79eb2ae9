package vsphere_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/vsphere"
)

func TestNew_refusesBadConfiguration(t *testing.T) {
	t.Parallel()
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	good := vsphere.Config{Server: "vcenter.example.com", User: "u", Password: "hidden"}
	for name, change := range map[string]func(*vsphere.Config){
		"no server":         func(c *vsphere.Config) { c.Server = " " },
		"no user":           func(c *vsphere.Config) { c.User = "" },
		"negative time-out": func(c *vsphere.Config) { c.Timeout = -1 },
		"not a URL":         func(c *vsphere.Config) { c.Server = "https://hidden@:443:443" },
		"user in the URL":   func(c *vsphere.Config) { c.Server = "https://u:hidden@vcenter" },
		"plain HTTP":        func(c *vsphere.Config) { c.Server = "http://vcenter.example.com" },
		"CA file missing":   func(c *vsphere.Config) { c.CAFile = "/nowhere" },
		"CA file empty":     func(c *vsphere.Config) { c.CAFile = empty },
	} {
		config := good
		change(&config)
		_, err := vsphere.New(config)
		if err == nil || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, server := range []string{
		"vcenter.example.com",
		"vcenter:8443",
		"https://vcenter/",
		"https://vcenter:8443/sdk",
		"10.0.0.1",
		"[::1]:443",
	} {
		config := good
		config.Server = server
		if _, err := vsphere.New(config); err != nil {
			t.Errorf("%s: %v", server, err)
		}
	}
}

func TestClient_isLazyAndSharesOneSession(t *testing.T) {
	t.Parallel()
	v, c, _ := start(t, vcsim.Config{})
	if got := v.Traffic().Total(); got != 0 {
		t.Fatalf("%d requests before the first call", got)
	}
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			if _, err := c.CategoryByName(t.Context(), "none"); !errors.Is(err, vsphere.ErrNotFound) {
				t.Errorf("got %v", err)
			}
		})
		group.Go(func() {
			if _, err := c.VirtualMachines(t.Context(), vsphere.VMFilter{}, vsphere.VMParts{}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if rest, soap := v.Traffic().Count("POST session"), v.Traffic().Count("soap:Login"); rest != 1 || soap != 1 {
		t.Errorf("%d REST and %d SOAP logins for 40 concurrent calls", rest, soap)
	}
}

func TestClient_expiredSessionIsHealedOnce(t *testing.T) {
	t.Parallel()
	v, c, naps := start(t, vcsim.Config{})
	tag := newTag(t, c)
	if _, err := c.VirtualMachines(t.Context(), vsphere.VMFilter{}, vsphere.VMParts{}); err != nil {
		t.Fatal(err)
	}
	v.ExpireSessions()
	v.Traffic().Reset()
	var group sync.WaitGroup
	for range 10 {
		group.Go(func() {
			if _, err := c.Tag(t.Context(), tag); err != nil {
				t.Error(err)
			}
			if _, err := c.VirtualMachines(t.Context(), vsphere.VMFilter{}, vsphere.VMParts{}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if rest, soap := v.Traffic().Count("POST session"), v.Traffic().Count("soap:Login"); rest != 1 || soap != 1 {
		t.Errorf("%d REST and %d SOAP logins heal one expiry", rest, soap)
	}
	if len(naps.taken) > 0 {
		t.Errorf("an expired session is no reason to wait: %v", naps.taken)
	}
	// A vCenter that ends each session at once is not asked for ever.
	v.Traffic().Reset()
	v.Traffic().Break(fault.Rule{Kind: "GET tag/{id}", Status: http.StatusUnauthorized})
	if _, err := c.Tag(t.Context(), tag); !errors.Is(err, vsphere.ErrSession) {
		t.Errorf("got %v", err)
	}
	if got := v.Traffic().Count("GET tag/{id}"); got != 2 {
		t.Errorf("%d requests, want the first and one after a fresh login", got)
	}
}

func TestClient_wrongPassword(t *testing.T) {
	t.Parallel()
	v, c, _ := start(t, vcsim.Config{}, func(config *vsphere.Config) { config.Password = "hidden" })
	_, restErr := c.Tag(t.Context(), "x")
	_, soapErr := c.VirtualMachines(t.Context(), vsphere.VMFilter{}, vsphere.VMParts{})
	for _, err := range []error{restErr, soapErr} {
		if !errors.Is(err, vsphere.ErrLogin) || strings.Contains(err.Error(), "hidden") {
			t.Errorf("got %v", err)
		}
	}
	// A refused login is not repeated, by the other protocol neither: vCenter locks accounts.
	if rest, soap := v.Traffic().Count("POST session"), v.Traffic().Count("soap:Login"); rest != 1 || soap != 0 {
		t.Errorf("%d REST and %d SOAP logins, want 1 and 0", rest, soap)
	}
}

// TestClient_loginRefusedByStatus: a 401 is final, in front of vCenter as well, and nothing else of it is printed.
func TestClient_loginRefusedByStatus(t *testing.T) {
	t.Parallel()
	v, c, naps := start(t, vcsim.Config{}, func(config *vsphere.Config) { config.Password = "hidden" })
	v.Traffic().Break(fault.Rule{Kind: "soap:Login", Status: http.StatusUnauthorized, Echo: true})
	for range 2 {
		_, err := c.VirtualMachines(t.Context(), vsphere.VMFilter{}, vsphere.VMParts{})
		if want := "login refused (HTTP 401)"; !errors.Is(err, vsphere.ErrLogin) || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if got := v.Traffic().Count("soap:Login"); got != 1 || len(naps.taken) > 0 {
		t.Errorf("got %d logins and waits %v, want 1 and none", got, naps.taken)
	}
}

func TestClient_certificateIsChecked(t *testing.T) {
	t.Parallel()
	_, c, naps := start(t, vcsim.Config{}, func(config *vsphere.Config) { config.CAFile = "" })
	_, restErr := c.Tag(t.Context(), "x")
	_, soapErr := c.VirtualMachines(t.Context(), vsphere.VMFilter{}, vsphere.VMParts{})
	for _, err := range []error{restErr, soapErr} {
		if !errors.Is(err, vsphere.ErrCertificate) {
			t.Errorf("got %v", err)
		}
	}
	if len(naps.taken) > 0 {
		t.Errorf("a certificate does not become trusted by waiting: %v", naps.taken)
	}
	_, c, _ = start(t, vcsim.Config{}, func(config *vsphere.Config) { config.CAFile, config.Insecure = "", true })
	if _, err := c.Tag(t.Context(), "x"); !errors.Is(err, vsphere.ErrNotFound) {
		t.Errorf("insecure: got %v", err)
	}
}

func TestClient_backsOff(t *testing.T) {
	t.Parallel()
	v, c, naps := start(t, vcsim.Config{})
	tag := newTag(t, c)
	v.Traffic().Break(fault.Rule{Kind: "GET tag/{id}", Status: http.StatusBadGateway})
	v.Traffic().Reset()
	_, err := c.Tag(t.Context(), tag)
	if !errors.Is(err, vsphere.ErrUnavailable) {
		t.Fatalf("got %v", err)
	}
	if got := v.Traffic().Count("GET tag/{id}"); got != 5 {
		t.Errorf("%d attempts, want 5", got)
	}
	// 0.5, 1, 2 and 4 seconds, each shortened by up to half.
	if len(naps.taken) != 4 {
		t.Fatalf("waits %v", naps.taken)
	}
	for i, got := range naps.taken {
		full := 500 * time.Millisecond << i
		if got < full/2 || got >= full {
			t.Errorf("wait %d is %v, want %v to %v", i+1, got, full/2, full)
		}
	}
}

func TestClient_honoursRetryAfter(t *testing.T) {
	t.Parallel()
	v, c, naps := start(t, vcsim.Config{})
	tag := newTag(t, c)
	for _, after := range []string{"3", "86400", "soon"} {
		v.Traffic().Break(fault.Rule{
			Kind:   "GET tag/{id}",
			Times:  1,
			Status: http.StatusTooManyRequests,
			Header: map[string]string{"Retry-After": after},
		})
		if _, err := c.Tag(t.Context(), tag); err != nil {
			t.Errorf("Retry-After %s: %v", after, err)
		}
		v.Traffic().Mend()
	}
	// Without a time that can be read: a second.
	want := []time.Duration{3 * time.Second, time.Minute, time.Second}
	if !slices.Equal(naps.taken, want) {
		t.Errorf("waits %v, want %v", naps.taken, want)
	}
}

func TestClient_doesNotRepeatRefusals(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]error{
		http.StatusBadRequest: vsphere.ErrInvalid, http.StatusForbidden: vsphere.ErrPermission,
		http.StatusNotFound: vsphere.ErrNotFound, http.StatusConflict: vsphere.ErrConflict,
	} {
		v, c, naps := start(t, vcsim.Config{})
		newTag(t, c) // settles the protocol
		v.Traffic().Break(fault.Rule{Kind: "GET tag/{id}", Status: status, Body: "<html>no JSON</html>"})
		if _, err := c.Tag(t.Context(), "x"); !errors.Is(err, want) {
			t.Errorf("status %d: got %v, want %v", status, err, want)
		}
		if got := v.Traffic().Count("GET tag/{id}"); got != 1 || len(naps.taken) > 0 {
			t.Errorf("status %d: %d requests", status, got)
		}
	}
}

// TestClient_doesNotRepeatSOAPFaults: a fault is an answer, a 503 of the proxy in front is not.
func TestClient_doesNotRepeatSOAPFaults(t *testing.T) {
	t.Parallel()
	const invalid = `
<Envelope xmlns="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<Body><Fault><faultcode>ServerFaultCode</faultcode><faultstring>A specified parameter was not correct.</faultstring>
<detail><InvalidArgumentFault xmlns="urn:vim25" xsi:type="InvalidArgument"/></detail></Fault></Body></Envelope>`
	for status, want := range map[int]struct {
		err      error
		requests int
	}{
		http.StatusInternalServerError: {vsphere.ErrInvalid, 1},
		http.StatusServiceUnavailable:  {vsphere.ErrUnavailable, 5},
	} {
		v, c, _ := start(t, vcsim.Config{})
		v.Traffic().Break(fault.Rule{
			Kind:   "soap:CreateContainerView",
			Status: status,
			Body:   invalid,
			Header: map[string]string{"Content-Type": "text/xml"},
		})
		_, err := c.VirtualMachines(t.Context(), vsphere.VMFilter{}, vsphere.VMParts{})
		if got := v.Traffic().Count("soap:CreateContainerView"); !errors.Is(err, want.err) || got != want.requests {
			t.Errorf("status %d: got %v after %d requests, want %v after %d", status, err, got, want.err, want.requests)
		}
	}
}

func TestClient_timesOut(t *testing.T) {
	t.Parallel()
	v, c, _ := start(t, vcsim.Config{}, func(config *vsphere.Config) { config.Timeout = 500 * time.Millisecond })
	tag := newTag(t, c)
	gate := fault.NewGate()
	defer gate.Open()
	v.Traffic().Break(fault.Rule{Kind: "GET tag/{id}", Before: gate.Hold})
	_, err := c.Tag(t.Context(), tag)
	if !errors.Is(err, vsphere.ErrUncertain) || !strings.Contains(err.Error(), "no response within 500ms") {
		t.Errorf("got %v", err)
	}
}

func TestClient_isCancelled(t *testing.T) {
	t.Parallel()
	v, c, _ := start(t, vcsim.Config{})
	tag := newTag(t, c)
	gate := fault.NewGate()
	defer gate.Open()
	v.Traffic().Break(fault.Rule{Kind: "POST tag-association:attach-tag-to-multiple-objects", Before: gate.Hold})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		<-gate.Arrived()
		cancel()
	}()
	err := c.AttachTag(ctx, tag, allVMs(v))
	var interrupted *vsphere.InterruptedError
	if !errors.Is(err, context.Canceled) || !errors.As(err, &interrupted) {
		t.Fatalf("got %v", err)
	}
	if interrupted.Confirmed != 0 || interrupted.Reached != len(v.VMs()) {
		t.Errorf("confirmed %d, reached %d; it is not known of any VM", interrupted.Confirmed, interrupted.Reached)
	}
}

// TestCreateTag_unreachable: nothing was sent, so nothing may be claimed.
func TestCreateTag_unreachable(t *testing.T) {
	t.Parallel()
	v, c, _ := start(t, vcsim.Config{VMs: -1})
	v.Traffic().Break(fault.Rule{Kind: "POST session", Cut: true})
	id, err := c.CreateTag(t.Context(), vsphere.Tag{Name: "gold", CategoryID: "x"})
	if id != "" || !errors.Is(err, vsphere.ErrUnavailable) || errors.Is(err, vsphere.ErrUncertain) {
		t.Errorf("got %q, %v", id, err)
	}
}
