package tfplan

import (
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// isConstant reports whether an expression refers to nothing but local values that are constant, and files.
func isConstant(e hcl.Expression, locals map[string]hcl.Expression, steps int) bool {
	return steps > 0 && !slices.ContainsFunc(e.Variables(), func(reference hcl.Traversal) bool {
		local := locals[localName(reference)]
		return reference.RootName() != "path" && (local == nil || !isConstant(local, locals, steps-1))
	})
}

// localName returns the name of the local value that a reference refers to, or "".
func localName(reference hcl.Traversal) string {
	if len(reference) < 2 || reference.RootName() != "local" {
		return ""
	}
	step, _ := reference[1].(hcl.TraverseAttr)
	return step.Name
}

// hasLiteral reports whether an expression yields an ID that is written in it, or in a local value that it uses.
// Conditions yield nothing.
func hasLiteral(e hcl.Expression, locals map[string]hcl.Expression, steps int) bool {
	if steps == 0 {
		return false
	}
	switch e := e.(type) {
	case *hclsyntax.TemplateExpr:
		value, diags := e.Value(nil)
		return !diags.HasErrors() && value.IsKnown() && isID(value.AsString())
	case *hclsyntax.ScopeTraversalExpr:
		local := locals[localName(e.Traversal)]
		return local != nil && hasLiteral(local, locals, steps-1)
	}
	return slices.ContainsFunc(operands(e), func(one hclsyntax.Expression) bool {
		return one != nil && hasLiteral(one, locals, steps-1)
	})
}

// isID reports whether a text is the ID of an object, such as vm-42.
func isID(text string) bool {
	kind, number, ok := strings.Cut(text, "-")
	return ok && kind != "" && number != "" && strings.Trim(number, "0123456789") == ""
}

// operands returns the parts of an expression whose values are part of its value. A part may be nil.
func operands(e hcl.Expression) []hclsyntax.Expression {
	switch e := e.(type) {
	case *hclsyntax.ConditionalExpr:
		return []hclsyntax.Expression{e.TrueResult, e.FalseResult}
	case *hclsyntax.ForExpr:
		return []hclsyntax.Expression{e.CollExpr, e.KeyExpr, e.ValExpr}
	case *hclsyntax.TupleConsExpr:
		return e.Exprs
	case *hclsyntax.FunctionCallExpr:
		if e.Name == "setsubtract" {
			return e.Args[:min(1, len(e.Args))] // the others are left out
		}
		return e.Args
	case *hclsyntax.ParenthesesExpr:
		return []hclsyntax.Expression{e.Expression}
	case *hclsyntax.IndexExpr:
		return []hclsyntax.Expression{e.Collection}
	case *hclsyntax.RelativeTraversalExpr:
		return []hclsyntax.Expression{e.Source}
	case *hclsyntax.SplatExpr:
		return []hclsyntax.Expression{e.Source}
	case *hclsyntax.ObjectConsExpr:
		var all []hclsyntax.Expression
		for _, item := range e.Items {
			all = append(all, item.KeyExpr, item.ValueExpr)
		}
		return all
	case *hclsyntax.ObjectConsKeyExpr:
		return []hclsyntax.Expression{e.Wrapped}
	}
	return nil
}

// isSelected reports whether an expression yields nothing but what data sources of VMs return, and empty lists. Other
// data sources, such as local_file, can return a list that somebody has written.
func isSelected(e hcl.Expression) bool {
	if reference, ok := e.(*hclsyntax.ScopeTraversalExpr); ok {
		text := traversalText(reference.Traversal)
		return strings.HasPrefix(text, "data.vsla_") || strings.HasPrefix(text, "data.vsphere_")
	}
	parts := operands(e)
	_, isList := e.(*hclsyntax.TupleConsExpr)
	return (isList || len(parts) > 0) && !slices.ContainsFunc(parts, func(one hclsyntax.Expression) bool {
		return !isSelected(one)
	})
}

// isVariable reports whether an expression is a variable and nothing else.
func isVariable(e hcl.Expression) bool {
	traversal, diags := hcl.AbsTraversalForExpr(e)
	return !diags.HasErrors() && len(traversal) == 2 && traversal.RootName() == "var"
}

func keyText(e hcl.Expression) string {
	if name := hcl.ExprAsKeyword(e); name != "" {
		return name
	}
	value, diags := e.Value(nil)
	if diags.HasErrors() || value.Type() != cty.String || !value.IsKnown() || value.IsNull() {
		return "*"
	}
	return value.AsString()
}

func (f *File) readInputs(address string, block *hcl.Block) {
	if !strings.HasPrefix(block.Labels[0], "vsla_") {
		return
	}
	attributes, _ := block.Body.JustAttributes()
	delete(attributes, "for_each") // Terraform's own, whose keys are no inputs
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		f.nested(address, name, attributes[name].Expr)
	}
}

// Input is a name in a nested argument: data.vsla_sla_plan.estate, tiers.*.peak_facto.
type Input struct{ Address, Path string }

// nested records the names below an argument. The keys of for expressions are "*".
func (f *File) nested(address, at string, e hcl.Expression) {
	switch e := e.(type) {
	case *hclsyntax.ForExpr:
		if e.KeyExpr != nil {
			f.Inputs = append(f.Inputs, Input{address, at + ".*"})
			f.nested(address, at+".*", e.ValExpr)
		}
	case *hclsyntax.ParenthesesExpr:
		f.nested(address, at, e.Expression)
	case *hclsyntax.ConditionalExpr:
		f.nested(address, at, e.TrueResult)
		f.nested(address, at, e.FalseResult)
	case *hclsyntax.TupleConsExpr:
		for _, element := range e.Exprs {
			f.nested(address, at, element)
		}
	default:
		pairs, diags := hcl.ExprMap(e)
		if diags.HasErrors() {
			return
		}
		for _, pair := range pairs {
			path := at + "." + keyText(pair.Key)
			f.Inputs = append(f.Inputs, Input{address, path})
			f.nested(address, path, pair.Value)
		}
	}
}
