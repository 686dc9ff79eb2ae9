package vr

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
)

// Peer identifies the remote Platform Services Controller to which a site is reconnected.
type Peer struct {
	// Host is the host name of the PSC. It defaults to the pairing's remote vCenter, which includes the PSC since
	// vSphere 7.0.
	Host string
	// Port defaults to 443.
	Port int32
	// Thumbprint is the thumbprint of the PSC's certificate. If it is empty, the gateway decides whether to trust the
	// certificate.
	Thumbprint string
}

const defaultPort = 443

type wirePeer struct {
	URL        string  `json:"url"` // a host name, despite the field name
	Port       int32   `json:"port"`
	Thumbprint *string `json:"thumbprint"`
	User       string  `json:"username"`
	Password   string  `json:"password"`
}

type wireReconnection struct {
	Peer      wirePeer `json:"pair_psc_info"`
	VCenterID string   `json:"pair_vc_id"`
}

// Reconnect reconnects the two sites of a pairing with the configured remote account. Errors: ErrPairing,
// ErrNoRemoteUser, ErrUncertain, and ErrInvalid if the pairing connects a vCenter to itself.
func (c *Client) Reconnect(ctx context.Context, pairing string, peer Peer) (Task, error) {
	if c.config.RemoteUser == "" || c.config.RemotePassword == "" {
		return Task{}, fmt.Errorf("reconnect pairing %s: %w", pairing, ErrNoRemoteUser)
	}
	remote, err := c.remoteSite(ctx, pairing)
	if err != nil {
		return Task{}, err
	}
	r := request{
		method:   http.MethodPost,
		template: "/pairings/{pairing_id}/actions/reconnect",
		ids:      []string{pairing},
		body: wireReconnection{
			VCenterID: remote.VCenterID,
			Peer: wirePeer{
				URL:        cmp.Or(peer.Host, remote.host()),
				Port:       cmp.Or(peer.Port, defaultPort),
				Thumbprint: nilIfEmpty(peer.Thumbprint),
				User:       c.config.RemoteUser,
				Password:   c.config.RemotePassword,
			},
		},
	}
	return c.startTask(ctx, r, pairing)
}

// remoteSite returns the remote site of a pairing without using a remote session.
func (c *Client) remoteSite(ctx context.Context, pairing string) (Site, error) {
	r := request{
		method:          http.MethodGet,
		template:        "/pairings/{pairing_id}",
		ids:             []string{pairing},
		allowIncomplete: true,
	}
	var w wirePairing
	err := c.call(ctx, r, &w)
	p := w.domain()
	switch {
	case errors.Is(err, ErrNotFound):
		return Site{}, fmt.Errorf("read pairing %s: %w", pairing, ErrPairing)
	case err != nil:
		return Site{}, err
	case p.IsSingleVCenter():
		return Site{}, fmt.Errorf("reconnect pairing %s: %w: it connects a vCenter with itself", pairing, ErrInvalid)
	case p.Remote.VCenterID == "" || p.Remote.host() == "":
		return Site{}, fmt.Errorf("%s: %w: the remote vCenter is missing", r, ErrPartial)
	default:
		return p.Remote, nil
	}
}

// host returns the host of the vCenter, as it is entered for a pairing.
func (s Site) host() string {
	if u, err := url.Parse(s.VCenterURL); err == nil && u.Hostname() != "" {
		return u.Hostname()
	}
	return s.VCenterName
}

// AwaitConnected waits up to a minute for the sites of a pairing to be connected. Errors: ErrDisconnected.
func (c *Client) AwaitConnected(ctx context.Context, pairing string) error {
	for poll := 1; ; poll++ {
		connected, err := c.IsConnected(ctx, pairing)
		switch {
		case connected || err != nil:
			return err
		case poll == 2*maxNewReplicationPolls:
			return fmt.Errorf("pairing %s: %w", pairing, ErrDisconnected)
		}
		if err := c.config.Sleep(ctx, pollInterval); err != nil {
			return fmt.Errorf("wait for pairing %s to connect: %w", pairing, err)
		}
	}
}
