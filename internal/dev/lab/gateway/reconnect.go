package gateway

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
	var p peer
	if !g.decodeBody(c, &p) {
		return
	}
	pairing := c.r.PathValue("pairing_id")
	if g.rejectInvalid(c, pairing, g.remote.vrmsName, g.validatePeer(pairing, p)) {
		return
	}
	g.writeTask(c, g.reconnection(pairing))
}

func (g *Gateway) reconnection(pairing string) *task {
	g.reconnecting = true
	return g.newTask("reconnectVrPairing", pairing, g.remote.vrmsName, nil, func(*task, TaskRule) {
		g.reconnecting = false
		g.disconnected = false
		g.setLink()
	}, func() { g.reconnecting = false })
}

func (g *Gateway) setLink() {
	link := g.config.Link
	if g.isRemoteUnavailable() {
		link = 0
	}
	g.engine.SetLink(link)
}

// BreakPairing disconnects the sites, as happens when the certificate of the remote site changes. Until the pairing is
// reconnected, no data is transferred and requests that need the remote site fail.
func (g *Gateway) BreakPairing() {
	defer g.lock()()
	g.tick()
	g.disconnected = true
	g.setLink()
}

// StartReconnect starts reconnecting the pairing, as another client would. It completes only when the virtual clock
// advances.
func (g *Gateway) StartReconnect() {
	defer g.lock()()
	g.tick()
	g.reconnection(g.pairing)
}

// RemoteThumbprint returns the certificate thumbprint of the remote vCenter.
func (g *Gateway) RemoteThumbprint() string { return g.remote.certificate(g.remote.vcName).Thumbprint }
