package group

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/provider/protection/membership"
	"terraform-provider-vsla/internal/provider/tagging/tagledger"
	"terraform-provider-vsla/internal/snapservice"
)

// preview asks the appliance for the future members and plans removes.
func (p *planner) preview(ctx context.Context) {
	if !p.known {
		if p.state != nil {
			p.plan.Removes = types.ListUnknown(types.StringType)
		}
		p.warn("Members Not Known Yet", "A part of the rules is only known after apply, so the members cannot be previewed.")
		return
	}
	group := ""
	if p.state != nil {
		group = p.state.GroupID.ValueString()
	}
	if n := connection.State[previews](p.r.Clients).Add(1); n == manyPreviews+1 {
		p.warn("Many Previews", fmt.Sprintf(
			"More than %d changes of rules are planned. Each of them asks the appliance for a preview.", manyPreviews))
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

// planRemoves compares the preview with the members in state, because Terraform plans again during apply and requires
// the same list. It skips VMs whose tags this run has changed. If a tag of the rules is about to change, removes is
// unknown.
func (p *planner) planRemoves(found snapservice.Preview) {
	ledger := connection.State[tagledger.Ledger](p.r.Clients)
	before, _ := p.state.Targets()
	var tags []string
	for _, rule := range slices.Concat(before.Rules, p.targets.Rules) {
		tags = append(tags, rule.Tags...)
	}
	if slices.ContainsFunc(tags, ledger.Moves) {
		p.plan.Removes = types.ListUnknown(types.StringType)
		return
	}
	removes := stringset.Without(stringset.Strings(p.state.MemberVMIDs), snapservice.IDs(found.Included))
	removes = slices.DeleteFunc(removes, func(vm string) bool {
		return slices.ContainsFunc(tags, func(tag string) bool { return ledger.Wrote(tag, vm) })
	})
	slices.Sort(removes)
	p.plan.Removes = stringset.List(removes)
	if most := p.plan.MaxRemoves; !most.IsNull() && !most.IsUnknown() && int64(len(removes)) > most.ValueInt64() {
		p.diags.AddAttributeError(path.Root("max_removes"), "Too Many Members Would Be Removed", fmt.Sprintf(
			"The change of the rules removes %d members, and max_removes allows %d: %s.",
			len(removes), most.ValueInt64(), membership.Names(changed(found.Excluded, "REMOVE"))))
	}
}

func changed(list []snapservice.Candidate, change string) []snapservice.Candidate {
	return slices.DeleteFunc(slices.Clone(list), func(v snapservice.Candidate) bool { return v.Change != change })
}

// warnMembers warns about VMs that leave, are excluded or belong to other groups, and about many additions.
func (p *planner) warnMembers(ctx context.Context, found snapservice.Preview, group string) {
	for _, list := range []struct {
		vms           []snapservice.Candidate
		title, detail string
	}{
		{
			changed(found.Excluded, "REMOVE"), "Protection of Group %q Ends for %s",
			"The new rules do not name them. Members that the account may not read are not in this list.",
		},
		{
			changed(found.Excluded, "EXCLUDE"), "Group %q Excludes %s",
			"The rules name them, and the appliance excludes them. VMs that the account may not read are not in this list.",
		},
	} {
		if len(list.vms) > 0 {
			p.warn(fmt.Sprintf(list.title, p.name(), count(len(list.vms), "VM")),
				list.detail+"\n\n"+membership.Names(list.vms)+".")
		}
	}
	p.warnOthers(ctx, found, group)
	added, present := len(changed(found.Included, "ADD")), len(changed(found.Included, "EXISTING"))
	if p.state != nil && added*5 > present {
		p.warn(fmt.Sprintf("Group %q Gains %s", p.name(), count(added, "Member")),
			fmt.Sprintf("It has %d that stay. Each new member begins with an initial sync.", present))
	}
}

// warnOthers warns about members that also belong to other groups, and lists the RPOs of these groups.
func (p *planner) warnOthers(ctx context.Context, found snapservice.Preview, group string) {
	var others []string
	shared := slices.DeleteFunc(slices.Clone(found.Included), func(v snapservice.Candidate) bool {
		ids := membership.Others(v, group)
		others = stringset.Union(others, ids)
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
		if slices.Contains(others, g.ID) {
			names = append(names, strings.TrimSuffix(summary(p.plan.ClusterID.ValueString(), g), "."))
		}
	}
	p.warn(fmt.Sprintf("Group %q Shares %s With Other Groups", p.name(), count(len(shared), "Member")),
		"Which RPO counts for them is not documented. "+strings.Join(names, "; ")+".\n\n"+membership.Names(shared)+".")
}
