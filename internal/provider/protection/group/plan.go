package group

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/resume"
	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/provider/protection/membership"
	"terraform-provider-vsla/internal/provider/tagging/assignment"
	"terraform-provider-vsla/internal/snapservice"
	"terraform-provider-vsla/internal/vsphere/privilege"
)

// ModifyPlan plans the removes attribute and rejects changes that the appliance would reject.
func (r *groupResource) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	if !req.State.Raw.IsNull() && !resp.Diagnostics.HasError() {
		var state model
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		if req.Plan.Raw.IsNull() {
			r.warnMoved(state, false, &resp.Diagnostics)
		}
		if req.Plan.Raw.IsNull() || slices.ContainsFunc(resp.RequiresReplace, path.Root("cluster_id").Equal) {
			checkDestroy(state, &resp.Diagnostics)
		}
	}
	resume.ModifyPlan(ctx, req, resp, func(plan, state *model) {
		p := planner{r: r, plan: plan, state: state, diags: &resp.Diagnostics}
		if state == nil {
			r.warnMoved(*plan, true, &resp.Diagnostics)
		}
		p.run(ctx)
	})
}

// warnMoved warns if the group moves to another address without a moved block.
func (r *groupResource) warnMoved(m model, create bool, diags *diag.Diagnostics) {
	if r.Clients != nil && !m.ClusterID.IsUnknown() && !m.Name.IsUnknown() {
		connection.State[resume.Moves](r.Clients).Warn(typeName, m.workKey(),
			fmt.Sprintf("Protection Group %q", m.Name.ValueString()), create, diags)
	}
}

// checkDestroy rejects the destruction of a group that the appliance would not delete.
func checkDestroy(state model, diags *diag.Diagnostics) {
	const release = "To remove the group from state without deleting it, replace the resource with a removed " +
		"block:\n\n  removed {\n    from = " + typeName + ".NAME\n    lifecycle {\n      destroy = false\n    }\n  }"
	name := state.Name.ValueString()
	status := state.Status.ValueString()
	switch {
	case state.Locked.ValueBool():
		diags.AddError(fmt.Sprintf("Protection Group %q Is Locked", name), "A locked group cannot be deleted. It "+
			"continues to protect its members, and each snapshot is kept until its retention ends. "+release)
	case status != "" && status != snapservice.Active && status != snapservice.Paused:
		diags.AddError(fmt.Sprintf("Protection Group %q Cannot Be Deleted Now", name), fmt.Sprintf(
			"Its status is %s, so a recovery or failover is in progress or complete. %s", status, release))
	}
}

// planner plans a single resource. state is nil for a create.
type planner struct {
	r     *groupResource
	plan  *model
	state *model
	diags *diag.Diagnostics

	client *snapservice.Client
	// targets contains the planned rules. rulesKnown is true if all of them are known.
	targets    snapservice.Targets
	rulesKnown bool
}

// run plans the computed attributes, and checks the plan with the appliance if it would send requests to it.
func (p *planner) run(ctx context.Context) {
	if p.state != nil && p.r.Clients != nil { // a replacement plans the create without its state
		connection.State[groupsInState](p.r.Clients).Store(p.state.workKey(), true)
	}
	p.targets, p.rulesKnown = p.plan.Targets()
	rulesChanged := p.state == nil || !p.rulesKnown || !p.sameRules()
	p.setComputed(ctx, rulesChanged)
	if p.state != nil && p.unchanged(ctx, rulesChanged) {
		return
	}
	if p.plan.ClusterID.IsUnknown() || p.r.Clients.ProtectionUnknown() {
		if rulesChanged && p.state != nil {
			p.plan.Removes = types.ListUnknown(types.StringType)
		}
		return
	}
	p.client = p.r.Clients.Protection(p.diags)
	if p.client == nil {
		return
	}
	membership.WarnConnection(ctx, p.client, p.diags)
	if p.state == nil {
		p.planAdoption(ctx)
		rulesChanged = p.state == nil || !p.rulesKnown || !p.sameRules()
	}
	p.check(ctx, rulesChanged)
}

// check compares the plan with the group and the capabilities of the cluster, and previews changed rules.
func (p *planner) check(ctx context.Context, rulesChanged bool) {
	p.checkGroup(ctx)
	p.checkLock()
	p.checkPair(ctx)
	if p.diags.HasError() {
		return
	}
	p.checkName(ctx)
	is90 := p.checkCapabilities(ctx)
	switch {
	case p.diags.HasError() || !rulesChanged:
	case is90 && p.state != nil:
		p.plan.Removes = types.ListUnknown(types.StringType)
		p.warn("Members Not Previewed", "Release 9.0 does not support previews, so it is unknown which members this "+
			"change removes.")
	case !is90:
		p.checkTags(ctx)
		if !p.diags.HasError() {
			p.preview(ctx)
		}
	}
}

// sameRules reports whether the planned rules are those in state.
func (p *planner) sameRules() bool {
	before, _ := p.state.Targets()
	return p.targets.Equal(before)
}

// unchanged reports whether applying the plan would send no request to the appliance.
func (p *planner) unchanged(ctx context.Context, rulesChanged bool) bool {
	if rulesChanged || p.plan.Name.IsUnknown() || p.plan.Replication.IsUnknown() || p.plan.Snapshots.IsUnknown() ||
		p.plan.Paused.IsUnknown() || hasUnknownAttribute(p.plan.Replication) {
		return false
	}
	return p.plan.change(ctx, *p.state) == (snapservice.Change{}) && p.plan.Locked.Equal(p.state.Locked) &&
		!p.changesPaused()
}

// changesPaused reports whether the plan pauses or resumes an existing group.
func (p *planner) changesPaused() bool {
	return p.state != nil && !p.plan.Paused.IsNull() &&
		p.plan.Paused.ValueBool() != (p.state.Status.ValueString() == snapservice.Paused)
}

func hasUnknownAttribute(o types.Object) bool {
	for _, v := range o.Attributes() {
		if v.IsUnknown() {
			return true
		}
	}
	return false
}

// setComputed plans the computed attributes. If the rules change, the preview method plans the removes attribute.
func (p *planner) setComputed(ctx context.Context, rulesChanged bool) {
	if p.state == nil {
		p.plan.Removes = stringset.ListValue(nil)
		return
	}
	p.plan.Removes = p.state.Removes
	p.plan.MemberVMIDs = p.state.MemberVMIDs
	p.plan.Adopts = p.state.Adopts
	p.plan.Status = p.state.Status
	p.plan.Summary = p.state.Summary
	if rulesChanged {
		p.plan.MemberVMIDs = types.ListUnknown(types.StringType)
	}
	if p.changesPaused() || p.plan.Paused.IsUnknown() {
		p.plan.Status = types.StringUnknown()
	}
	if !p.unchanged(ctx, rulesChanged) {
		p.plan.Summary = types.StringUnknown()
		// Membership depends on tags and may change before apply.
		p.plan.MemberVMIDs = types.ListUnknown(types.StringType)
	}
}

func (p *planner) warn(summary, detail string) { p.diags.AddWarning(summary, detail) }

func (p *planner) name() string { return p.plan.Name.ValueString() }

// checkGroup rejects changes of a group that the appliance or the provider cannot change.
func (p *planner) checkGroup(ctx context.Context) {
	if p.state == nil {
		return
	}
	g, err := p.client.Group(ctx, p.state.ClusterID.ValueString(), p.state.GroupID.ValueString())
	if err != nil {
		failure("Read", *p.state, err).AddTo(p.diags)
		return
	}
	_, unsupportedPolicy := snapshotsFrom(ctx, g)
	_, unsupportedReplication := replicationFrom(ctx, g)
	switch {
	case g.Locked && !p.plan.Locked.ValueBool():
		p.diags.AddAttributeError(path.Root("locked"), "Lock Cannot Be Removed", fmt.Sprintf(
			"Group %q is locked, and a lock cannot be removed. Set locked = true.", p.name()))
	case g.Locked:
		p.diags.AddError(fmt.Sprintf("Protection Group %q Is Locked", p.name()),
			"A locked group cannot be changed, paused or resumed. Restore the previous configuration.")
	case !g.IsWritable():
		p.diags.AddError(fmt.Sprintf("Protection Group %q Cannot Be Changed Now", p.name()), fmt.Sprintf(
			"Its status is %s. Only ACTIVE and PAUSED groups can be changed.", snapservice.Printable(g.Status)))
	case unsupportedPolicy || unsupportedReplication:
		p.diags.AddError(
			fmt.Sprintf("Protection Group %q Has Unsupported Settings", p.name()),
			"It has a period in an unsupported unit, or several replication policies. A change would remove these "+
				"settings.",
		)
	}
}

// checkLock requires a confirmation of a new lock.
func (p *planner) checkLock() {
	isLocked := p.state != nil && p.state.Locked.ValueBool()
	if !p.plan.Locked.ValueBool() || isLocked {
		return
	}
	if p.plan.LockConfirmation.ValueString() != p.name() || p.plan.Name.IsUnknown() {
		p.diags.AddAttributeError(path.Root("lock_confirmation"), "Lock Not Confirmed", fmt.Sprintf(
			"Locking cannot be undone. To confirm it, set lock_confirmation = %q, the name of the group.", p.name()))
		return
	}
	p.diags.AddAttributeWarning(
		path.Root("locked"),
		fmt.Sprintf("Lock of Protection Group %q Is Final", p.name()),
		"After this apply, nobody can change the members, RPO and policies of the group, or delete it. It continues "+
			"to take snapshots, and each snapshot is kept until its retention ends.",
	)
}

// checkPair rejects a different cluster pair, because the effect on replicas is undocumented.
func (p *planner) checkPair(ctx context.Context) {
	if p.state == nil || p.plan.Replication.IsNull() || p.plan.Replication.IsUnknown() || p.state.Replication.IsNull() {
		return
	}
	at := path.Root("replication").AtName("cluster_pair_id")
	now, _ := p.plan.Replication.Attributes()["cluster_pair_id"].(types.String)
	if before := p.state.replication(ctx).PairID.ValueString(); !now.IsUnknown() && now.ValueString() != before {
		p.diags.AddAttributeError(at, "Cluster Pair Cannot Be Changed", fmt.Sprintf(
			"The group replicates to cluster pair %s. The API does not document what happens to the replicas if the "+
				"pair changes. Add a second group that replicates to %s, wait for its initial sync, and then remove "+
				"this group.", before, now.ValueString()))
	}
	for _, name := range []string{"target_datastore_id", "use_replica_seeds"} {
		if v := p.plan.Replication.Attributes()[name]; !v.Equal(p.state.Replication.Attributes()[name]) {
			p.diags.AddAttributeWarning(
				path.Root("replication").AtName(name),
				"Applies to New Members Only",
				"Existing replicas do not change. The change applies to members that are added later and to members "+
					"whose replication is not configured yet.",
			)
		}
	}
}

// checkName warns if another group of the cluster has the planned name.
func (p *planner) checkName(ctx context.Context) {
	keepsName := p.state != nil && p.name() == p.state.Name.ValueString()
	if p.plan.Name.IsUnknown() || keepsName {
		return
	}
	groups, err := p.client.Groups(ctx, p.plan.ClusterID.ValueString(), snapservice.Shared)
	if err != nil {
		f := failure("Plan", *p.plan, err)
		at := path.Root("cluster_id")
		f.Attribute = &at
		f.AddTo(p.diags)
		return
	}
	ownID := ""
	if p.state != nil {
		ownID = p.state.GroupID.ValueString()
	}
	for _, g := range groups {
		switch {
		case g.Name != p.name() || g.ID == ownID:
		case g.Status == snapservice.Deleted:
			p.warn("Deleted Group Has This Name", fmt.Sprintf(
				"Group %s with this name is marked for deletion and has %d snapshots. The appliance may reject the "+
					"name until the snapshots expire. The API does not document this.", g.ID, len(g.SnapshotIDs)))
		case p.state == nil && p.resumesCreate():
		default:
			f := failure("Create", *p.plan,
				fmt.Errorf("group %s of cluster %s has this name", g.ID, p.plan.ClusterID.ValueString()))
			f.Alternative = explain.AdoptAdvice("group", p.rulesKnown && p.plan.spec(ctx).Matches(g))
			f.WarnTaken(p.diags, path.Root("name"), typeName, p.plan.ClusterID.ValueString()+"/"+g.ID)
		}
	}
}

// groupsInState contains the work keys of the groups in state. It is needed because Terraform plans the replacement of
// a tainted group without its prior state.
type groupsInState struct{ sync.Map }

// resumesCreate reports whether the planned create continues an unfinished one, whose group exists.
func (p *planner) resumesCreate() bool {
	return p.inState() || connection.State[resume.Store](p.r.Clients).Has(p.plan.workKey())
}

// inState reports whether a group with the planned name is in state.
func (p *planner) inState() bool {
	_, ok := connection.State[groupsInState](p.r.Clients).Load(p.plan.workKey())
	return ok
}

// checkCapabilities rejects settings that the cluster does not support. is90 is true if the appliance runs release 9.0.
func (p *planner) checkCapabilities(ctx context.Context) (is90 bool) {
	capabilities, err := p.client.Capabilities(ctx, p.plan.ClusterID.ValueString())
	requirements := []struct {
		at         path.Path
		used       bool
		capability string
		since91    bool
	}{
		{path.Root("snapshot_policies"), !p.plan.Snapshots.IsNull(), snapservice.CanSnapshot, false},
		{path.Root("replication"), !p.plan.Replication.IsNull(), snapservice.CanReplicate, false},
		{path.Root("tag_rules"), !p.plan.TagRules.IsNull(), snapservice.CanTag, true},
		{path.Root("replication").AtName("long_term"), p.hasLongTerm(ctx), snapservice.CanLongTerm, true},
		{
			path.Root("locked"),
			p.plan.Locked.ValueBool() && !p.plan.Replication.IsNull(),
			snapservice.CanImmutable,
			false,
		},
	}
	is90 = errors.Is(err, snapservice.ErrRelease)
	switch {
	case errors.Is(err, snapservice.ErrPermission):
		p.warn("Capabilities Not Checked", "The account cannot read the capabilities of the cluster, which requires "+
			"Site.View. If a setting is not supported, the apply fails.")
		return false
	case err != nil && !is90:
		at := path.Root("cluster_id")
		explain.AddAttributeError(p.diags, at, "Unable to Read Capabilities", "", err)
		return false
	}
	for _, requirement := range requirements {
		switch {
		case !requirement.used:
		case is90 && requirement.since91:
			p.diags.AddAttributeError(requirement.at, "Requires Release 9.1",
				"The appliance has release 9.0 of vSAN Data Protection, which does not support this argument.")
		case !is90 && !slices.Contains(capabilities, requirement.capability):
			p.diags.AddAttributeError(requirement.at, "Not Supported by Cluster", fmt.Sprintf(
				"The appliance does not report the capability %s for cluster %s.",
				requirement.capability, p.plan.ClusterID.ValueString()))
		}
	}
	return is90
}

func (p *planner) hasLongTerm(ctx context.Context) bool {
	r := p.plan.replication(ctx)
	return r != nil && r.LongTerm != nil
}

// checkTags rejects rules with tags that do not exist, and rules that no VM can match.
func (p *planner) checkTags(ctx context.Context) {
	var ids []string
	for _, rule := range p.targets.Rules {
		ids = append(ids, rule.Tags...)
	}
	if len(ids) == 0 {
		return
	}
	at := path.Root("tag_rules")
	c := p.r.Clients.VSphere(p.diags)
	if c == nil {
		return
	}
	tags, err := assignment.LedgerOf(p.r.Clients).Tags(ctx, c, ids)
	if err != nil {
		explain.AddAttributeError(p.diags, at, "Unable to Read Tags of Rules", privilege.Read, err)
		return
	}
	for _, rule := range p.targets.Rules {
		single := make(map[string]assignment.Tag)
		for _, id := range rule.Tags {
			tag, exists := tags[id]
			other, twice := single[tag.CategoryID]
			switch {
			case !exists:
				p.diags.AddAttributeError(at, "Tag Does Not Exist", fmt.Sprintf(
					"Tag %q does not exist in vCenter, so the rule would match no VMs.", id))
			case !tag.Single || rule.Operator != snapservice.AllTags:
			case twice:
				p.diags.AddAttributeError(at, "Rule Matches No VMs", fmt.Sprintf(
					"Tags %s and %s belong to the same category, which allows one tag per VM. Use match = \"any\".",
					other.Path(), tag.Path()))
			default:
				single[tag.CategoryID] = tag
			}
		}
	}
}
