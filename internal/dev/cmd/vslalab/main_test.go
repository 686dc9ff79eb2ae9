package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

type screen struct {
	mu   sync.Mutex
	text strings.Builder
	want string
	seen chan struct{}
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := strings.Contains(s.text.String(), s.want)
	n, err := s.text.Write(b)
	if !before && strings.Contains(s.text.String(), s.want) {
		close(s.seen)
	}
	return n, err
}

func TestRun_replication(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out := &screen{want: "Ctrl-C", seen: make(chan struct{})}
	ended := make(chan error, 1)
	go func() {
		args := []string{
			"-hosts", "4", "-vms", "5", "-replication", "-replication-scale", "0",
			"-protection",
		}
		ended <- run(ctx, args, out, io.Discard)
	}()
	<-out.seen
	text := out.text.String()
	value := func(name string) string {
		_, rest, ok := strings.Cut(text, "export "+name+"=")
		require.True(t, ok, "%s is not in\n%s", name, text)
		line, _, _ := strings.Cut(rest, "\n")
		return line
	}
	assert.Contains(t, text, "# vCenter 1: 5 VMs")
	assert.Equal(t, vcsim.DefaultUser, value("VSPHERE_USER"))
	assert.Equal(t, vcsim.DefaultPassword, value("VSPHERE_PASSWORD"))
	ca := value("VSLA_CA_FILE")
	bundle, err := os.ReadFile(ca)
	require.NoError(t, err)
	assert.Equal(t, 4, strings.Count(string(bundle), "BEGIN CERTIFICATE"))
	got := value("VSLA_DATA_PROTECTION_SERVER")
	assert.True(t, strings.HasPrefix(got, "https://127.0.0.1:"),
		"got %q as the appliance of vSAN Data Protection, want an address", got)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(bundle)
	client := &http.Client{
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}},
	}
	ask := func(method, address string, login bool) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), method, address, nil)
		require.NoError(t, err)
		if login {
			req.SetBasicAuth(value("VSLA_REPLICATION_USER"), value("VSLA_REPLICATION_PASSWORD"))
		}
		res, err := client.Do(req)
		require.NoError(t, err)
		defer func() { _ = res.Body.Close() }()
		body, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		return res.StatusCode, string(body)
	}
	status, body := ask(http.MethodPost, value("VSLA_REPLICATION_SERVER")+"/api/rest/vr/v2/session", true)
	require.Equal(t, 200, status)
	assert.Contains(t, body, "session_id")
	_, second, _ := strings.Cut(text, "# vCenter 2: ")
	second, _, _ = strings.Cut(second, "\n")
	login := ", user " + vcsim.DefaultUser + ", password " + vcsim.DefaultPassword
	assert.True(t, strings.HasSuffix(second, login), "vCenter 2 is described as %q, want its login %q", second, login)
	_, rest, _ := strings.Cut(text, "-X POST '")
	advance, _, _ := strings.Cut(rest, "'")
	status, body = ask(http.MethodPost, advance, false)
	assert.Equal(t, http.StatusOK, status, body)
	assert.Equal(t, "2024-01-01T00:10:00Z\n", body)
	status, _ = ask(http.MethodPost, strings.Replace(advance, "=", "=-", 1), false)
	assert.Equal(t, http.StatusBadRequest, status)
	want := "# its time begins at 2024-01-01T00:00:00Z, and each poll of a task advances it by 5s\n"
	assert.Contains(t, text, want)
	require.NotEmpty(t, value("VSLA_REPLICATION_REMOTE_USER"), "there is no remote account")
	assert.NotEmpty(t, value("VSLA_REPLICATION_REMOTE_PASSWORD"), "there is no remote account")
	stop()
	require.NoError(t, <-ended)
	assert.NoFileExists(t, ca)
}

func TestRun_scaled(t *testing.T) {
	t.Parallel()
	site := func(n int) *vcsim.VCenter {
		v, err := vcsim.Start(t.Context(), vcsim.Config{Site: n, VMs: 1})
		require.NoError(t, err)
		t.Cleanup(func() { _ = v.Close() })
		return v
	}
	// At this scale, a day takes 0.864 s and five minutes take 3 ms.
	r, err := startReplication(t.Context(), replicationFlags{scale: 1e5, link: 1e6}, site(0), site(1))
	require.NoError(t, err)
	defer r.close()
	w := httptest.NewRecorder()
	login := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/rest/vr/v2/session", nil)
	login.SetBasicAuth(r.gateway.User(), r.gateway.Password())
	r.gateway.Handler().ServeHTTP(w, login)
	r.gateway.Advance(24 * time.Hour)
	require.Equal(t, http.StatusOK, w.Code)
	assert.Equal(t, 1, r.gateway.Sessions())
	assert.EqualValues(t, 8, r.gateway.Mappings()[0].Throughput, "1 MB/s")
}

func TestRun_badFlags(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"-hosts", "1"},
		{"-vms", "-1"},
		{"-replication-scale", "-1"},
		{"what"},
		{"-nothing"},
	} {
		require.Error(t, run(t.Context(), args, &strings.Builder{}, &strings.Builder{}), "%+v", args)
	}
	var help strings.Builder
	require.ErrorIs(t, run(t.Context(), []string{"-help"}, &strings.Builder{}, &help), flag.ErrHelp)
	assert.Contains(t, help.String(), "-replication-scale")
}
