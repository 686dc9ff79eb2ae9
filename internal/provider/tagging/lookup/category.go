// Package lookup finds objects by one of two arguments, as several data sources do.
package lookup

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/vsphere"
)

// Category reads the category that id, or where that is null name, means. It returns the argument to blame for an
// error: "id" or "name" after the prefix.
func Category(
	ctx context.Context, c *vsphere.Client, prefix string, id, name types.String,
) (vsphere.Category, path.Path, error) {
	if id.IsNull() {
		category, err := c.CategoryByName(ctx, name.ValueString())
		return category, path.Root(prefix + "name"), err
	}
	category, err := c.Category(ctx, id.ValueString())
	return category, path.Root(prefix + "id"), err
}
