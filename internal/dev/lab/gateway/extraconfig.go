package gateway

import (
	"strconv"

	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

func (g *Gateway) writeExtraConfig(r *replication) {
	settings := map[string]string{
		"hbr_filter.gid":            "",
		"hbr_filter.destination":    "",
		"hbr_filter.rpo":            "",
		"hbr_filter.quiesce":        "",
		"hbr_filter.netCompression": "",
		"hbr_filter.netEncryption":  "",
		"hbr_filter.pause":          "",
	}
	if !r.deleted {
		if r.server.Name != nil {
			settings["hbr_filter.destination"] = *r.server.Name
		}
		settings["hbr_filter.gid"] = vcsim.ReplicationID(moidOf(r.vmID))
		settings["hbr_filter.rpo"] = strconv.FormatInt(r.spec.RPO, 10)
		settings["hbr_filter.quiesce"] = strconv.FormatBool(r.spec.Quiesce)
		settings["hbr_filter.netCompression"] = strconv.FormatBool(r.spec.NetworkCompression)
		settings["hbr_filter.netEncryption"] = strconv.FormatBool(r.spec.Encryption)
		settings["hbr_filter.pause"] = strconv.FormatBool(r.engine.Paused())
	}
	_ = g.local.vc.SetExtraConfig(moidOf(r.vmID), settings) // ignore deleted VMs
}
