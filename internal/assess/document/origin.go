package document

import (
	"slices"
	"strings"

	tfjson "github.com/hashicorp/terraform-json"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/wording"
)

// The sources of unset inputs, and of a result that can be an input as well.
const (
	FromDefaults = "defaults"
	FromComputed = "computed"
)

// Origin returns where the value of an input comes from.
func (d *Document) Origin(a *assess.Assessment, f *assess.Fact) string {
	if !f.Given() && !slices.Contains(a.Unknown, f.Name) {
		return FromDefaults
	}
	if d.inventory != "" {
		return fileOrigin(a.Type, f)
	}
	expression := d.expression(a.Address, f.Name)
	switch {
	case d.plan == nil:
		return "set explicitly (state does not record the source)"
	case expression == nil && f.Result:
		return FromComputed // it was not given
	case expression == nil:
		return "given"
	case len(expression.References) == 0:
		return "written in the configuration"
	}
	reference := wording.Clean(expression.References[0])
	if parts := strings.Split(reference, "."); parts[0] == "data" && len(parts) > 2 {
		if source := assess.KindOf(parts[1]).Source; source != "" {
			return source + " (" + reference + ")"
		}
	}
	return reference
}

func fileOrigin(kind string, f *assess.Fact) string {
	switch {
	case kind == "vsla_inventory_file":
		return "the command line"
	case slices.Contains([]string{"vm_count", "vm_size_gib", "used_gib", "virtual_machines"}, f.Name):
		return "the inventory file"
	case f.Result:
		return "the tiers file, or computed"
	}
	return "the tiers file"
}

// expression is the expression of an argument in the configuration of a plan; nil if that is not known.
func (d *Document) expression(address, argument string) *tfjson.Expression {
	if d.plan == nil || d.plan.Config == nil {
		return nil
	}
	modules, kind, name := assess.Names(address)
	module := d.plan.Config.RootModule
	for _, called := range modules {
		if module == nil || module.ModuleCalls[called] == nil {
			return nil
		}
		module = module.ModuleCalls[called].Module
	}
	if module == nil {
		return nil
	}
	for _, r := range module.Resources {
		if r.Mode == tfjson.DataResourceMode && r.Type == kind && r.Name == name {
			if e := r.Expressions[argument]; e != nil && e.ExpressionData != nil {
				return e
			}
		}
	}
	return nil
}
