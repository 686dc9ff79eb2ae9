package explain

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-vsla/internal/provider/kit/destroying"
)

// AdoptAdvice returns the alternative to an import of an existing object. equal is true if it has the planned settings.
func AdoptAdvice(noun string, equal bool) string {
	cause := ""
	if equal {
		cause = "It has the planned settings, so an interrupted create may have left it behind. "
	}
	return cause + "Alternatively, set adopt_existing = true to adopt the " + noun + ".\n\n"
}

// AlreadyExists adds a diagnostic for an object that already exists. It contains an import block for the object. It is
// an error, or a warning in a destroy, which must not depend on objects that it does not delete.
func (f Failure) AlreadyExists(diags *diag.Diagnostics, attribute path.Path, typeName, importID string) {
	add := diags.AddAttributeError
	if destroying.Now() {
		add = diags.AddAttributeWarning
	}
	add(attribute, f.Summary, "The object already exists and is not adopted automatically. "+
		f.importAdvice(typeName, importID))
}

// WarnTaken adds a warning to a plan for an object that already exists. It is no error, because a rename or a removal
// of the same apply can make way, and the plan of another resource does not show that in all orders.
func (f Failure) WarnTaken(diags *diag.Diagnostics, attribute path.Path, typeName, importID string) {
	diags.AddAttributeWarning(attribute, f.Summary, "The object already exists and is not adopted automatically, so "+
		"the apply fails unless it renames or removes the object first. If another resource does that, add "+
		"depends_on. "+
		f.importAdvice(typeName, importID))
}

// ExistsSincePlan adds an error for an object that was created after the plan, which cannot be adopted unseen.
func ExistsSincePlan(diags *diag.Diagnostics, attribute path.Path, title string) {
	diags.AddAttributeError(
		attribute,
		title+" Exists Since the Plan",
		"The object did not exist when the plan was made, so the plan did not show what adopting it changes. Nothing "+
			"was changed. Plan again.",
	)
}

// templates escapes what would be a template in a string of a configuration.
var templates = strings.NewReplacer("${", "$${", "%{", "%%{")

func (f Failure) importAdvice(typeName, importID string) string {
	return fmt.Sprintf("If this resource already manages it, do not import it, but remove create_before_destroy from "+
		"this resource and from resources that depend on it, because the object cannot exist twice. If the address "+
		"of the resource has changed, or another resource of this configuration manages the object, add a moved "+
		"block. Otherwise, import it. Replace NAME with the name of the resource and, with for_each or count, its "+
		"key:\n\n  import {\n    to = %s.NAME\n    id = %s\n  }\n\n%s%s",
		typeName, templates.Replace(strconv.Quote(importID)), f.Alternative, sentence(f.Err))
}
