package vr_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vr"
)

func TestNew_refuses(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]vr.Config{
		"no server":      {User: "u"},
		"no user":        {Server: "h"},
		"user info":      {Server: "https://me:secret@h", User: "u"},
		"query":          {Server: "https://h?secret=1", User: "u"},
		"another scheme": {Server: "ftp://h/secret", User: "u"},
		"plain HTTP":     {Server: "http://vr.example.com", User: "u", Password: "secret"},
		"no host":        {Server: "https:///secret", User: "u"},
		"limit":          {Server: "h", User: "u", RequestsPerMinute: -1},
		"time-out":       {Server: "h", User: "u", Settings: transport.Settings{Timeout: -1}},
		"CA file":        {Server: "h", User: "u", Settings: transport.Settings{CAFile: "/does/not/exist"}},
	} {
		_, err := vr.New(config)
		require.Error(t, err, name)
		assert.NotContains(t, err.Error(), "secret", name)
	}
	c, err := vr.New(vr.Config{Server: " appliance:8043 ", User: "u"})
	require.NoError(t, err)
	assert.Equal(t, "appliance:8043", c.Server())
}

func TestCertificate(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{})
	c := l.client(t, func(c *vr.Config) { c.CAFile = "" })
	_, err := c.Pairings(t.Context())
	require.ErrorIs(t, err, vr.ErrCertificate)
	c = l.client(t, func(c *vr.Config) {
		c.CAFile = ""
		c.Insecure = true
	})
	_, err = c.Pairings(t.Context())
	assert.NoError(t, err)
}

func TestVersion(t *testing.T) {
	t.Parallel()
	l := startLab(t, gateway.Switches{})
	l.Traffic().Break(fault.Rule{Kind: "POST /api/rest/vr/v9/session", Status: http.StatusNotFound})
	_, err := l.client(t, func(c *vr.Config) { c.Server = l.URL() + "/api/rest/vr/v9" }).Pairings(t.Context())
	assert.ErrorIs(t, err, vr.ErrVersion)
}
