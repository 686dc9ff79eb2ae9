package document

import (
	"slices"
	"strings"

	tfjson "github.com/hashicorp/terraform-json"

	"terraform-provider-vsla/internal/assess"
)

// Origins of inputs that are not set in the configuration: either the default applies, or the data source computes the
// value.
const (
	FromDefaults = "defaults"
	FromComputed = "computed"
)

// Origins of inputs that are set, but not by a reference.
const (
	fromConfiguration = "set in the configuration"
	fromState         = "set explicitly (state does not record the source)"
	fromUnknown       = "set (source unknown)"
)

// Origins of the inputs of a review of an inventory file.
const (
	fromCommandLine   = "the command line"
	fromInventory     = "the inventory file"
	fromTiers         = "the tiers file"
	fromTiersComputed = "the tiers file, or computed"
	fromTiersMoves    = "the migration of the tiers file"
	fromTiersLink     = "the tiers file, or its share of the link"
)

// Origin describes where the value of an input comes from: one of the origins above, or a reference.
func (d *Document) Origin(a *assess.Assessment, f *assess.Fact) string {
	if !f.HasValue() && !slices.Contains(a.Unknown, f.Name) {
		return FromDefaults
	}
	if d.inventory != "" {
		return d.fileOrigin(a.Type, f)
	}
	expression := d.expression(a.Address, f.Name)
	switch {
	case d.plan == nil:
		return fromState
	case expression == nil && f.Result:
		return FromComputed
	case expression == nil:
		return fromUnknown
	case len(expression.References) == 0:
		return fromConfiguration
	}
	reference := expression.References[0]
	if parts := strings.Split(reference, "."); parts[0] == "data" && len(parts) > 2 {
		if source := assess.KindOf(parts[1]).Source; source != "" {
			return source + " (" + reference + ")"
		}
	}
	return reference
}

func (d *Document) fileOrigin(kind string, f *assess.Fact) string {
	moves := slices.ContainsFunc(d.computed, func(r assess.Raw) bool { return r.Type == assess.TypeMigration })
	switch {
	case kind == "vsla_inventory_file":
		return fromCommandLine
	case slices.Contains([]string{"vm_count", "vm_size_gib", "used_gib", "virtual_machines"}, f.Name):
		return fromInventory
	case f.Result:
		return fromTiersComputed
	case f.Name == "hourly_moves_percent" && moves:
		return fromTiersMoves
	case kind == assess.TypeMigration && strings.HasSuffix(f.Name, "throughput_mbps"):
		return fromTiersLink
	}
	return fromTiers
}

// expression returns an argument's expression in the plan's configuration, or nil if it is unknown.
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
