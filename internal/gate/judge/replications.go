package judge

import (
	"terraform-provider-vsla/internal/gate/finding"
	"terraform-provider-vsla/internal/gate/protection"
	"terraform-provider-vsla/internal/gate/settings"
	"terraform-provider-vsla/internal/gate/tfplan"
)

// promised is the RPO that a VM is promised, and the one that the plan was computed with.
type promised struct {
	rpo, configured float64
	tier            string
}

// replicated is a VM, with the pairing of its replication if only that is meant.
type replicated struct{ id, pairing string }

// strictest returns the strictest promise of a VM that is replicated with a pairing.
func (all promises) strictest(vm, pairing string) (promised, bool) {
	p, known := all[replicated{vm, ""}]
	if own, ok := all[replicated{vm, pairing}]; ok && pairing != "" && (!known || own.rpo < p.rpo) {
		return own, true
	}
	return p, known
}

// promisesByVM returns the strictest promise of each VM: that of its tier, of its tag, or of vsla_sla_compliance.
// The promises of vsla_sla_compliance are for one pairing.
func (j *judge) promisesByVM() promises {
	all := make(promises)
	j.addPromisesOfTiers(all)
	j.addPromisesOfTags(all)
	j.addPromisesOfCompliance(all)
	return all
}

// promises are the strictest promises of VMs.
type promises map[replicated]promised

// add adds a promise of a VM if it is the strictest so far.
func (all promises) add(vm replicated, p promised) {
	if was, known := all[vm]; vm.id != "" && p.rpo > 0 && (!known || p.rpo < was.rpo) {
		all[vm] = p
	}
}

func (j *judge) addPromisesOfTiers(all promises) {
	for _, t := range j.tiers {
		configured := t.is.Configured
		if !configured.Set {
			configured = t.result.Suggested
		}
		if limit, bounded := j.settings.For(t.name); bounded && t.is.RPO.Set && limit.RPO > 0 {
			for _, m := range t.members {
				all.add(replicated{m.id, ""}, promised{min(t.is.RPO.V, limit.RPO), configured.V, t.name})
			}
		}
	}
}

func (j *judge) addPromisesOfTags(all promises) {
	for _, h := range j.table.Holders {
		if rpo, ok := j.promiseOf(h.Tag.Path()); ok {
			_, name := cut(h.Tag.Path())
			for id := range h.VMs {
				all.add(replicated{id, ""}, promised{rpo, 0, name})
			}
		}
	}
}

func (j *judge) addPromisesOfCompliance(all promises) {
	for _, r := range j.plan.Results(typeCompliance) {
		is, err := tfplan.Decode[compliance](r.Values)
		if err != nil {
			continue // judged with the result
		}
		for id, vm := range is.VMs.V {
			if limit, bounded := j.settings.For(vm.Tier.V); bounded && vm.Promised.Set && limit.RPO > 0 {
				all.add(replicated{id, is.Pairing.V}, promised{min(vm.Promised.V, limit.RPO), 0, vm.Tier.V})
			}
		}
	}
}

// checkReplications compares the RPO of each replication and each group with the promise of its VM. A VM without a tier
// is bounded by "*".
func (j *judge) checkReplications() {
	all := j.promisesByVM()
	general := j.settings.Promises[settings.AllOthers].RPO
	for _, r := range j.table.Replications {
		if !r.RPO.Set {
			continue // has its own finding
		}
		p, known := all.strictest(r.VM, r.Pairing)
		if !known {
			p = promised{rpo: general, tier: settings.AllOthers}
		}
		j.checkReplication(r, p)
	}
	j.checkGroups(all, general)
}

func (j *judge) checkReplication(r protection.Replication, p promised) {
	switch {
	case p.rpo == 0:
		j.add(finding.NoPromise, r.VM, r.Address, "is replicated, but nothing states its promise: "+
			"count it in a tier, or write promises with \"*\" and max_rpo_minutes")
	case r.RPO.V > p.rpo:
		j.add(finding.Weaker, r.VM, r.Address, "has an RPO of %v minutes; tier %s promises %v", r.RPO.V, p.tier, p.rpo)
	}
	if p.configured > 0 && r.RPO.V > p.configured {
		j.add(finding.AbovePlan, r.VM, r.Address, "has an RPO of %v minutes; the plan was computed with %v for tier %s",
			r.RPO.V, p.configured, p.tier)
	}
}

// checkGroups compares the RPO of each group with the strictest promise of its VMs.
func (j *judge) checkGroups(all promises, general float64) {
	for _, g := range j.table.Groups {
		least, found := general, general > 0
		for _, vm := range g.VMs {
			if p, known := all.strictest(vm, ""); known && (!found || p.rpo < least) {
				least, found = p.rpo, true
			}
		}
		switch {
		case !found && g.New:
			j.add(finding.NoPromise, g.Address, g.Address, "replicates, but nothing states its promise: "+
				"write promises with \"*\" and max_rpo_minutes")
		case found && g.RPO > least:
			j.add(finding.Weaker, g.Address, g.Address, "has an RPO of %v minutes; its promise is %v", g.RPO, least)
		}
	}
}
