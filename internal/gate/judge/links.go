package judge

import (
	"reflect"
	"slices"

	"terraform-provider-vsla/internal/gate/finding"
	"terraform-provider-vsla/internal/gate/tfplan"
)

const typeReplicationLink = "vsla_replication_link"

// checkMeasured checks that a data source of the plan reports what is said to be measured.
func (j *judge) checkMeasured(p part) {
	m := p.measured()
	if m == nil || slices.ContainsFunc(j.plan.Results(typeReplicationLink), func(r *tfplan.Resource) bool {
		for name, value := range m {
			if !reflect.DeepEqual(value, r.Values[name]) {
				return false
			}
		}
		return true
	}) {
		return
	}
	j.add(finding.OutOfBounds, p.subject, p.address, "has measured = %s, which no %s of the plan reports: refer to "+
		"it, instead of writing values", show(m), typeReplicationLink)
}

// measured returns what the appliances measured of a link; nil if its throughput has another source.
func (p part) measured() map[string]any {
	m, _ := p.values["measured"].(map[string]any)
	return m
}

// bases orders what is known about a throughput, from the least to the most.
var bases = []string{"", "nominal", "network", "transfer"}

// checkBasis checks that the plan does not claim better evidence of a throughput than the settings.
func (j *judge) checkBasis(p part) {
	stated := basisOf(p)
	allowed, says := "nominal", "without "+p.basisKey()+", the settings allow at most nominal ("+p.bounds.Where+")"
	for _, limit := range p.bounds.Limits {
		if name, ok := limit.Value.(string); ok && (limit.Name == "basis" || limit.Name == "throughput_basis") {
			allowed, says = name, "the settings allow at most "+name+" ("+limit.Where+")"
		}
	}
	if slices.Index(bases, stated) > slices.Index(bases, allowed) {
		j.add(finding.OutOfBounds, p.subject, p.address, "has throughput_basis = %s; %s", stated, says)
	}
}

// basisKey returns the key of the settings that bounds the basis of a throughput.
func (p part) basisKey() string {
	if p.path == "links" {
		return "basis"
	}
	return "throughput_basis"
}

func basisOf(p part) string {
	if p.measured() != nil {
		return "network"
	}
	stated, _ := p.values["throughput_basis"].(string)
	return stated
}
