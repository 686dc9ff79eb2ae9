package gateway

import (
	"net/http"
	"strings"
)

const version = "8.8.0.0"

func (g *Gateway) isPairing(id string) bool {
	return strings.EqualFold(id, g.pairing) || g.isSelfPairing(id)
}

// isSelf reports whether a pairing connects a site with itself.
func (g *Gateway) isSelf(pairing string) bool {
	return g.local == g.remote || g.isSelfPairing(pairing)
}

// isSelfPairing reports whether an ID is that of the additional pairing of the local site with itself.
func (g *Gateway) isSelfPairing(id string) bool {
	return g.config.Switches.SelfPairing && strings.EqualFold(id, g.selfPairing)
}

func (g *Gateway) sites(pairing string) []*site {
	if g.isSelf(pairing) {
		return []*site{g.local}
	}
	return []*site{g.local, g.remote}
}

func (s *site) vcInfo() *serverInfo {
	return &serverInfo{
		ID:           s.vcID,
		URL:          "https://" + s.vcName + ":443/sdk",
		Name:         s.vcName,
		ServerStatus: "OK",
		Version:      "8.0.3",
		Certificates: []certificate{s.certificate(s.vcName)},
	}
}

func (s *site) vrmsInfo() *serverInfo {
	return &serverInfo{
		ID:           s.vrmsID,
		URL:          "https://" + s.vrmsName + ":8043",
		Name:         s.vrmsName,
		ServerStatus: "OK",
		Version:      version,
		Certificates: []certificate{s.certificate(s.vrmsName)},
	}
}

func (s *site) certificate(name string) certificate {
	return certificate{
		SubjectDN:  "CN=" + name,
		IssuerDN:   "CN=" + name,
		Thumbprint: strings.Repeat("00:", 31) + "00",
		NotBefore:  millis(0),
		NotAfter:   Epoch.AddDate(10, 0, 0).UnixMilli(),
	}
}

func (g *Gateway) pairingInfo(id string, missing bool) pairing {
	remote := g.remote
	if g.isSelf(id) {
		remote = g.local
	}
	p := pairing{
		PairingID:      id,
		LocalVCServer:  g.local.vcInfo(),
		RemoteVCServer: remote.vcInfo(),
		LocalVRMS:      g.local.vrmsInfo(),
		RemoteVRMS:     remote.vrmsInfo(),
	}
	if missing && !g.isSelf(id) {
		p.RemoteVCServer = &serverInfo{ID: remote.vcID, Name: remote.vcName}
		p.RemoteVRMS = nil
		if g.disconnected {
			p.RemoteVCServer.ServerStatus = "ERROR"
		}
	}
	return p
}

const missingCode, missingMessage = "REMOTE_DATA_MISSING", "The remote site was not asked."

func missingFields(root string, names ...string) []metaError {
	list := make([]metaError, 0, len(names))
	for _, name := range names {
		list = append(list, metaError{Code: missingCode, Message: missingMessage, Field: root + "." + name})
	}
	return list
}

func (g *Gateway) newMeta(missing bool, names ...string) *meta {
	if !missing || g.config.Switches.PartialSilent {
		return &meta{Errors: []metaError{}}
	}
	return &meta{Errors: missingFields("$", names...)}
}

func (g *Gateway) listPairings(c *call) {
	list := []pairing{g.pairingInfo(g.pairing, c.missing)}
	if g.config.Switches.SelfPairing {
		list = append(list, g.pairingInfo(g.selfPairing, false))
	}
	writePage(g, c, list, func(rows []pairing) (lacks []metaError) {
		for i, p := range rows {
			if p.RemoteVRMS == nil {
				lacks = append(
					lacks,
					missingFields(rowPath("$.list", i), "remote_vrms", "remote_vc_server.server_status")...)
			}
		}
		return lacks
	})
}

func (g *Gateway) getPairing(c *call) {
	p := g.pairingInfo(c.r.PathValue("pairing_id"), c.missing)
	p.Meta = g.newMeta(c.missing, "remote_vrms", "remote_vc_server.server_status")
	g.writeJSON(c, http.StatusOK, p)
}

func (g *Gateway) siteOfVRMS(c *call) *site {
	for _, s := range g.sites(c.r.PathValue("pairing_id")) {
		if strings.EqualFold(s.vrmsID, c.r.PathValue("vr_id")) {
			return s
		}
	}
	g.writeStatus(c, http.StatusNotFound)
	return nil
}

func (g *Gateway) newServer(name string) *replicationServer {
	id := g.uuid()
	return &replicationServer{
		ID:                "HmsRemoteHbrServer:HBRSRV-" + g.uuid() + ":" + id,
		UUID:              new(id),
		Name:              new(name),
		Hostname:          new(name),
		Connected:         true,
		InternallyManaged: true,
	}
}

func (g *Gateway) servers(s *site) []replicationServer {
	list := make([]replicationServer, 0, len(s.servers))
	for _, server := range s.servers {
		shown := *server
		for _, r := range g.replications {
			if r.server == server {
				shown.ReplicationCount++
			}
		}
		list = append(list, shown)
	}
	return list
}

func (g *Gateway) listServers(c *call) {
	if s := g.siteOfVRMS(c); s != nil && g.checkSite(c, s) {
		writePage(g, c, g.servers(s), nil)
	}
}

func (g *Gateway) validatePeer(pairing string, p peer) *apiError {
	thumbprint := g.RemoteThumbprint()
	psc := p.PSC
	switch {
	case g.isSelf(pairing):
		return newAPIError("PAIRING_INVALID", "The pairing has no remote site.")
	case !strings.EqualFold(p.VCID, g.remote.vcID):
		return newAPIError("PAIR_VC_UNKNOWN", "%s is not the remote vCenter of the pairing.", p.VCID)
	case g.reconnecting:
		return newAPIError("PAIRING_BUSY", "Another operation on the pairing is in progress.")
	case psc.URL != g.remote.vcName || psc.Port != 443:
		return newAPIError("PSC_NOT_AVAILABLE", "%s:%d does not answer.", psc.URL, psc.Port)
	case psc.Thumbprint == nil && g.disconnected && g.config.Switches.NeedThumbprint,
		psc.Thumbprint != nil && !strings.EqualFold(*psc.Thumbprint, thumbprint):
		return newAPIError("CERTIFICATE_NOT_TRUSTED", "The certificate of %s is not trusted.", psc.URL)
	case psc.Username != g.config.RemoteUser || psc.Password != g.config.RemotePassword:
		return newAPIError("PSC_LOGIN_FAILED", "The login at %s failed.", psc.URL)
	}
	return nil
}

func (g *Gateway) isRemoteUnavailable() bool { return g.remoteDown || g.disconnected }

// SetPairingID changes the pairing ID, as happens when the sites are paired again. Replications are kept.
func (g *Gateway) SetPairingID(id string) {
	defer g.lock()()
	g.pairing = id
}

// IsDisconnected reports whether the pairing is disconnected.
func (g *Gateway) IsDisconnected() bool {
	defer g.lock()()
	return g.disconnected
}
