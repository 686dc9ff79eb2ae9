package tagassociation

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/provider/tagging/assignment"
	"terraform-provider-vsla/internal/vsphere"
)

// summarize sets the summary, which is unknown if the change is unknown or names cannot be read.
func (p *preview) summarize(ctx context.Context) {
	p.plan.Summary = types.StringUnknown()
	listed, all := stringset.Known(p.plan.ObjectIDs)
	if !all || p.plan.ObjectIDs.IsUnknown() || p.plan.Removes.IsUnknown() || p.plan.ObjectType.IsUnknown() ||
		p.Clients.VSphereUnknown() || p.Diags.HasError() {
		return
	}
	spec := p.plan.spec()
	adds, removes := spec.objectList(listed), spec.removes
	if p.isUpdate() {
		adds = stringset.Without(adds, p.state.spec().objects)
	}
	client := p.Client
	if client == nil {
		var missing diag.Diagnostics // missing settings are reported elsewhere in the plan
		if client = p.Clients.VSphere(&missing); client == nil {
			return
		}
	}
	var parts []string
	for _, change := range []struct {
		verb    string
		objects []vsphere.Object
	}{{"adds", adds}, {"removes", removes}} {
		if len(change.objects) == 0 {
			continue
		}
		names, err := assignment.ReadNames(ctx, client, change.objects)
		if err != nil {
			return
		}
		parts = append(parts, change.verb+" "+count(change.objects)+": "+names)
	}
	p.plan.Summary = types.StringValue(strings.Join(parts, "; "))
}
