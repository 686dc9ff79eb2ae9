package gateway

import (
	"net/http"
	"path"
	"slices"
	"strings"
)

// findSeeds returns the disk files of a datastore that can be the seed of each disk, by their names.
func (g *Gateway) findSeeds(c *call) {
	s := g.vcenter(c)
	if s == nil {
		return
	}
	d, ok := g.datastoreOf(c, s)
	if !ok {
		return
	}
	var ask []struct {
		Disk diskIdentifier `json:"vm_disk"`
		Path *string        `json:"destination_path"`
		// Wildcard has no effect, but its type is checked.
		Wildcard bool `json:"use_wildcard"`
	}
	if !g.decodeBody(c, &ask) {
		return
	}
	list := []foundSeeds{}
	for _, one := range ask {
		found := foundSeeds{Disk: one.Disk, Found: []string{}}
		want := g.fileOf(one.Disk)
		for _, file := range g.filesOn(d.ID) {
			isBelow := one.Path == nil || strings.HasPrefix(file, *one.Path)
			if isBelow && path.Base(file) == want {
				found.Found = append(found.Found, file)
			}
		}
		list = append(list, found)
	}
	writeAll(g, c, list)
}

func (g *Gateway) listPolicies(c *call) {
	if s := g.vcenter(c); s != nil {
		writePage(g, c, s.policies, nil)
	}
}

// checkCompliance reports which datastores comply with a storage policy.
func (g *Gateway) checkCompliance(c *call) {
	s := g.vcenter(c)
	if s == nil {
		return
	}
	i := slices.IndexFunc(s.policies, func(p storagePolicy) bool { return p.ID == c.r.PathValue("storage_policy_id") })
	if i < 0 {
		g.writeStatus(c, http.StatusNotFound)
		return
	}
	var ids []string
	if !g.decodeBody(c, &ids) {
		return
	}
	policy := s.policies[i]
	list := []compliance{}
	for _, id := range ids {
		// No datastore of the lab offers encryption.
		result := compliance{PolicyID: policy.ID, Datastore: id, Compliant: !policy.Encryption}
		if !result.Compliant {
			result.Message = new("The datastore offers no encryption.")
		}
		list = append(list, result)
	}
	writeAll(g, c, list)
}
