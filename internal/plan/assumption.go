package plan

// Assumption is an input that is not known.
type Assumption struct {
	// Input is the name of the input, and At is the name of the link, tier or VM to which it belongs; empty for the
	// whole plan.
	Input, At string
	// Value is the likely value, and WorseValue is the value at the worse end; nil if only one value is assumed.
	Value      float64
	WorseValue *float64
	// Source is where the value comes from, and its age; nil if it is assumed.
	Source *string
	// Decides reports whether the verdict would be better if the value were known.
	Decides bool
}
