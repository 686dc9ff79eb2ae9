package group

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/provider/protection/membership"
	"terraform-provider-vsla/internal/provider/tagging/assignment"
	"terraform-provider-vsla/internal/snapservice"
)

// preview asks the appliance which VMs the planned rules match, plans the removes attribute with the answer, and warns
// about gained and lost members.
func (p *planner) preview(ctx context.Context) {
	if !p.rulesKnown {
		if p.state != nil {
			p.plan.Removes = types.ListUnknown(types.StringType)
		}
		p.warn("Members Unknown Until Apply", "Some rules are unknown until apply, so the members cannot be previewed.")
		return
	}
	group := ""
	if p.state != nil {
		group = p.state.GroupID.ValueString()
	}
	p.countPreview()
	found, err := p.client.Preview(ctx, p.plan.ClusterID.ValueString(), group, p.targets)
	if err != nil {
		failure("Preview", *p.plan, err).AddTo(p.diags)
		return
	}
	if p.state != nil {
		p.planRemoves(found)
	}
	p.warnMembers(ctx, found, group)
}

const previewWarnLimit = 20

// previewCount is the number of previews of this run.
type previewCount struct{ atomic.Int64 }

// countPreview counts a preview and warns once if there are too many.
func (p *planner) countPreview() {
	n := connection.State[previewCount](p.r.Clients).Add(1)
	if n == previewWarnLimit+1 {
		p.warn("Many Previews", fmt.Sprintf(
			"More than %d rule changes are planned. Each change requests a preview from the appliance.",
			previewWarnLimit,
		))
	}
}

// planRemoves sets the removes attribute by comparing the preview with the members in state. It does not use the
// current members, because Terraform plans again during apply and requires the same list. It skips VMs whose tags this
// run has changed. If the plan changes which objects have a tag that the rules use, the removes attribute is unknown.
func (p *planner) planRemoves(found snapservice.Preview) {
	ledger := assignment.LedgerOf(p.r.Clients)
	before, _ := p.state.Targets()
	var tags []string
	for _, rule := range slices.Concat(before.Rules, p.targets.Rules) {
		tags = append(tags, rule.Tags...)
	}
	if slices.ContainsFunc(tags, ledger.HasPlannedMove) {
		p.plan.Removes = types.ListUnknown(types.StringType)
		return
	}
	removes := stringset.Without(stringset.Strings(p.state.MemberVMIDs), snapservice.CandidateIDs(found.Included))
	removes = slices.DeleteFunc(removes, func(vm string) bool {
		return slices.ContainsFunc(tags, func(tag string) bool { return ledger.HasWritten(tag, vm) })
	})
	slices.Sort(removes)
	p.plan.Removes = stringset.ListValue(removes)
	if exceedsMax(p.plan.MaxRemoves, len(removes)) {
		p.diags.AddAttributeError(path.Root("max_removes"), "Too Many Members Would Be Removed", fmt.Sprintf(
			"The rule change removes %d members, but max_removes is %d: %s.",
			len(removes), p.plan.MaxRemoves.ValueInt64(), membership.Names(withChange(found.Excluded, "REMOVE"))))
	}
}

// exceedsMax reports whether n is more than max_removes allows. It allows any number if it is null or unknown.
func exceedsMax(maxRemoves types.Int64, n int) bool {
	return !maxRemoves.IsNull() && !maxRemoves.IsUnknown() && int64(n) > maxRemoves.ValueInt64()
}

// withChange returns the VMs that a preview lists with a change: ADD, EXISTING, REMOVE or EXCLUDE.
func withChange(list []snapservice.Candidate, change string) []snapservice.Candidate {
	return slices.DeleteFunc(slices.Clone(list), func(v snapservice.Candidate) bool { return v.Change != change })
}

// warnMembers warns about VMs that leave the group, that the appliance excludes or that belong to several groups, and
// about many new members.
func (p *planner) warnMembers(ctx context.Context, found snapservice.Preview, group string) {
	removed := withChange(found.Excluded, "REMOVE")
	p.warnList(
		fmt.Sprintf("Protection by Group %q Ends for %s", p.name(), count(len(removed), "VM")),
		removed,
		"These members do not match the new rules. Members that the account cannot read are not listed.",
	)
	excluded := withChange(found.Excluded, "EXCLUDE")
	p.warnList(
		fmt.Sprintf("Group %q Excludes %s", p.name(), count(len(excluded), "VM")),
		excluded,
		"These VMs match the rules, but the appliance excludes them. VMs that the account cannot read are not listed.",
	)
	p.warnSharedMembers(ctx, found, group)
	added := len(withChange(found.Included, "ADD"))
	present := len(withChange(found.Included, "EXISTING"))
	gainsMany := added*5 > present // more than 20%
	if p.state != nil && gainsMany {
		p.warn(
			fmt.Sprintf("Group %q Gains %s", p.name(), count(added, "Member")),
			fmt.Sprintf("Existing members that remain: %d. Each new member starts with an initial sync.", present),
		)
	}
}

// warnList adds a warning that ends with the names of the VMs. It adds none if there are no VMs.
func (p *planner) warnList(title string, vms []snapservice.Candidate, detail string) {
	if len(vms) > 0 {
		p.warn(title, detail+"\n\n"+membership.Names(vms)+".")
	}
}

// warnSharedMembers warns about planned members that are also members of other groups.
func (p *planner) warnSharedMembers(ctx context.Context, found snapservice.Preview, group string) {
	var otherGroups []string
	shared := slices.DeleteFunc(slices.Clone(found.Included), func(v snapservice.Candidate) bool {
		ids := membership.OtherGroups(v, group)
		otherGroups = stringset.Union(otherGroups, ids)
		return len(ids) == 0
	})
	if len(shared) == 0 {
		return
	}
	groups, err := p.client.Groups(ctx, p.plan.ClusterID.ValueString(), snapservice.Shared)
	if err != nil {
		failure("Read", *p.plan, err).AddTo(p.diags)
		return
	}
	var names []string
	for _, g := range groups {
		if slices.Contains(otherGroups, g.ID) {
			names = append(names, strings.TrimSuffix(summary(p.plan.ClusterID.ValueString(), g), "."))
		}
	}
	p.warn(fmt.Sprintf("Group %q Shares %s With Other Groups", p.name(), count(len(shared), "Member")),
		"The API does not document which RPO applies to them. "+
			strings.Join(names, "; ")+".\n\n"+membership.Names(shared)+".")
}
