// Datastores and storage policies of the target: files, seeds and compliance.

package gateway

import (
	"encoding/json"
	"net/http"
	"path"
	"slices"
	"strings"
)

// datastoreOf finds the datastore in the path, or answers 404.
func (g *Gateway) datastoreOf(c *call, s *site) (datastore, bool) {
	list := g.datastores(s)
	if i := slices.IndexFunc(list, func(d datastore) bool { return d.ID == c.r.PathValue("datastore_id") }); i >= 0 {
		return list[i], true
	}
	g.empty(c, http.StatusNotFound)
	return datastore{}, false
}

// browse lists the files of replicas, and the folders of VMs.
func (g *Gateway) browse(c *call) {
	s := g.vcenter(c)
	if s == nil {
		return
	}
	d, ok := g.datastoreOf(c, s)
	if !ok {
		return
	}
	if err := g.bodies.check(c, browseBody); err != nil {
		g.bad(c, err.Error())
		return
	}
	var ask struct {
		Kind       string `json:"query_type"`
		Path       string `json:"browse_path"`
		SubFolders bool   `json:"sub_folders"`
	}
	if err := json.Unmarshal(c.body, &ask); err != nil {
		g.bad(c, err.Error())
		return
	}
	list := []browseResult{}
	seen := map[string]bool{}
	for _, file := range g.filesOn(d.ID) {
		folder, name := path.Split(file)
		folder = strings.TrimSuffix(folder, "/")
		switch {
		case ask.Kind == "FOLDERS" && ask.Path == "" && !seen[folder]:
			seen[folder] = true
			list = append(list, browseResult{Name: folder, Path: "[" + d.Name + "] " + folder, FileType: "FOLDER"})
		case (ask.Kind == "VM_DISK" || ask.Kind == "ALL_FILES") &&
			(folder == ask.Path || ask.SubFolders && strings.HasPrefix(folder, ask.Path)):
			list = append(list, browseResult{Name: name, Path: "[" + d.Name + "] " + file, FileType: "VM_DISK"})
		}
	}
	page(g, c, list, nil)
}

// findSeeds finds the disks that lie at the target under the name of a VM's disk.
func (g *Gateway) findSeeds(c *call) {
	s := g.vcenter(c)
	if s == nil {
		return
	}
	d, ok := g.datastoreOf(c, s)
	if !ok {
		return
	}
	if err := g.bodies.check(c, seedsBody); err != nil {
		g.bad(c, err.Error())
		return
	}
	var ask []struct {
		Disk diskIdentifier `json:"vm_disk"`
		Path *string        `json:"destination_path"`
	}
	if err := json.Unmarshal(c.body, &ask); err != nil {
		g.bad(c, err.Error())
		return
	}
	list := []foundSeeds{}
	for _, one := range ask {
		found := foundSeeds{Disk: one.Disk, Found: []string{}}
		want := g.fileOf(one.Disk)
		for _, file := range g.filesOn(d.ID) {
			if path.Base(file) == want && (one.Path == nil || strings.HasPrefix(file, *one.Path)) {
				found.Found = append(found.Found, file)
			}
		}
		list = append(list, found)
	}
	all(g, c, list, nil)
}

// fileOf is the name of a disk's file, empty when there is no such disk.
func (g *Gateway) fileOf(id diskIdentifier) string {
	m, ok := g.local.vc.VMState(moid(id.VMID))
	if !ok || id.DeviceKey == nil {
		return ""
	}
	for _, disk := range g.disksOf(g.local, m) {
		if disk.key() == *id.DeviceKey && !disk.IsVMHome {
			return *disk.SourcePath.Filename
		}
	}
	return ""
}

func (g *Gateway) listPolicies(c *call) {
	if s := g.vcenter(c); s != nil {
		page(g, c, s.policies, nil)
	}
}

// checkCompliance finds every datastore good for every policy but the encrypting one.
func (g *Gateway) checkCompliance(c *call) {
	s := g.vcenter(c)
	if s == nil {
		return
	}
	i := slices.IndexFunc(s.policies, func(p storagePolicy) bool { return p.ID == c.r.PathValue("storage_policy_id") })
	if i < 0 {
		g.empty(c, http.StatusNotFound)
		return
	}
	if err := g.bodies.check(c, idsBody); err != nil {
		g.bad(c, err.Error())
		return
	}
	var ids []string
	if err := json.Unmarshal(c.body, &ids); err != nil {
		g.bad(c, err.Error())
		return
	}
	list := []compliance{}
	for _, id := range ids {
		result := compliance{PolicyID: s.policies[i].ID, Datastore: id, Compliant: !s.policies[i].Encryption}
		if !result.Compliant {
			result.Message = new("The datastore offers no encryption.")
		}
		list = append(list, result)
	}
	all(g, c, list, nil)
}
