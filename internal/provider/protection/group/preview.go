package group

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/provider/protection/membership"
	"terraform-provider-vsla/internal/provider/tagging/assignment"
	"terraform-provider-vsla/internal/snapservice"
)

const previewWarnLimit = 20

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
	if n := connection.State[previewCount](p.r.Clients).Add(1); n == previewWarnLimit+1 {
		p.warn("Many Previews", fmt.Sprintf(
			"More than %d rule changes are planned. Each change requests a preview from the "+
				"appliance.", previewWarnLimit))
	}
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
	maxRemoves := p.plan.MaxRemoves
	if !maxRemoves.IsNull() && !maxRemoves.IsUnknown() && int64(len(removes)) > maxRemoves.ValueInt64() {
		p.diags.AddAttributeError(path.Root("max_removes"), "Too Many Members Would Be Removed", fmt.Sprintf(
			"The rule change removes %d members, but max_removes is %d: %s.",
			len(removes), maxRemoves.ValueInt64(), membership.Names(withChange(found.Excluded, "REMOVE"))))
	}
}

func withChange(list []snapservice.Candidate, change string) []snapservice.Candidate {
	return slices.DeleteFunc(slices.Clone(list), func(v snapservice.Candidate) bool { return v.Change != change })
}

func (p *planner) warnMembers(ctx context.Context, found snapservice.Preview, group string) {
	for _, list := range []struct {
		vms           []snapservice.Candidate
		title, detail string
	}{
		{
			withChange(found.Excluded, "REMOVE"), "Protection by Group %q Ends for %s",
			"These members do not match the new rules. Members that the account cannot read are not listed.",
		},
		{
			withChange(found.Excluded, "EXCLUDE"), "Group %q Excludes %s",
			"These VMs match the rules, but the appliance excludes them. VMs that the account cannot read are not " +
				"listed.",
		},
	} {
		if len(list.vms) > 0 {
			p.warn(fmt.Sprintf(list.title, p.name(), count(len(list.vms), "VM")),
				list.detail+"\n\n"+membership.Names(list.vms)+".")
		}
	}
	p.warnSharedMembers(ctx, found, group)
	added := len(withChange(found.Included, "ADD"))
	present := len(withChange(found.Included, "EXISTING"))
	if p.state != nil && added*5 > present {
		p.warn(fmt.Sprintf("Group %q Gains %s", p.name(), count(added, "Member")),
			fmt.Sprintf("Existing members that remain: %d. Each new member starts with an initial sync.", present))
	}
}
