package vcsim

import (
	"fmt"
	"net/http"
	"time"

	"terraform-provider-vsla/internal/dev/lab/tagging"
)

const topologyPath = "/api/vcenter/topology/nodes"

func (v *VCenter) link(first *VCenter) {
	all := append([]*VCenter{first}, first.partners...)
	for _, p := range all {
		v.tags.Link(p.tags, v.clock.now, time.Minute)
		p.partners = append(p.partners, v)
	}
	v.partners = all
}

func (v *VCenter) node() string { return fmt.Sprintf("vc%d.lab", v.config.Site+1) }

func (v *VCenter) serveTopology(w http.ResponseWriter, r *http.Request) {
	switch {
	case !v.tags.HasAPI() || r.Method != http.MethodGet:
		tagging.NoSuchOperation(w, r)
		return
	case !v.sessions.valid(r):
		v.sessions.refuse(w, r)
		return
	}
	nodes := append([]*VCenter{v}, v.partners...)
	list := make([]map[string]any, 0, len(nodes))
	for _, n := range nodes {
		node := map[string]any{"node": n.node(), "type": "VCSA_EMBEDDED"}
		partners := []string{}
		for _, p := range nodes {
			if p != n {
				partners = append(partners, p.node())
			}
		}
		node["replication_partners"] = partners
		list = append(list, node)
	}
	tagging.Answer(w, tagging.API, http.StatusOK, list)
}
