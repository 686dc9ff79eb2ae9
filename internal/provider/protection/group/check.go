package group

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/resume"
	"terraform-provider-vsla/internal/provider/tagging/assignment"
	"terraform-provider-vsla/internal/snapservice"
	"terraform-provider-vsla/internal/vsphere/privilege"
)

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

// check compares the plan with the group and the capabilities of the cluster, and previews changed rules.
func (p *planner) check(ctx context.Context) {
	p.checkGroup(ctx)
	p.checkLock()
	p.checkReplication(ctx)
	if p.diags.HasError() {
		return
	}
	p.checkName(ctx)
	is90 := p.checkCapabilities(ctx)
	switch {
	case p.diags.HasError() || !p.rulesChanged():
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

// checkReplication rejects a different cluster pair, because the effect on replicas is undocumented, and warns about
// settings that apply to new members only.
func (p *planner) checkReplication(ctx context.Context) {
	if p.state == nil || p.plan.Replication.IsNull() || p.plan.Replication.IsUnknown() || p.state.Replication.IsNull() {
		return
	}
	planned := p.plan.Replication.Attributes()
	now, _ := planned["cluster_pair_id"].(types.String)
	if before := p.state.replication(ctx).PairID.ValueString(); !now.IsUnknown() && now.ValueString() != before {
		at := path.Root("replication").AtName("cluster_pair_id")
		p.diags.AddAttributeError(at, "Cluster Pair Cannot Be Changed", fmt.Sprintf(
			"The group replicates to cluster pair %s. The API does not document what happens to the replicas if the "+
				"pair changes. Add a second group that replicates to %s, wait for its initial sync, and then remove "+
				"this group.", before, now.ValueString()))
	}
	for _, name := range []string{"target_datastore_id", "use_replica_seeds"} {
		if !planned[name].Equal(p.state.Replication.Attributes()[name]) {
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

// resumesCreate reports whether the planned create continues an unfinished one, whose group exists.
func (p *planner) resumesCreate() bool {
	return p.inState() || connection.State[resume.Store](p.r.Clients).Has(p.plan.workKey())
}

// requirement is a capability of the cluster that an argument needs.
type requirement struct {
	at         path.Path
	used       bool
	capability string
	since91    bool
}

func (p *planner) requirements(ctx context.Context) []requirement {
	return []requirement{
		{
			at:         path.Root("snapshot_policies"),
			used:       !p.plan.Snapshots.IsNull(),
			capability: snapservice.CanSnapshot,
		},
		{
			at:         path.Root("replication"),
			used:       !p.plan.Replication.IsNull(),
			capability: snapservice.CanReplicate,
		},
		{
			at:         path.Root("tag_rules"),
			used:       !p.plan.TagRules.IsNull(),
			capability: snapservice.CanTag,
			since91:    true,
		},
		{
			at:         path.Root("replication").AtName("long_term"),
			used:       p.hasLongTerm(ctx),
			capability: snapservice.CanLongTerm,
			since91:    true,
		},
		{
			at:         path.Root("locked"),
			used:       p.plan.Locked.ValueBool() && !p.plan.Replication.IsNull(),
			capability: snapservice.CanImmutable,
		},
	}
}

// checkCapabilities rejects settings that the cluster does not support. is90 is true if the appliance runs release 9.0.
func (p *planner) checkCapabilities(ctx context.Context) (is90 bool) {
	capabilities, err := p.client.Capabilities(ctx, p.plan.ClusterID.ValueString())
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
	for _, r := range p.requirements(ctx) {
		switch {
		case !r.used:
		case is90 && r.since91:
			p.diags.AddAttributeError(r.at, "Requires Release 9.1",
				"The appliance has release 9.0 of vSAN Data Protection, which does not support this argument.")
		case !is90 && !slices.Contains(capabilities, r.capability):
			p.diags.AddAttributeError(r.at, "Not Supported by Cluster", fmt.Sprintf(
				"The appliance does not report the capability %s for cluster %s.",
				r.capability, p.plan.ClusterID.ValueString()))
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
	c := p.r.Clients.VSphere(p.diags)
	if c == nil {
		return
	}
	tags, err := assignment.LedgerOf(p.r.Clients).Tags(ctx, c, ids)
	if err != nil {
		explain.AddAttributeError(p.diags, path.Root("tag_rules"), "Unable to Read Tags of Rules", privilege.Read, err)
		return
	}
	for _, rule := range p.targets.Rules {
		p.checkRule(rule, tags)
	}
}

// checkRule rejects a rule with a tag that is not in tags, which maps IDs to the existing tags. It also rejects a rule
// that requires two tags of a category that allows one tag per VM.
func (p *planner) checkRule(rule snapservice.Rule, tags map[string]assignment.Tag) {
	at := path.Root("tag_rules")
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
