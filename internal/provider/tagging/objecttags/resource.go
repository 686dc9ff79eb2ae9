// Package objecttags implements vsla_object_tags, which attaches many tags to one object with bulk calls
// (/rest/com/vmware/cis/tagging/tag-association).
package objecttags

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/types/managed"
	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/provider/tagging/assignment"
	"terraform-provider-vsla/internal/provider/tagging/objecttype"
	"terraform-provider-vsla/internal/vsphere"
)

const typeName = "vsla_object_tags"

type tagsResource struct{ base.Managed[model] }

// NewResource returns the resource vsla_object_tags.
func NewResource() resource.Resource {
	r := &tagsResource{}
	r.Managed = base.Managed[model]{
		Resource: base.Resource{TypeName: typeName}, Operations: r, Noun: "Tags of Object",
		NotFound: vsphere.ErrObjectGone,
	}
	return r
}

// CreateObject attaches the planned tags.
func (r *tagsResource) CreateObject(
	ctx context.Context, c *vsphere.Client, plan model, diags *diag.Diagnostics,
) (created model, save bool) {
	plan = plan.withID()
	unfinished := r.TakeUnfinished(plan, base.AnyName)
	owned, changed := r.apply(ctx, c, plan.spec(), nil, slices.Sorted(maps.Keys(unfinished)), diags)
	return plan.withTags(owned), changed
}

// RefreshObject reads the owned tags. If the object no longer exists, the resource is removed from state.
func (r *tagsResource) RefreshObject(
	ctx context.Context, c *vsphere.Client, state model, diags *diag.Diagnostics,
) (model, error) {
	before := state.spec()
	current, err := c.RefreshTagsOfObject(ctx, before.object)
	if errors.Is(err, vsphere.ErrObjectGone) {
		diags.AddWarning("Tagged Object No Longer Exists", fmt.Sprintf(
			"%s and its tag associations no longer exist. The resource was removed from state. Remove it from the "+
				"configuration as well, or set another object_id.", before.object))
	}
	if err != nil {
		return state, err
	}
	owned, err := r.owned(ctx, c, before, current)
	return state.withTags(owned).withRemoves(nil), err
}

// UpdateObject detaches the planned tags and attaches the new ones.
func (r *tagsResource) UpdateObject(
	ctx context.Context, c *vsphere.Client, plan, state model, diags *diag.Diagnostics,
) (updated model, save bool) {
	owned, changed := r.apply(ctx, c, plan.spec(), state.spec().tags, nil, diags)
	return plan.withTags(owned), changed
}

// DeleteObject detaches the tags in state. Tags that no longer exist are ignored.
func (r *tagsResource) DeleteObject(
	ctx context.Context, c *vsphere.Client, state model, diags *diag.Diagnostics,
) *model {
	before := state.spec()
	ledger := assignment.LedgerOf(r.Clients)
	change, unlock, err := ledger.BeginTagChange(ctx, c, before.object, before.tags, nil, r.Clients.Ignored())
	if err != nil {
		addError(diags, before.object, err)
		return nil
	}
	defer unlock()
	current, err := c.TagsOfObject(ctx, before.object)
	if errors.Is(err, vsphere.ErrObjectGone) {
		return nil
	}
	if err == nil {
		detach, kept := change.Detachable(stringset.Intersect(before.tags, current))
		for _, err := range kept {
			addError(diags, before.object, err)
		}
		err = change.Detach(ctx, detach)
	}
	if err != nil {
		addError(diags, before.object, err)
	}
	return nil
}

// FindObject parses "<object id>" or "<object type>/<object id>".
func (r *tagsResource) FindObject(_ context.Context, _ *vsphere.Client, from string) (model, error) {
	objectType, id, ok := strings.Cut(from, "/")
	if !ok {
		objectType, id = "VirtualMachine", from
	}
	objectType = vsphere.ObjectType(objectType)
	if id == "" || objectType == "" {
		return model{}, errors.New("the ID must be an object ID (vm-42), or an object type and ID (HostSystem/host-7)")
	}
	m := model{
		ObjectID: types.StringValue(id), ObjectType: types.StringValue(objectType),
		TagIDs: types.ListNull(types.StringType), Removes: types.ListNull(types.StringType),
		Ownership: types.StringValue(additive),
	}
	return m.withID(), nil
}

// owned returns the tags in current that the resource owns. With ownership "additive", these are the listed tags. With
// "category", they are all tags in the categories of the listed tags. With "exclusive" or after an import, they are all
// tags. Tags in ignored categories are owned only with "additive". Tags that the account cannot read are never owned,
// because current does not contain them.
func (r *tagsResource) owned(ctx context.Context, c *vsphere.Client, spec tagSpec, current []string) ([]string, error) {
	if spec.ownership == additive && !spec.imported {
		return stringset.Intersect(spec.tags, current), nil
	}
	tags, err := assignment.LedgerOf(r.Clients).Tags(ctx, c, stringset.Union(current, spec.tags))
	if err != nil {
		return nil, err
	}
	listed := make(map[string]bool)
	for _, id := range spec.tags {
		listed[tags[id].CategoryID] = true
	}
	var owned []string
	for _, id := range current {
		tag := tags[id]
		if !r.Clients.Ignored().Match(tag.Category) && (spec.ownership != byCategory || listed[tag.CategoryID]) {
			owned = append(owned, id)
		}
	}
	return owned, nil
}

// checkIgnored rejects tags of ignored categories unless ownership is "additive". With any other ownership, the
// resource would neither read nor remove such tags.
func (r *tagsResource) checkIgnored(
	ctx context.Context, c *vsphere.Client, plan tagSpec, diags *diag.Diagnostics,
) bool {
	if plan.ownership == additive {
		return true
	}
	tags, err := assignment.LedgerOf(r.Clients).Tags(ctx, c, plan.tags)
	if err != nil {
		addError(diags, plan.object, err)
		return false
	}
	for _, id := range plan.tags {
		if tag, ok := tags[id]; ok && assignment.RejectIgnored(r.Clients, tag, "tag_ids", diags) {
			return false
		}
	}
	return true
}

const (
	additive   = "additive"
	byCategory = "category"
	exclusive  = "exclusive"
)

type model struct {
	ID         types.String `tfsdk:"id"`
	ObjectID   types.String `tfsdk:"object_id"`
	ObjectType types.String `tfsdk:"object_type"`
	TagIDs     types.List   `tfsdk:"tag_ids"`
	Ownership  types.String `tfsdk:"ownership"`
	Removes    types.List   `tfsdk:"removes"`
}

func (m model) withID() model {
	m.ID = types.StringValue(objecttype.Of(m.ObjectType) + "/" + m.ObjectID.ValueString())
	return m
}

func (m model) sameConfig(other model) bool {
	return m.sameObject(other) && m.TagIDs.Equal(other.TagIDs) && m.Ownership.Equal(other.Ownership)
}

func (m model) sameObject(other model) bool {
	return m.ObjectID.Equal(other.ObjectID) && objecttype.Of(m.ObjectType) == objecttype.Of(other.ObjectType)
}

type tagSpec struct {
	object    vsphere.Object
	ownership string
	// tags contains the tags of tag_ids in order, without duplicates. imported is true if tag_ids is null.
	tags     []string
	imported bool
	removes  []string
}

func (m model) spec() tagSpec {
	tags, _ := stringset.Known(m.TagIDs)
	return tagSpec{
		object:    vsphere.Object{Type: objecttype.Of(m.ObjectType), ID: m.ObjectID.ValueString()},
		ownership: m.Ownership.ValueString(), tags: tags, imported: m.TagIDs.IsNull(),
		removes: stringset.Strings(m.Removes),
	}
}

func (m model) withTags(ids []string) model {
	m.TagIDs = stringset.Merge(m.TagIDs, ids)
	return m
}

func (m model) withRemoves(ids []string) model {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	m.Removes = stringset.ListValue(ids)
	return m
}

// Unfinished implements base.Model.
func (m model) Unfinished() (key string, ids map[string]string) {
	ids = make(map[string]string)
	for _, id := range m.spec().tags {
		ids[id] = id
	}
	return typeName + "/" + m.ID.ValueString(), ids
}

func (m model) Title() string { return "Tags of " + m.spec().object.String() }

// Schema sets the schema.
func (r *tagsResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Attaches any number of tags to one object. The object can be managed by any tool. The " +
			"provider attaches or detaches up to 2,000 tags per request.\n\n" +
			"In a category with cardinality `SINGLE`, a new tag replaces the previous one. Before vCenter 9.1, the provider " +
			"detaches the previous tag first, and attaches it again if the new tag cannot be attached.",
		Attributes: map[string]schema.Attribute{
			"id": managed.StableString("ID of the resource, in the form `<object_type>/<object_id>`."),
			"object_id": schema.StringAttribute{
				MarkdownDescription: "Managed object ID, such as `vm-42`. Changing this forces a new resource. The provider " +
					"detaches the tags from the old object and attaches them to the new one.",
				Required:      true,
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
				Validators:    []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"object_type": schema.StringAttribute{
				MarkdownDescription: "Managed object type. " + objecttype.Doc + " Defaults to `VirtualMachine`. Changing " +
					"this forces a new resource.",
				Optional:      true,
				Computed:      true,
				Default:       stringdefault.StaticString("VirtualMachine"),
				PlanModifiers: []planmodifier.String{objecttype.RequiresReplace()},
				Validators:    []validator.String{objecttype.Valid{All: "an object has one type"}},
			},
			"tag_ids": schema.ListAttribute{
				MarkdownDescription: "IDs of the tags to attach. Order and duplicates are ignored.",
				ElementType:         types.StringType, Required: true, PlanModifiers: []planmodifier.List{stringset.PlanModifier()},
				Validators: []validator.List{listvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1))},
			},
			"ownership": managed.DefaultString("Ownership mode. `additive` manages only the listed tags. `category` manages "+
				"all tags in the categories of the listed tags, and detaches those that are not listed. `exclusive` manages all "+
				"tags of the object, and detaches those that are not listed. `category` and `exclusive` do not detach tags of "+
				"the categories in `ignore_tag_categories`. With these two modes, `tag_ids` must not list such tags. Defaults "+
				"to `additive`.",
				additive, stringvalidator.OneOf(additive, byCategory, exclusive)),
			"removes": managed.StringList("IDs of the tags that the planned change detaches from the object, sorted. These " +
				"are tags removed from `tag_ids`, other tags that `ownership` covers, and tags replaced in a category with " +
				"cardinality `SINGLE`. The apply detaches only these tags. If another client has since attached another tag " +
				"that `ownership` covers, this tag remains until the next apply, or Terraform stops the apply. Empty after a " +
				"refresh."),
		},
	}
}
