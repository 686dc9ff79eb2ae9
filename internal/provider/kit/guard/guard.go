// Package guard refuses deletes that would end associations.
package guard

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/vsphere"
)

// MayDelete reports whether something may be deleted for which carried was counted with err. It is an error when
// something carries it: what names it in the summary, such as "Tag".
func MayDelete(diags *diag.Diagnostics, what string, carried vsphere.Associated, err error) bool {
	if err != nil {
		explain.Failure{
			Summary:   "Unable to Count Associations",
			Privilege: "Read-only on the root object",
			Err:       err,
		}.AddTo(
			diags,
		)
		return false
	}
	if carried.Objects == 0 {
		return true
	}
	diags.AddError(
		what+" Still in Use",
		fmt.Sprintf(
			"Deleting would also end %s, and nothing was deleted. Detach first what carries them, or set force_destroy = true and apply that "+
				"before the delete. Where vCenters are linked, objects of the others count as well, and may not be visible to this one.",
			carried,
		),
	)
	return false
}
