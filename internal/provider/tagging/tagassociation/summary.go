package tagassociation

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/provider/tagging/assignment"
	"terraform-provider-vsla/internal/vsphere"
)

// summarize sets the summary, which is unknown if the change is unknown. It contains IDs instead of names, because the
// same apply can rename an object.
func (p *preview) summarize() {
	p.plan.Summary = types.StringUnknown()
	listed, all := stringset.Known(p.plan.ObjectIDs)
	if !all || p.plan.ObjectIDs.IsUnknown() || p.plan.Removes.IsUnknown() || p.plan.ObjectType.IsUnknown() {
		return
	}
	spec := p.plan.spec()
	adds := spec.objectList(listed)
	removes := spec.removes
	if p.isUpdate() {
		adds = stringset.Without(adds, p.state.spec().objects)
	}
	var parts []string
	for _, change := range []struct {
		verb    string
		objects []vsphere.Object
	}{{"adds", adds}, {"removes", removes}} {
		if len(change.objects) > 0 {
			parts = append(parts, change.verb+" "+count(change.objects)+": "+assignment.ListIDs(change.objects))
		}
	}
	p.plan.Summary = types.StringValue(strings.Join(parts, "; "))
}
