package tagassociation

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/tagging/assignment"
	"terraform-provider-vsla/internal/provider/tagging/guard"
	"terraform-provider-vsla/internal/snapservice"
	"terraform-provider-vsla/internal/vsphere"
)

// warnRemoved warns that an exclusive association detaches the tag from objects that are not in its list.
func (p *preview) warnRemoved(ctx context.Context, removes []vsphere.Object) {
	if len(removes) == 0 {
		return
	}
	p.Diags.AddAttributeWarning(
		path.Root("ownership"),
		fmt.Sprintf("Tag %s Is Detached from %s", p.tag.Path(), count(removes)),
		fmt.Sprintf("ownership is exclusive, and these objects are not in object_ids: %s. The attribute removes "+
			"lists all IDs. To keep the tag on an object, add it to object_ids or use ownership additive. If "+
			"Terraform stops the apply because of an inconsistent final plan, objects were tagged or untagged after "+
			"the plan, and nothing was changed. In this case, plan again.%s",
			assignment.Names(ctx, p.Client, removes),
			p.describeLeftGroups(ctx, p.plan.TagID.ValueString(), removes),
		),
	)
}

// warnLeftGroups warns if objects that leave the list also leave protection groups.
func (p *preview) warnLeftGroups(ctx context.Context, removes []vsphere.Object) {
	tagID := p.plan.TagID.ValueString()
	if left := p.describeLeftGroups(ctx, tagID, removes); left != "" {
		p.Diags.AddAttributeWarning(
			path.Root("object_ids"),
			fmt.Sprintf("Tag %s Is Detached from %s", p.ledger().Path(ctx, p.Client, tagID), count(removes)),
			fmt.Sprintf(
				"These objects are no longer in object_ids: %s.%s",
				assignment.Names(ctx, p.Client, removes),
				left,
			),
		)
	}
}

// warnDestroyed warns that the objects in state lose the tag.
func (p *preview) warnDestroyed(ctx context.Context, state model) {
	before := state.spec()
	if len(before.objects) == 0 || p.Clients == nil || p.Clients.VSphereUnknown() || !p.Connect() {
		return
	}
	p.Diags.AddWarning(
		fmt.Sprintf("Tag %s Is Detached from %s", p.ledger().Path(ctx, p.Client, before.tagID), count(before.objects)),
		fmt.Sprintf("The association is destroyed. Objects in state: %s. Objects that another resource tags in the "+
			"same apply keep the tag.%s",
			assignment.Names(ctx, p.Client, before.objects),
			p.describeLeftGroups(ctx, before.tagID, before.objects),
		),
	)
}

// warnReplaced warns about the other tags of the category that objects lose.
func (p *preview) warnReplaced(ctx context.Context, replaces map[vsphere.Object]string) {
	if len(replaces) == 0 {
		return
	}
	byTag := make(map[string][]vsphere.Object)
	for o, id := range replaces {
		byTag[id] = append(byTag[id], o)
	}
	var lines []string
	for _, id := range slices.Sorted(maps.Keys(byTag)) {
		objects := byTag[id]
		slices.SortFunc(objects, func(a, b vsphere.Object) int { return strings.Compare(a.ID, b.ID) })
		lines = append(lines, fmt.Sprintf(
			"%s on %s: %s%s",
			p.ledger().Path(ctx, p.Client, id),
			count(objects),
			assignment.Names(ctx, p.Client, objects),
			p.describeLeftGroups(ctx, id, objects),
		))
	}
	slices.Sort(lines)
	p.Diags.AddAttributeWarning(
		path.Root("object_ids"),
		fmt.Sprintf("Tag %s Replaces Other Tags of %s", p.tag.Path(), p.tag.Category),
		"The category allows one tag per object. These tags are detached. The attribute replaces lists all IDs:\n\n  "+
			strings.Join(lines, "\n  "),
	)
}

// describeLeftGroups returns a sentence about the protection groups that the objects leave with the tag. It returns ""
// if there are none.
func (p *preview) describeLeftGroups(ctx context.Context, tagID string, objects []vsphere.Object) string {
	if len(objects) == 0 || !p.Clients.HasProtection() {
		return ""
	}
	c := p.Clients.Protection(p.Diags)
	if c == nil {
		return ""
	}
	all, err := c.AllGroups(ctx)
	if err != nil {
		return " The protection groups that they leave cannot be read: " + explain.Detail(err)
	}
	groups := guard.GroupsWithTags(all, []string{tagID}, func(g snapservice.Group) bool {
		return slices.ContainsFunc(objects, func(o vsphere.Object) bool { return slices.Contains(g.Members, o.ID) })
	})
	if len(groups) == 0 {
		return ""
	}
	return " VMs among them leave protection " + strings.Join(groups, ", ") + "."
}

// count returns "1 VM", "2 VMs" or "2 objects of type HostSystem". The list must not be empty.
func count(objects []vsphere.Object) string {
	noun := "object"
	if objects[0].Type == vmType {
		noun = "VM"
	}
	text := fmt.Sprintf("%d %ss", len(objects), noun)
	if len(objects) == 1 {
		text = "1 " + noun
	}
	if objects[0].Type != vmType {
		text += " of type " + objects[0].Type
	}
	return text
}
