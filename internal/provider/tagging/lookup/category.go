// Package lookup finds objects by ID or name.
package lookup

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/vsphere"
)

// Category returns the category with the given ID, or with the given name if the ID is null. On error, it also returns
// the path of the invalid argument.
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
