package vsphere_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/vsphere"
)

func TestNew_refusesBadConfiguration(t *testing.T) {
	t.Parallel()
	empty := filepath.Join(t.TempDir(), "empty.pem")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
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
		require.Error(t, err, name)
		assert.NotContains(t, err.Error(), "hidden", name)
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
		_, err := vsphere.New(config)
		assert.NoError(t, err, server)
	}
}

func TestClient_isLazyAndSharesOneSession(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{})
	require.Equal(t, 0, v.Traffic().Total())
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			_, err := c.CategoryByName(t.Context(), "none")
			assert.ErrorIs(t, err, vsphere.ErrNotFound)
		})
		group.Go(func() {
			_, err := c.VirtualMachines(t.Context(), vsphere.VMFilter{}, vsphere.VMParts{})
			assert.NoError(t, err)
		})
	}
	group.Wait()
	rest, soap := v.Traffic().Count("POST session"), v.Traffic().Count("soap:Login")
	require.Equal(t, 1, rest)
	assert.Equal(t, 1, soap)
}

func TestClient_expiredSessionIsHealedOnce(t *testing.T) {
	t.Parallel()
	v, c, sleeps := startLab(t, vcsim.Config{})
	tag := newTag(t, c)
	_, err := c.VirtualMachines(t.Context(), vsphere.VMFilter{}, vsphere.VMParts{})
	require.NoError(t, err)
	v.ExpireSessions()
	v.Traffic().Reset()
	var group sync.WaitGroup
	for range 10 {
		group.Go(func() {
			_, restErr := c.Tag(t.Context(), tag)
			_, soapErr := c.VirtualMachines(t.Context(), vsphere.VMFilter{}, vsphere.VMParts{})
			assert.NoError(t, errors.Join(restErr, soapErr))
		})
	}
	group.Wait()
	rest, soap := v.Traffic().Count("POST session"), v.Traffic().Count("soap:Login")
	require.Equal(t, 1, rest)
	assert.Equal(t, 1, soap)
	assert.Empty(t, sleeps.sleeps)
	// A vCenter that immediately ends each session must not cause an endless loop.
	v.Traffic().Reset()
	v.Traffic().Break(fault.Rule{Kind: "GET tag/{id}", Status: http.StatusUnauthorized})
	_, err = c.Tag(t.Context(), tag)
	require.ErrorIs(t, err, vsphere.ErrSession)
	assert.Equal(t, 2, v.Traffic().Count("GET tag/{id}"))
}

func TestClient_certificateIsChecked(t *testing.T) {
	t.Parallel()
	_, c, sleeps := startLab(t, vcsim.Config{}, func(config *vsphere.Config) { config.CAFile = "" })
	_, restErr := c.Tag(t.Context(), "x")
	_, soapErr := c.VirtualMachines(t.Context(), vsphere.VMFilter{}, vsphere.VMParts{})
	for _, err := range []error{restErr, soapErr} {
		require.ErrorIs(t, err, vsphere.ErrCertificate)
	}
	assert.Empty(t, sleeps.sleeps)
	_, c, _ = startLab(t, vcsim.Config{}, func(config *vsphere.Config) { config.CAFile, config.Insecure = "", true })
	_, err := c.Tag(t.Context(), "x")
	assert.ErrorIs(t, err, vsphere.ErrNotFound)
}

func TestClient_honoursRetryAfter(t *testing.T) {
	t.Parallel()
	v, c, sleeps := startLab(t, vcsim.Config{})
	tag := newTag(t, c)
	for _, after := range []string{"3", "86400", "soon"} {
		v.Traffic().Break(fault.Rule{
			Kind:   "GET tag/{id}",
			Times:  1,
			Status: http.StatusTooManyRequests,
			Header: map[string]string{"Retry-After": after},
		})
		_, err := c.Tag(t.Context(), tag)
		require.NoError(t, err, after)
		v.Traffic().Mend()
	}
	// Without a valid Retry-After header, the delay is one second.
	assert.Equal(t, []time.Duration{3 * time.Second, time.Minute, time.Second}, sleeps.sleeps)
}

func TestClient_doesNotRepeatRefusals(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]error{
		http.StatusBadRequest: vsphere.ErrInvalid,
		http.StatusForbidden:  vsphere.ErrPermission,
		http.StatusNotFound:   vsphere.ErrNotFound,
		http.StatusConflict:   vsphere.ErrConflict,
	} {
		v, c, sleeps := startLab(t, vcsim.Config{})
		newTag(t, c) // makes the client settle on a protocol
		v.Traffic().Break(fault.Rule{Kind: "GET tag/{id}", Status: status, Body: "<html>no JSON</html>"})
		_, err := c.Tag(t.Context(), "x")
		require.ErrorIs(t, err, want, "%+v", status)
		require.Equal(t, 1, v.Traffic().Count("GET tag/{id}"), "%+v", status)
		assert.Empty(t, sleeps.sleeps, "%+v", status)
	}
}

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
		v, c, _ := startLab(t, vcsim.Config{})
		v.Traffic().Break(fault.Rule{
			Kind:   "soap:CreateContainerView",
			Status: status,
			Body:   invalid,
			Header: map[string]string{"Content-Type": "text/xml"},
		})
		_, err := c.VirtualMachines(t.Context(), vsphere.VMFilter{}, vsphere.VMParts{})
		got := v.Traffic().Count("soap:CreateContainerView")
		require.ErrorIs(t, err, want.err, "%+v", status)
		assert.Equal(t, want.requests, got, "%+v", status)
	}
}

func TestClient_timesOut(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{}, func(config *vsphere.Config) { config.Timeout = 500 * time.Millisecond })
	tag := newTag(t, c)
	gate := fault.NewGate()
	defer gate.Open()
	v.Traffic().Break(fault.Rule{Kind: "GET tag/{id}", Before: gate.Hold})
	_, err := c.Tag(t.Context(), tag)
	require.ErrorIs(t, err, vsphere.ErrUncertain)
	assert.Contains(t, err.Error(), "no response within 500ms")
}

func TestClient_isCancelled(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{})
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
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorAs(t, err, &interrupted, "got %v", err)
	require.Equal(t, 0, interrupted.Confirmed)
	assert.Equal(t, len(v.VMs()), interrupted.Reached)
}

func TestCreateTag_unreachable(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{VMs: -1})
	v.Traffic().Break(fault.Rule{Kind: "POST session", CloseConnection: true})
	id, err := c.CreateTag(t.Context(), vsphere.Tag{Name: "gold", CategoryID: "x"})
	assert.Empty(t, id)
	require.ErrorIs(t, err, vsphere.ErrUnavailable)
	assert.NotErrorIs(t, err, vsphere.ErrUncertain)
}

// TestSession_wrappedEnd checks that a new session is opened if a service returns the end of a session as an error 400.
func TestSession_wrappedEnd(t *testing.T) {
	t.Parallel()
	v, c, sleeps := startLab(t, vcsim.Config{})
	tag := newTag(t, c)
	v.WrapSessionEnds(true)
	v.ExpireSessions()
	_, err := c.Tag(t.Context(), tag)
	require.NoError(t, err)
	assert.Empty(t, sleeps.sleeps)
	v.ExpireSessions() // Close must ignore the expired session
}

// TestClient_hostNotReachable checks that the SOAP fault of a host that vCenter cannot reach is retried.
func TestClient_hostNotReachable(t *testing.T) {
	t.Parallel()
	v, c, sleeps := startLab(t, vcsim.Config{})
	v.Traffic().Break(fault.Rule{
		Kind:   "soap:CreateContainerView",
		Times:  1,
		Status: http.StatusInternalServerError,
		Body:   soapFault("HostNotReachable", ""),
	})
	_, err := c.VirtualMachines(t.Context(), vsphere.VMFilter{}, vsphere.VMParts{})
	require.NoError(t, err)
	assert.Len(t, sleeps.sleeps, 1)
}
