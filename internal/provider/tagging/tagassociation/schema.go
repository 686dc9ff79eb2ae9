package tagassociation

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/types/stringset"
)

// Schema sets the schema.
func (r *associationResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	replace := []planmodifier.String{stringplanmodifier.RequiresReplace()}
	resp.Schema = schema.Schema{
		MarkdownDescription: "One tag on any number of objects, with any creator. Objects are tagged and untagged " +
			"2,000 to a request, and a refresh is one request, whatever their number.\n\n" +
			"Objects move between the tags of a `SINGLE` category in one apply: attaching a tag detaches the other " +
			"one first, which the plan shows in `replaces`.\n\nUse one association for each tag and object type; two " +
			"`exclusive` ones for the same tag and type would undo each other.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{
				MarkdownDescription: "`<tag_id>/<object_type>`.", Computed: true,
				PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"tag_id": schema.StringAttribute{
				MarkdownDescription: "Id of the tag. Changing this forces a new " +
					"resource.", Required: true, PlanModifiers: replace,
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"object_type": schema.StringAttribute{
				MarkdownDescription: "Managed object type of the objects, for example `VirtualMachine`, " +
					"`HostSystem`, `Datastore`. Default `VirtualMachine`. Changing this forces a new resource.",
				Optional:      true,
				Computed:      true,
				Default:       stringdefault.StaticString("VirtualMachine"),
				PlanModifiers: replace,
				Validators:    []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"object_ids": schema.ListAttribute{
				MarkdownDescription: "Managed object ids (`vm-42`) of the objects that carry the tag. Order and " +
					"repeats carry no meaning: another order is no change. An import lists them sorted, so the plan " +
					"of a later change is shortest with `sort()`.",
				ElementType:   types.StringType,
				Required:      true,
				PlanModifiers: []planmodifier.List{stringset.PlanModifier()},
				Validators:    []validator.List{listvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1))},
			},
			"ownership": schema.StringAttribute{
				MarkdownDescription: "`additive` (default) touches only the objects that are listed; others may " +
					"carry the tag as well. `exclusive` owns the tag for its object type: it is detached from every " +
					"object of that type that is not listed.",
				Optional:   true,
				Computed:   true,
				Default:    stringdefault.StaticString(additive),
				Validators: []validator.String{stringvalidator.OneOf(additive, exclusive)},
			},
			"removes": schema.ListAttribute{
				MarkdownDescription: "Ids of the objects that the planned change detaches the tag from, sorted. With " +
					"`exclusive` these are also objects that others have tagged. An apply detaches the tag from no " +
					"other object: one that is tagged after the plan is left alone, and the next plan shows it. " +
					"Null after a refresh.",
				ElementType: types.StringType,
				Computed:    true,
			},
			"replaces": schema.MapAttribute{
				MarkdownDescription: "Tags of the same category that give way, by object id, where the category is " +
					"`SINGLE`: an object then carries one of its tags only. An object whose tag cannot be attached " +
					"gets its former tag back. Null after a refresh.",
				ElementType: types.StringType,
				Computed:    true,
			},
			"summary": schema.StringAttribute{
				MarkdownDescription: "What the planned change does, in words: how many objects get and lose the tag, " +
					"and the names of the first ten of each. Null after a refresh.",
				Computed: true,
			},
		},
	}
}
