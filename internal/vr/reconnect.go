// Reconnecting the two sites of a pairing.

package vr

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
)

// Peer is the Platform Services Controller of the other site, through which the sites are connected again.
type Peer struct {
	// Host is its name; empty means the remote vCenter of the pairing, which has had it on board since vSphere 7.0.
	Host string
	// Port is 443 when it is 0.
	Port int32
	// Thumbprint is that of its certificate; empty leaves it to the gateway whether to trust the certificate.
	Thumbprint string
}

const defaultPort = 443

type wirePeer struct {
	URL        string  `json:"url"` // a host name, in spite of its name
	Port       int32   `json:"port"`
	Thumbprint *string `json:"thumbprint"`
	User       string  `json:"username"`
	Password   string  `json:"password"`
}

type wireReconnection struct {
	Peer      wirePeer `json:"pair_psc_info"`
	VCenterID string   `json:"pair_vc_id"`
}

// Reconnect connects the two sites of a pairing again, with the remote account of the configuration. Errors:
// ErrPairing, ErrNoRemoteUser, ErrUncertain, and ErrInvalid for a pairing of a vCenter with itself.
func (c *Client) Reconnect(ctx context.Context, pairing string, peer Peer) (Task, error) {
	if c.config.RemoteUser == "" {
		return Task{}, fmt.Errorf("reconnect pairing %s: %w", pairing, ErrNoRemoteUser)
	}
	remote, err := c.remoteSite(ctx, pairing)
	if err != nil {
		return Task{}, err
	}
	r := request{
		method: http.MethodPost, template: "/pairings/{pairing_id}/actions/reconnect", ids: []string{pairing},
		body: wireReconnection{VCenterID: remote.VCenterID, Peer: wirePeer{
			URL: cmp.Or(peer.Host, remote.host()), Port: cmp.Or(peer.Port, defaultPort),
			Thumbprint: orNull(peer.Thumbprint), User: c.config.RemoteUser, Password: c.config.RemotePassword,
		}},
	}
	return c.start(ctx, r, pairing)
}

// remoteSite returns what the gateway itself knows of the other site of a pairing, without a session there.
func (c *Client) remoteSite(ctx context.Context, pairing string) (Site, error) {
	r := request{
		method: http.MethodGet, template: "/pairings/{pairing_id}", ids: []string{pairing}, incomplete: true,
	}
	var w wirePairing
	err := c.call(ctx, r, &w)
	switch p := w.domain(); {
	case errors.Is(err, ErrNotFound):
		return Site{}, fmt.Errorf("read pairing %s: %w", pairing, ErrPairing)
	case err != nil:
		return Site{}, err
	case p.Single():
		return Site{}, fmt.Errorf("reconnect pairing %s: %w: it joins a vCenter with itself", pairing, ErrInvalid)
	case p.Remote.VCenterID == "" || p.Remote.host() == "":
		return Site{}, fmt.Errorf("%s: %w: the remote vCenter is missing", r, ErrPartial)
	default:
		return p.Remote, nil
	}
}

// host is the host name of the site's vCenter.
func (s Site) host() string {
	if u, err := url.Parse(s.VCenterURL); err == nil && u.Hostname() != "" {
		return u.Hostname()
	}
	return s.VCenterName
}

// Connected reports whether the gateway has a working connection to the other site of a pairing. ErrRemoteLogin is an
// error: the account is refused there, and another attempt counts towards its lockout.
func (c *Client) Connected(ctx context.Context, pairing string) (bool, error) {
	p, err := c.readPairing(ctx, pairing)
	switch {
	case err == nil:
		return p.Remote.Status == "OK" || p.Remote.Status == "WARNING", nil
	case ctx.Err() != nil, errors.Is(err, ErrRemoteLogin), errors.Is(err, ErrNoRemoteUser):
		return false, err
	case errors.Is(err, ErrRemote), errors.Is(err, ErrPartial):
		return false, nil
	default:
		return false, err
	}
}

// AwaitConnected waits until the sites of a pairing are connected, for a minute: ErrApart when they are not by then.
func (c *Client) AwaitConnected(ctx context.Context, pairing string) error {
	for look := 1; ; look++ {
		connected, err := c.Connected(ctx, pairing)
		switch {
		case connected || err != nil:
			return err
		case look == 2*looks:
			return fmt.Errorf("pairing %s: %w", pairing, ErrApart)
		}
		if err := c.config.Sleep(ctx, pollEvery); err != nil {
			return fmt.Errorf("wait for the connection of pairing %s: %w", pairing, err)
		}
	}
}
