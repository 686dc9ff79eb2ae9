package calculator

import "terraform-provider-vsla/internal/plan"

// AssumptionRows describes an input that is not known. places is the list of the kinds of places to which inputs
// belong.
func AssumptionRows(places string) Outputs[plan.Assumption] {
	return Outputs[plan.Assumption]{
		Result("input", "Name of the input.", func(r *plan.Assumption) *string { return &r.Input }),
		Result("at", "Name of the "+places+" to which it belongs.", func(r *plan.Assumption) *string { return &r.At }),
		Result("value", "Likely value. For `throughput_basis` and `measured`, the usable throughput, in Mbit/s.",
			func(r *plan.Assumption) *float64 { return &r.Value }),
		Result("worse_value", "Value at the worse end. Null if only one value is assumed.",
			func(r *plan.Assumption) **float64 { return &r.WorseValue }),
		Result("source", "Where the value comes from, and its age. Null if it is assumed.",
			func(r *plan.Assumption) **string { return &r.Source }),
		Result("decides", "Whether a verdict could be better if the value were known.",
			func(r *plan.Assumption) *bool { return &r.Decides }),
	}
}
