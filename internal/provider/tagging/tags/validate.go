package tags

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// ValidateConfig rejects a rename that would lose a tag.
func (r *tagsResource) ValidateConfig(
	ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse,
) {
	var config resourceModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() || config.Tags.IsUnknown() || config.RenamedFrom.IsUnknown() {
		return
	}
	tags := config.Tags.Elements()
	former := make(map[string]string) // Elements returns a copy of the map
	for name, value := range config.RenamedFrom.Elements() {
		old, known := value.(types.String)
		if !known || old.IsUnknown() {
			continue
		}
		at := path.Root("renamed_from").AtMapKey(name)
		_, listed := tags[name]
		_, stillListed := tags[old.ValueString()]
		other, twice := former[old.ValueString()]
		former[old.ValueString()] = name
		switch {
		case !listed:
			resp.Diagnostics.AddAttributeError(at, "Renamed Tag Is Not Listed", fmt.Sprintf(
				"renamed_from contains %q, but tags does not. Add it to tags, or remove this entry.",
				name,
			))
		case stillListed:
			resp.Diagnostics.AddAttributeError(at, "Former Name Is Still Listed", fmt.Sprintf(
				"According to renamed_from, %q was named %q, but tags contains both names. Remove %q from tags. To "+
					"swap names, use a temporary third name in two applies.",
				name,
				old.ValueString(),
				old.ValueString(),
			))
		case twice:
			resp.Diagnostics.AddAttributeError(at, "Duplicate Former Name",
				fmt.Sprintf("Both %q and %q are renamed from %q. Remove one of them.", other, name, old.ValueString()))
		}
	}
}
