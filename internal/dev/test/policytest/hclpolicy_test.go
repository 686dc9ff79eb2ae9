// The Terraform Policy kit, read as its public reference describes the language. The vendor's engine is not available
// to these tests: they parse the file and evaluate its expressions themselves.

package policytest_test

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/tryfunc"
	"github.com/hashicorp/hcl/v2/hclparse"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"terraform-provider-vsla/internal/plan/registry"
)

const hclKit = "examples/policy/terraform-policy/vsla.policy.hcl"

// hclPolicy is a resource_policy or a provider_policy.
type hclPolicy struct {
	kind, target, label string
	level               string
	operations          []string
	locals              hcl.Attributes
	enforce             []hcl.Attributes
}

// hclFile is a file of policies.
type hclFile struct {
	inputs   map[string]cty.Value
	locals   hcl.Attributes
	policies []hclPolicy
}

func attributes(names ...string) []hcl.AttributeSchema {
	var list []hcl.AttributeSchema
	for _, name := range names {
		list = append(list, hcl.AttributeSchema{Name: name})
	}
	return list
}

// The blocks and arguments of the reference, as far as the kit needs them. Others are an error.
var (
	fileSchema = &hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{
		{Type: "policy"},
		{Type: "input", LabelNames: []string{"label"}},
		{Type: "locals"},
		{Type: "resource_policy", LabelNames: []string{"resource_type", "policy_label"}},
		{Type: "provider_policy", LabelNames: []string{"provider_name", "policy_label"}},
	}}
	settingsSchema = &hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{
		{Type: "terraform_config"}, {Type: "required_providers"},
	}}
	inputSchema  = &hcl.BodySchema{Attributes: attributes("type", "description", "default")}
	policySchema = &hcl.BodySchema{
		Attributes: attributes("enforcement_level", "operations"),
		Blocks:     []hcl.BlockHeaderSchema{{Type: "locals"}, {Type: "enforce"}},
	}
	enforceSchema = &hcl.BodySchema{Attributes: []hcl.AttributeSchema{
		{Name: "condition", Required: true}, {Name: "error_message", Required: true},
	}}
)

func sound(t *testing.T, diags hcl.Diagnostics) {
	t.Helper()
	if diags.HasErrors() {
		t.Fatal(diags.Error())
	}
}

// readHCLKit parses the kit.
func readHCLKit(t *testing.T) hclFile {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root(t), hclKit))
	if err != nil {
		t.Fatal(err)
	}
	parsed, diags := hclparse.NewParser().ParseHCL(content, hclKit)
	sound(t, diags)
	body, diags := parsed.Body.Content(fileSchema)
	sound(t, diags)
	file := hclFile{inputs: map[string]cty.Value{}}
	for _, block := range body.Blocks {
		switch block.Type {
		case "policy":
			_, diags := block.Body.Content(settingsSchema)
			sound(t, diags)
		case "input":
			arguments, diags := block.Body.Content(inputSchema)
			sound(t, diags)
			value, diags := arguments.Attributes["default"].Expr.Value(nil)
			sound(t, diags)
			file.inputs[block.Labels[0]] = value
		case "locals":
			file.locals, diags = block.Body.JustAttributes()
			sound(t, diags)
		default:
			file.policies = append(file.policies, readHCLPolicy(t, block))
		}
	}
	return file
}

func readHCLPolicy(t *testing.T, block *hcl.Block) hclPolicy {
	t.Helper()
	p := hclPolicy{
		kind: block.Type, target: block.Labels[0], label: block.Labels[1], operations: []string{"create", "update", "no-op"},
	}
	body, diags := block.Body.Content(policySchema)
	sound(t, diags)
	for name, attribute := range body.Attributes {
		value, diags := attribute.Expr.Value(nil)
		sound(t, diags)
		if name == "enforcement_level" {
			p.level = value.AsString()
			continue
		}
		p.operations = nil
		for _, operation := range value.AsValueSlice() {
			p.operations = append(p.operations, operation.AsString())
		}
	}
	for _, inner := range body.Blocks {
		if inner.Type == "locals" {
			p.locals, diags = inner.Body.JustAttributes()
			sound(t, diags)
			continue
		}
		content, diags := inner.Body.Content(enforceSchema)
		sound(t, diags)
		p.enforce = append(p.enforce, content.Attributes)
	}
	return p
}

// hclTarget is a resource or a provider that policies judge.
type hclTarget struct {
	kind, operation string
	attrs, prior    any
	source          string
	inputs          map[string]any
	// measured are the results of data sources that are no calculators, by type.
	measured map[string]any
}

func (p hclPolicy) matches(target hclTarget) bool {
	if p.kind == "provider_policy" {
		return target.source != ""
	}
	prefix, wildcard := strings.CutSuffix(p.target, "*")
	named := p.target == target.kind || wildcard && strings.HasPrefix(target.kind, prefix)
	return target.source == "" && named && slices.Contains(p.operations, target.operation)
}

// codes judges a target and returns the codes of the conditions that are not true, sorted.
func (f hclFile) codes(t *testing.T, target hclTarget) []string {
	t.Helper()
	inputs := make(map[string]cty.Value, len(f.inputs))
	maps.Copy(inputs, f.inputs)
	for name, value := range target.inputs {
		if _, known := inputs[name]; !known {
			t.Fatalf("the kit has no input %s", name)
		}
		inputs[name] = ctyOf(t, value)
	}
	ctx := &hcl.EvalContext{
		Variables: map[string]cty.Value{
			"input": cty.ObjectVal(inputs), "attrs": ctyOf(t, target.attrs), "prior_attrs": ctyOf(t, target.prior),
			"meta": cty.ObjectVal(map[string]cty.Value{"source": cty.StringVal(target.source)}),
		},
		Functions: hclFunctions(target.measured),
	}
	locals := evaluate(t, ctx, f.locals, nil)
	codes := []string{}
	for _, p := range f.policies {
		if !p.matches(target) {
			continue
		}
		evaluate(t, ctx, p.locals, locals)
		for _, rule := range p.enforce {
			condition, diags := rule["condition"].Expr.Value(ctx)
			sound(t, diags)
			message, diags := rule["error_message"].Expr.Value(ctx)
			sound(t, diags)
			if !condition.RawEquals(cty.True) {
				codes = append(codes, codeOf(t, message.AsString()))
			}
		}
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// codeOf returns the code at the end of a message: "(code rpo_missed).".
func codeOf(t *testing.T, message string) string {
	t.Helper()
	_, code, found := strings.Cut(message, "(code ")
	if !found || !strings.HasSuffix(code, ").") {
		t.Fatalf("no code: %q", message)
	}
	return strings.TrimSuffix(code, ").")
}

// evaluate puts the values of locals beside those that are given: each when those that it refers to are known.
func evaluate(
	t *testing.T, ctx *hcl.EvalContext, locals hcl.Attributes, given map[string]cty.Value,
) map[string]cty.Value {
	t.Helper()
	values := make(map[string]cty.Value, len(given))
	maps.Copy(values, given)
	for range locals {
		for name, attribute := range locals {
			if _, done := values[name]; done || !ready(attribute.Expr, values) {
				continue
			}
			ctx.Variables["local"] = cty.ObjectVal(values)
			value, diags := attribute.Expr.Value(ctx)
			sound(t, diags)
			values[name] = value
		}
	}
	ctx.Variables["local"] = cty.ObjectVal(values)
	if len(values) != len(given)+len(locals) {
		t.Fatal("locals refer to each other in a circle, or to none, or have the name of another one")
	}
	return values
}

func ready(e hcl.Expression, values map[string]cty.Value) bool {
	for _, traversal := range e.Variables() {
		if step, ok := second(traversal); ok && traversal.RootName() == "local" {
			if _, known := values[step]; !known {
				return false
			}
		}
	}
	return true
}

// second is the name after the root of a traversal: vm_id of attrs.vm_id.
func second(traversal hcl.Traversal) (string, bool) {
	if len(traversal) < 2 {
		return "", false
	}
	step, ok := traversal[1].(hcl.TraverseAttr)
	return step.Name, ok
}

func ctyOf(t *testing.T, value any) cty.Value {
	t.Helper()
	found, err := toCty(value)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func toCty(value any) (cty.Value, error) {
	content, err := json.Marshal(value)
	if err != nil {
		return cty.NilVal, err
	}
	kind, err := ctyjson.ImpliedType(content)
	if err != nil {
		return cty.NilVal, err
	}
	return ctyjson.Unmarshal(content, kind)
}

// hclFunctions are those of the reference that the kit uses.
func hclFunctions(measured map[string]any) map[string]function.Function {
	return map[string]function.Function{
		"core::concat": stdlib.ConcatFunc, "core::contains": stdlib.ContainsFunc, "core::flatten": stdlib.FlattenFunc,
		"core::join": stdlib.JoinFunc, "core::max": stdlib.MaxFunc, "core::merge": stdlib.MergeFunc,
		"core::min": stdlib.MinFunc, "core::split": stdlib.SplitFunc, "core::try": tryfunc.TryFunc,
		"core::length": function.New(&function.Spec{
			Params: []function.Parameter{{Name: "collection", Type: cty.DynamicPseudoType}},
			Type:   function.StaticReturnType(cty.Number),
			Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
				if !args[0].CanIterateElements() {
					return cty.NilVal, errors.New("not a collection")
				}
				return cty.NumberIntVal(int64(args[0].LengthInt())), nil
			},
		}),
		"core::getdatasource": function.New(&function.Spec{
			Params: []function.Parameter{
				{Name: "type", Type: cty.String}, {Name: "config", Type: cty.DynamicPseudoType},
			},
			Type: func(args []cty.Value) (cty.Type, error) {
				value, err := dataSource(args[0].AsString(), args[1], measured)
				return value.Type(), err
			},
			Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
				return dataSource(args[0].AsString(), args[1], measured)
			},
		}),
	}
}

// dataSource computes a calculator: its inputs, null where they are not given, and its results.
func dataSource(kind string, config cty.Value, measured map[string]any) (cty.Value, error) {
	if result, ok := measured[kind]; ok {
		return toCty(result)
	}
	c, ok := registry.OfDataSource(kind)
	if !ok {
		return cty.DynamicVal, errors.New("no calculator " + kind)
	}
	content, err := ctyjson.Marshal(config, config.Type())
	if err != nil {
		return cty.DynamicVal, err
	}
	var given map[string]any
	if err := json.Unmarshal(content, &given); err != nil {
		return cty.DynamicVal, err
	}
	result, err := c.Evaluate(given)
	if err != nil {
		return cty.DynamicVal, err
	}
	for _, f := range c.Inputs() {
		if _, computed := result[f.Name]; !computed {
			result[f.Name] = given[f.Name]
		}
	}
	return toCty(result)
}
