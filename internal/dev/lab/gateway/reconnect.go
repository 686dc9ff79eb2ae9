// Reconnecting the two sites of a pairing, which a changed certificate of the remote site has separated.

package gateway

import (
	"encoding/json"
	"strings"
)

// peer is the body of reconnectVrPairing.
type peer struct {
	PSC struct {
		URL        string  `json:"url"`
		Port       int32   `json:"port"`
		Thumbprint *string `json:"thumbprint"`
		Username   string  `json:"username"`
		Password   string  `json:"password"`
	} `json:"pair_psc_info"`
	VCID string `json:"pair_vc_id"`
}

func (g *Gateway) reconnect(c *call) {
	if err := g.bodies.check(c, pairingBody); err != nil {
		g.bad(c, err.Error())
		return
	}
	var p peer
	if err := json.Unmarshal(c.body, &p); err != nil {
		g.bad(c, err.Error())
		return
	}
	pairing := c.r.PathValue("pairing_id")
	f := g.judgePeer(pairing, p)
	if g.refuseByMeaning(c, f) {
		return
	}
	g.accept(c, g.reconnection(pairing, f))
}

// judgePeer finds the semantic error of a reconnection.
func (g *Gateway) judgePeer(pairing string, p peer) *finding {
	thumbprint := g.RemoteThumbprint()
	switch psc := p.PSC; {
	case g.isSelf(pairing):
		return found("PAIRING_INVALID", "The pairing has no remote site.")
	case !strings.EqualFold(p.VCID, g.remote.vcID):
		return found("PAIR_VC_UNKNOWN", "%s is not the remote vCenter of the pairing.", p.VCID)
	case g.reconnecting:
		return found("PAIRING_BUSY", "Another operation on the pairing is in progress.")
	case psc.URL != g.remote.vcName || psc.Port != 443:
		return found("PSC_NOT_AVAILABLE", "%s:%d does not answer.", psc.URL, psc.Port)
	case psc.Thumbprint == nil && g.apart && g.config.Switches.NeedThumbprint,
		psc.Thumbprint != nil && !strings.EqualFold(*psc.Thumbprint, thumbprint):
		return found("CERTIFICATE_NOT_TRUSTED", "The certificate of %s is not trusted.", psc.URL)
	case psc.Username != g.config.RemoteUser || psc.Password != g.config.RemotePassword:
		return found("PSC_LOGIN_FAILED", "The login at %s failed.", psc.URL)
	}
	return nil
}

// reconnection is the task that connects the sites again, or fails with a finding.
func (g *Gateway) reconnection(pairing string, f *finding) *task {
	if f != nil {
		failed := &errorInfo{Message: f.message, Details: f.code}
		return g.newTask("reconnectVrPairing", pairing, g.remote.vrmsName, failed, nil, nil)
	}
	g.reconnecting = true
	return g.newTask("reconnectVrPairing", pairing, g.remote.vrmsName, nil, func(*task, TaskRule) {
		g.reconnecting, g.apart = false, false
		g.setLink()
	}, func() { g.reconnecting = false })
}

// away reports whether the local site reaches nothing at the remote one.
func (g *Gateway) away() bool { return g.remoteDown || g.apart }

// setLink stops the traffic while the remote site is away.
func (g *Gateway) setLink() {
	link := g.config.Link
	if g.away() {
		link = 0
	}
	g.engine.SetLink(link)
}

// BreakPairing separates the sites, as a new certificate of the remote one does: nothing moves, and what needs the
// remote site fails until the pairing is reconnected.
func (g *Gateway) BreakPairing() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tick()
	g.apart = true
	g.setLink()
}

// Apart reports whether the sites are separated.
func (g *Gateway) Apart() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.apart
}

// StartReconnect reconnects the pairing as another client would. It is done when time has passed.
func (g *Gateway) StartReconnect() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tick()
	g.reconnection(g.pairing, nil)
}

// RemoteThumbprint is the thumbprint of the remote vCenter's certificate.
func (g *Gateway) RemoteThumbprint() string { return g.remote.certificate(g.remote.vcName).Thumbprint }
