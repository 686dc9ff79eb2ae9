package provider_test

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	fwresource "github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/tagging"
)

type peer struct{ lab *acctest.Lab }

func (p *peer) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "vsphere"
}

func (p *peer) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}

func (p *peer) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}

func (p *peer) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (p *peer) Resources(context.Context) []func() fwresource.Resource {
	attributes := func(names ...string) map[string]schema.Attribute {
		all := map[string]schema.Attribute{"id": schema.StringAttribute{Computed: true}}
		for _, name := range names {
			all[name] = schema.StringAttribute{Required: true}
		}
		return all
	}
	category := attributes("name", "description", "cardinality")
	category["associable_types"] = schema.SetAttribute{Required: true, ElementType: types.StringType}
	return []func() fwresource.Resource{
		func() fwresource.Resource {
			return &peerResource{
				name:       "vsphere_tag_category",
				attributes: category,
				create: func(text func(string) string) (string, error) {
					return p.lab.Tags().AddCategory(tagging.Category{
						Name:            text("name"),
						Description:     text("description"),
						Cardinality:     text("cardinality"),
						AssociableTypes: []string{"VirtualMachine"},
					})
				},
			}
		},
		func() fwresource.Resource {
			return &peerResource{
				name:       "vsphere_tag",
				attributes: attributes("name", "description", "category_id"),
				create: func(text func(string) string) (string, error) {
					return p.lab.Tags().
						AddTag(tagging.Tag{
							Name:        text("name"),
							Description: text("description"),
							CategoryID:  text("category_id"),
						})
				},
			}
		},
	}
}

type peerResource struct {
	name       string
	attributes map[string]schema.Attribute
	create     func(text func(string) string) (string, error)
}

func (r *peerResource) Metadata(_ context.Context, _ fwresource.MetadataRequest, resp *fwresource.MetadataResponse) {
	resp.TypeName = r.name
}

func (r *peerResource) Schema(_ context.Context, _ fwresource.SchemaRequest, resp *fwresource.SchemaResponse) {
	resp.Schema = schema.Schema{Attributes: r.attributes}
}

func (r *peerResource) Create(ctx context.Context, req fwresource.CreateRequest, resp *fwresource.CreateResponse) {
	id, err := r.create(func(name string) string {
		var value attr.Value
		resp.Diagnostics.Append(req.Plan.GetAttribute(ctx, path.Root(name), &value)...)
		text, _ := value.(types.String)
		return text.ValueString()
	})
	if err != nil {
		resp.Diagnostics.AddError("Create", err.Error())
	}
	resp.State.Raw = req.Plan.Raw
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), id)...)
}

func (r *peerResource) Read(context.Context, fwresource.ReadRequest, *fwresource.ReadResponse) {}

func (r *peerResource) Update(context.Context, fwresource.UpdateRequest, *fwresource.UpdateResponse) {
}

func (r *peerResource) Delete(context.Context, fwresource.DeleteRequest, *fwresource.DeleteResponse) {
}
