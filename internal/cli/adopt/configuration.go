package adopt

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/wording"
)

// Configuration is a Terraform configuration that imports existing tags and replications.
type Configuration struct {
	// TierCategory is the tag category whose tags are the tiers. If it is empty, there are no tiers.
	TierCategory string
	Tiers        []Tier
	// Disagreements lists the replications whose RPO differs from their tier's RPO, and the replicated VMs with several
	// tiers.
	Disagreements []Disagreement

	vcenter    string
	categories []vsphere.Category
	// tags maps category names to tag names, and tag names to descriptions.
	tags         map[string]map[string]string
	vms          map[string]*vm
	others       []otherObjects
	associations map[string]string
	imports      map[string]string
	// associationCount and replicationCount count the objects. Each of them must have an import of its own.
	associationCount, replicationCount int

	defaults  settings
	omissions omissions
}

// Tier is a tag of the tier category.
type Tier struct {
	Name, Description string
	// RPOMinutes is the most frequent RPO of the tier's replications, or 0 if there are none.
	RPOMinutes                 int64
	VMs, Replications, WithRPO int
}

// Disagreement describes a VM whose replication and tags disagree.
type Disagreement struct {
	VM, Tags       string
	RPOMinutes     int64
	TierRPOMinutes int64
}

type vm struct {
	ID          string              `json:"id"`
	Tier        string              `json:"tier,omitempty"`
	Tags        map[string][]string `json:"tags,omitempty"`
	Replication settings            `json:"replication,omitzero"`
}

type otherObjects struct {
	Category string   `json:"category"`
	Tag      string   `json:"tag"`
	Type     string   `json:"type"`
	IDs      []string `json:"ids"`
}

// Configure creates a configuration that imports the objects in the reading.
func (r *Reading) Configure() Configuration {
	c := Configuration{
		TierCategory: r.tierCategory,
		vcenter:      r.vcenter,
		categories:   r.categories,
		tags:         make(map[string]map[string]string),
		vms:          make(map[string]*vm),
		associations: make(map[string]string),
		imports:      make(map[string]string),
		omissions:    maps.Clone(r.omissions),
	}
	for id := range r.vms {
		c.vms[id] = &vm{ID: id}
	}
	for _, category := range r.categories {
		c.tags[category.Name] = make(map[string]string)
	}
	for _, tag := range r.tags {
		c.tags[tag.Category][tag.Name] = tag.Description
	}
	c.addAssociations(r)
	c.setTiers()
	c.addReplications(r)
	maps.DeleteFunc(c.vms, func(_ string, v *vm) bool {
		return len(v.Tags) == 0 && v.Tier == "" && v.Replication == nil
	})
	c.renameVMs(r)
	return c
}

func (c *Configuration) addAssociations(r *Reading) {
	for _, tag := range r.tags {
		byType := make(map[string][]string)
		for _, o := range r.objects[tag.ID] {
			byType[o.Type] = append(byType[o.Type], o.ID)
		}
		c.addVMTags(r, tag, byType[vmType])
		delete(byType, vmType)
		for _, kind := range slices.Sorted(maps.Keys(byType)) {
			slices.SortFunc(byType[kind], compareIDs)
			if r.scope.selectsVMs() {
				c.omissions.add("objects of other types than VMs, because --folder, --cluster or --name is set",
					tag.Path()+" "+kind)
				continue
			}
			c.others = append(c.others, otherObjects{tag.Category, tag.Name, kind, byType[kind]})
			c.addAssociation(tag.ID+"/"+kind, tag.Category, tag.Name, kind)
		}
	}
}

// addAssociation imports an association under the key that tags.tf composes from the same names.
func (c *Configuration) addAssociation(id string, names ...string) {
	escape := strings.NewReplacer("%", "%25", "/", "%2F")
	parts := make([]string, 0, len(names))
	for _, name := range names {
		parts = append(parts, escape.Replace(name))
	}
	c.associations[strings.Join(parts, "/")] = id
	c.associationCount++
}

func (c *Configuration) addVMTags(r *Reading, tag vsphere.NamedTag, tagged []string) {
	var adopted []string
	for _, id := range tagged {
		v, ok := c.vms[id]
		if !ok {
			continue
		}
		adopted = append(adopted, id)
		if v.Tags == nil {
			v.Tags = make(map[string][]string)
		}
		v.Tags[tag.Category] = append(v.Tags[tag.Category], tag.Name)
	}
	if len(adopted) == 0 {
		return
	}
	slices.SortFunc(adopted, compareIDs)
	id := tag.ID + "/" + vmType
	if others := len(tagged) - len(adopted); others > 0 {
		// List the IDs. Otherwise, the import would manage every object that has the tag, and the plan would detach the
		// tag from the objects that are not listed.
		id += "/" + strings.Join(adopted, ",")
		reason := "tags on VMs that this user cannot see; they stay attached"
		if r.scope.selectsVMs() {
			reason = "tags on VMs that --folder, --cluster or --name excludes; they stay attached"
		}
		c.omissions.add(reason, tag.Path()+" on "+wording.Count(others, "VM"))
	}
	c.addAssociation(id, tag.Category, tag.Name)
}

func (c *Configuration) setTiers() {
	for name, description := range c.tags[c.TierCategory] {
		c.Tiers = append(c.Tiers, Tier{Name: name, Description: description})
	}
	slices.SortFunc(c.Tiers, func(a, b Tier) int { return cmp.Compare(a.Name, b.Name) })
	for _, v := range c.vms {
		if tiers := v.Tags[c.TierCategory]; len(tiers) == 1 {
			v.Tier = tiers[0]
			delete(v.Tags, c.TierCategory)
			c.findTier(v.Tier).VMs++
		}
	}
}

func (c *Configuration) findTier(name string) *Tier {
	i, ok := slices.BinarySearchFunc(c.Tiers, name, func(t Tier, name string) int { return cmp.Compare(t.Name, name) })
	if !ok {
		return nil
	}
	return &c.Tiers[i]
}

func (c *Configuration) addReplications(r *Reading) {
	all := make([]settings, 0, len(r.replications))
	rpos := make(map[string]map[int64]int)
	for _, one := range r.replications {
		all = append(all, settingsOf(one))
		tier := c.vms[one.moid()].Tier
		if rpos[tier] == nil {
			rpos[tier] = make(map[int64]int)
		}
		rpos[tier][one.RPOMinutes]++
	}
	for i := range c.Tiers {
		t := &c.Tiers[i]
		for _, rpo := range slices.Sorted(maps.Keys(rpos[t.Name])) {
			n := rpos[t.Name][rpo]
			t.Replications += n
			if n > t.WithRPO { // in a tie, the shorter RPO wins
				t.RPOMinutes, t.WithRPO = rpo, n
			}
		}
	}
	c.defaults = mostFrequent(all)
	for i, one := range r.replications {
		v := c.vms[one.moid()]
		v.Replication = all[i].difference(c.defaults)
		switch tier := c.findTier(v.Tier); {
		case tier == nil:
			v.Replication[rpoMinutes] = one.RPOMinutes
			if tiers := v.Tags[c.TierCategory]; len(tiers) > 1 {
				c.addDisagreement(r, one, Disagreement{Tags: strings.Join(tiers, ", ")})
			}
		case tier.RPOMinutes != one.RPOMinutes:
			v.Replication[rpoMinutes] = one.RPOMinutes
			c.addDisagreement(r, one, Disagreement{Tags: tier.Name, TierRPOMinutes: tier.RPOMinutes})
		}
	}
}

func (c *Configuration) addDisagreement(r *Reading, one replication, d Disagreement) {
	d.VM, d.RPOMinutes = r.vms[one.moid()], one.RPOMinutes
	c.Disagreements = append(c.Disagreements, d)
}

// renameVMs changes the keys of VMs from IDs to names. If several VMs share a name, their keys also contain the ID.
func (c *Configuration) renameVMs(r *Reading) {
	count := make(map[string]int)
	for id := range c.vms {
		count[r.vms[id]]++
	}
	named := make(map[string]*vm, len(c.vms))
	keys := make(map[string]string, len(c.vms))
	for _, id := range slices.SortedFunc(maps.Keys(c.vms), compareIDs) {
		key := r.vms[id]
		if key == "" || count[key] > 1 {
			key = strings.TrimSpace(key + " (" + id + ")")
		}
		for named[key] != nil {
			key += " (" + id + ")"
		}
		named[key], keys[id] = c.vms[id], key
	}
	c.vms, c.replicationCount = named, len(r.replications)
	for _, one := range r.replications {
		c.imports[keys[one.moid()]] = one.pairing + "/" + one.ID
	}
}

const (
	rpoMinutes = "rpo_minutes"
	disks      = "disks"
)

type settings map[string]any

func settingsOf(r replication) settings {
	s := settings{
		"pairing_id":               r.pairing,
		"target_datastore_id":      r.placement.DatastoreID,
		"target_storage_policy_id": orNull(r.placement.PolicyID),
		"disk_format":              orNull(r.placement.Format),
		"network_compression":      r.Compression,
		"network_encryption":       nil,
		"enhanced_replication":     nil,
		"quiesce_guest":            r.Quiescing,
		"auto_replicate_new_disks": r.AutoReplicate,
		"replicate_vm_data_sets":   r.DataSets,
		"point_in_time":            nil,
		disks:                      nil,
	}
	if encryption := r.Encryption.Ptr(); encryption != nil {
		s["network_encryption"] = *encryption
	}
	if enhanced := r.Enhanced.Ptr(); enhanced != nil {
		s["enhanced_replication"] = *enhanced
	}
	if r.PointInTime {
		s["point_in_time"] = map[string]int64{"instances_per_day": r.InstancesPerDay, "days": r.InstanceDays}
	}
	if len(r.placement.Disks) > 0 {
		places := make(map[string]settings, len(r.placement.Disks))
		for name, d := range r.placement.Disks {
			place := settings{}
			if !d.Replicated {
				place["enabled"] = false
			}
			if d.DatastoreID != "" {
				place["target_datastore_id"] = d.DatastoreID
			}
			if d.PolicyID != "" {
				place["storage_policy_id"] = d.PolicyID
			}
			if d.Format != "" {
				place["disk_format"] = d.Format
			}
			places[name] = place
		}
		s[disks] = places
	}
	return s
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// mostFrequent returns the most frequent value of each setting. In a tie, it chooses the value whose JSON text sorts
// first. It omits disks, because they differ between VMs.
func mostFrequent(all []settings) settings {
	common := settings{}
	if len(all) == 0 {
		return common
	}
	for name := range all[0] {
		count := make(map[string]int)
		values := make(map[string]any)
		for _, s := range all {
			text := wording.EncodeJSON(s[name])
			count[text]++
			values[text] = s[name]
		}
		best := ""
		for _, text := range slices.Sorted(maps.Keys(count)) {
			if count[text] > count[best] {
				best = text
			}
		}
		common[name] = values[best]
	}
	common[disks] = nil
	return common
}

func (s settings) difference(common settings) settings {
	differing := settings{}
	for name, value := range s {
		if wording.EncodeJSON(value) != wording.EncodeJSON(common[name]) {
			differing[name] = value
		}
	}
	return differing
}
