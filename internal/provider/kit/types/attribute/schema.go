// Package attribute provides schema attributes and values that data sources share: numbers with a valid range, object
// IDs, and lists and maps of Go values.
package attribute

import (
	"context"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/plan"
)

// String returns a computed string attribute.
func String(doc string) schema.StringAttribute {
	return schema.StringAttribute{MarkdownDescription: doc, Computed: true}
}

// RequiredString returns a required string attribute with validators.
func RequiredString(doc string, valid ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{MarkdownDescription: doc, Required: true, Validators: valid}
}

// OptionalString returns an optional string attribute with validators.
func OptionalString(doc string, valid ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{MarkdownDescription: doc, Optional: true, Validators: valid}
}

// OptionalComputedString returns an optional and computed string attribute with validators.
func OptionalComputedString(doc string, valid ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{MarkdownDescription: doc, Optional: true, Computed: true, Validators: valid}
}

// Int64 returns a computed integer attribute.
func Int64(doc string) schema.Int64Attribute {
	return schema.Int64Attribute{MarkdownDescription: doc, Computed: true}
}

// OptionalComputedInt64 returns an optional and computed integer attribute with validators.
func OptionalComputedInt64(doc string, valid ...validator.Int64) schema.Int64Attribute {
	return schema.Int64Attribute{MarkdownDescription: doc, Optional: true, Computed: true, Validators: valid}
}

// Bool returns a computed bool attribute.
func Bool(doc string) schema.BoolAttribute {
	return schema.BoolAttribute{MarkdownDescription: doc, Computed: true}
}

// OptionalBool returns an optional bool attribute with validators.
func OptionalBool(doc string, valid ...validator.Bool) schema.BoolAttribute {
	return schema.BoolAttribute{MarkdownDescription: doc, Optional: true, Validators: valid}
}

// OptionalComputedBool returns an optional and computed bool attribute with validators.
func OptionalComputedBool(doc string, valid ...validator.Bool) schema.BoolAttribute {
	return schema.BoolAttribute{MarkdownDescription: doc, Optional: true, Computed: true, Validators: valid}
}

// StringList returns a computed string list attribute.
func StringList(doc string) schema.ListAttribute {
	return schema.ListAttribute{MarkdownDescription: doc, ElementType: types.StringType, Computed: true}
}

// RequiredStringList returns a required string list attribute with validators.
func RequiredStringList(doc string, valid ...validator.List) schema.ListAttribute {
	return schema.ListAttribute{
		MarkdownDescription: doc,
		ElementType:         types.StringType,
		Required:            true,
		Validators:          valid,
	}
}

// OptionalStringList returns an optional string list attribute with validators.
func OptionalStringList(doc string, valid ...validator.List) schema.ListAttribute {
	return schema.ListAttribute{
		MarkdownDescription: doc,
		ElementType:         types.StringType,
		Optional:            true,
		Validators:          valid,
	}
}

// StringMap returns a computed string map attribute.
func StringMap(doc string) schema.MapAttribute {
	return schema.MapAttribute{MarkdownDescription: doc, ElementType: types.StringType, Computed: true}
}

// Object returns a computed object attribute.
func Object(doc string, attributes map[string]schema.Attribute) schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{MarkdownDescription: doc, Computed: true, Attributes: attributes}
}

// Objects returns a computed object map attribute.
func Objects(doc string, attributes map[string]schema.Attribute) schema.MapNestedAttribute {
	return schema.MapNestedAttribute{
		MarkdownDescription: doc,
		Computed:            true,
		NestedObject:        schema.NestedAttributeObject{Attributes: attributes},
	}
}

// ObjectList returns a computed object list attribute.
func ObjectList(doc string, attributes map[string]schema.Attribute) schema.ListNestedAttribute {
	return schema.ListNestedAttribute{
		MarkdownDescription: doc,
		Computed:            true,
		NestedObject:        schema.NestedAttributeObject{Attributes: attributes},
	}
}

// Path converts a path from internal/plan to a Terraform path.
func Path(p plan.Path) path.Path {
	at := path.Empty()
	for i, step := range p {
		switch {
		case i == 0:
			at = path.Root(step.Name)
		case step.Kind == plan.StepAttribute:
			at = at.AtName(step.Name)
		case step.Kind == plan.StepKey:
			at = at.AtMapKey(step.Name)
		default:
			at = at.AtListIndex(step.Index)
		}
	}
	return at
}

// InvalidInput is the summary of diagnostics about numbers that are out of range.
const InvalidInput = "Invalid Calculator Input"

// InRange returns a validator that accepts the numbers in a range.
func InRange(r plan.Range) validator.Float64 { return inRange{r} }

// Int64InRange returns a validator that accepts the integers in a range.
func Int64InRange(r plan.Range) validator.Int64 {
	return int64validator.Between(int64(r.Min), int64(r.Max))
}

type inRange struct{ r plan.Range }

// Description describes the range.
func (v inRange) Description(context.Context) string { return "value must be " + v.r.String() }

// MarkdownDescription returns the result of Description.
func (v inRange) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateFloat64 checks whether a known value is in the range.
func (v inRange) ValidateFloat64(_ context.Context, req validator.Float64Request, resp *validator.Float64Response) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if err := v.r.Check(req.ConfigValue.ValueFloat64()); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, InvalidInput, req.Path.String()+" "+err.Error())
	}
}

// OptionalFloat64 returns an optional number attribute whose description includes the range.
func OptionalFloat64(r plan.Range, doc string) schema.Float64Attribute {
	return schema.Float64Attribute{
		MarkdownDescription: doc + " Must be " + r.String() + ".",
		Optional:            true,
		Validators:          []validator.Float64{inRange{r}},
	}
}

// OptionalComputedFloat64 returns an optional and computed number attribute whose description includes the range.
func OptionalComputedFloat64(r plan.Range, doc string) schema.Float64Attribute {
	a := OptionalFloat64(r, doc)
	a.Computed = true
	return a
}

// Float64 returns a computed number attribute.
func Float64(doc string) schema.Float64Attribute {
	return schema.Float64Attribute{MarkdownDescription: doc, Computed: true}
}

const uuid = `[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}`

// UUID matches the IDs of pairings and vCenters.
var UUID = regexp.MustCompile(`^` + uuid + `$`)

// Validators for vSphere Replication IDs.
var (
	// IsUUID accepts the UUID of a pairing or vCenter.
	IsUUID = stringvalidator.RegexMatches(
		UUID,
		"must be a UUID, as returned by the data source vsla_replication_pairing",
	)
	// IsVM accepts the ID of a VM.
	IsVM = stringvalidator.RegexMatches(
		regexp.MustCompile(`^VirtualMachine:[^:]+:`+uuid+`$`),
		"must be VirtualMachine:<managed object ID>:<instance UUID of its vCenter>, as returned by the function "+
			"replication_object_id",
	)
	// IsDatastore accepts the ID of a datastore or datastore cluster.
	IsDatastore = stringvalidator.RegexMatches(
		regexp.MustCompile(`^(Datastore|StoragePod):[^:]+:`+uuid+`$`),
		"must be Datastore:<managed object ID>:<instance UUID of its vCenter>, as returned by the data source "+
			"vsla_replication_site",
	)
)

// OrNull returns s as a Terraform string, or null if s is empty.
func OrNull(s string) types.String {
	if s == "" {
		return types.StringNull()
	}
	return types.StringValue(s)
}

// Float64ListValue converts a slice to a list.
func Float64ListValue(numbers []float64) types.List {
	values := make([]attr.Value, len(numbers))
	for i, n := range numbers {
		values[i] = types.Float64Value(n)
	}
	return types.ListValueMust(types.Float64Type, values)
}
