// Package objecttype validates the types of tagged objects. vCenter accepts any text as an associable type and never
// removes it, so only the types that tags can be attached to are valid.
package objecttype

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/vsphere"
)

// Doc lists the object types for descriptions of attributes.
var Doc = "One of `" + strings.Join(vsphere.ObjectTypes(), "`, `") + "`. A datastore cluster is a `StoragePod`, and " +
	"a vApp is a `VirtualApp`. The prefix `urn:vim25:` can be omitted."

// Of returns an object type without the prefix "urn:vim25:".
func Of(value types.String) string { return vsphere.ObjectType(value.ValueString()) }

// RequiresReplace returns a plan modifier that forces a new resource when the object type changes.
func RequiresReplace() planmodifier.String {
	const doc = "Forces a new resource if the object type changes."
	return stringplanmodifier.RequiresReplaceIf(
		func(
			_ context.Context, req planmodifier.StringRequest, resp *stringplanmodifier.RequiresReplaceIfFuncResponse,
		) {
			resp.RequiresReplace = req.PlanValue.IsUnknown() || Of(req.PlanValue) != Of(req.StateValue)
		},
		doc,
		doc,
	)
}

// Valid is a validator for object types.
type Valid struct {
	// All is the advice for "All", the vSphere Client's name for all object types.
	All string
}

// Description returns the rule.
func (Valid) Description(context.Context) string { return "must be an object type of vCenter" }

// MarkdownDescription returns the rule.
func (v Valid) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateString rejects a value that is not an object type, and names the nearest ones.
func (v Valid) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	value := req.ConfigValue.ValueString()
	known := !req.ConfigValue.IsNull() && !req.ConfigValue.IsUnknown()
	if !known || slices.Contains(vsphere.ObjectTypes(), vsphere.ObjectType(value)) {
		return
	}
	if strings.EqualFold(strings.TrimSpace(value), "all") {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid Object Type",
			fmt.Sprintf("%q is not an object type: %s.", value, v.All))
		return
	}
	nearest := quantity.Nearest(vsphere.ObjectTypes(), strings.ReplaceAll(vsphere.ObjectType(value), " ", ""))
	resp.Diagnostics.AddAttributeError(req.Path, "Invalid Object Type",
		fmt.Sprintf("%q is not an object type of vCenter, only %s are.", value, nearest))
}
