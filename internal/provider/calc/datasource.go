// The data source's door.

package calc

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
)

type dataSource[M any] struct{ calculator Calculator[M] }

// NewDataSource returns the data source of a calculator.
func (c Calculator[M]) NewDataSource() datasource.DataSource { return dataSource[M]{c} }

// Metadata names the data source.
func (d dataSource[M]) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = d.calculator.DataSource
}

// Schema describes the data source.
func (d dataSource[M]) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = d.calculator.schema()
}

func (c Calculator[M]) schema() schema.Schema {
	return schema.Schema{MarkdownDescription: c.Description, Attributes: c.Attributes}
}

// Read computes.
func (d dataSource[M]) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m M
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if err := d.calculator.Compute(&m); err != nil {
		list, bug := inputErrors(err)
		if bug != nil {
			resp.Diagnostics.AddError("Unable to Compute", bug.Error())
			return
		}
		for _, e := range list {
			resp.Diagnostics.AddAttributeError(attributePath(e.Path), InvalidInput, e.Path.String()+" "+e.Reason)
		}
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
}

// InvalidInput is the summary of every error about a calculator's input.
const InvalidInput = "Invalid Calculator Input"
