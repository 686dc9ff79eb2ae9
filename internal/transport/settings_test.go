package transport_test

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/transport"
)

func TestCheckScheme(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]error{
		"https://vcenter.example.com":  nil,
		"https://10.0.0.1":             nil,
		"http://127.0.0.1:8989":        nil,
		"http://[::1]:8989":            nil,
		"http://localhost/sdk":         nil,
		"http://127.8.8.8":             nil,
		"http://vcenter.example.com":   transport.ErrPlainHTTP,
		"http://10.0.0.1:80":           transport.ErrPlainHTTP,
		"http://localhost.example.com": transport.ErrPlainHTTP,
		"http://127.0.0.1.example.com": transport.ErrPlainHTTP,
		"HTTP://vcenter.example.com":   transport.ErrPlainHTTP,
	} {
		u, err := url.Parse(address)
		require.NoError(t, err)
		assert.ErrorIs(t, transport.CheckScheme(u), want, address)
	}
}
