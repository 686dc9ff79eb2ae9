// Package lookup finds objects by one of two arguments, as several data sources do.
package lookup

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/vsphere"
)

// Argument is an argument with its name in the schema.
type Argument struct {
	Attribute string
	Value     types.String
}

// Category reads the category that id, or where that is null name, means. It returns the argument to blame for an
// error.
func Category(ctx context.Context, c *vsphere.Client, id, name Argument) (vsphere.Category, path.Path, error) {
	if id.Value.IsNull() {
		category, err := c.CategoryByName(ctx, name.Value.ValueString())
		return category, path.Root(name.Attribute), err
	}
	category, err := c.Category(ctx, id.Value.ValueString())
	return category, path.Root(id.Attribute), err
}
