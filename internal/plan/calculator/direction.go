package calculator

// Direction states which values are better.
type Direction string

// The directions, spelled as in the policies.
const (
	Lower  Direction = "low"
	Higher Direction = "high"
	// Either means that lower and higher values can both improve the verdict.
	Either Direction = "either"
	// Neutral means that no value changes the verdict.
	Neutral Direction = "no"
)

// Better sets the direction of an input, Lower or Higher. For a map of numbers it applies to the elements, for a map
// or an object of inputs to their number.
func (row Input[I]) Better(d Direction) Input[I] {
	row.Direction = d
	return row
}

// Either marks an input that can improve the verdict in both directions, and explains why.
func (row Input[I]) Either(why string) Input[I] {
	row.Direction, row.Why = Either, why
	return row
}

// Neutral marks an input that changes no verdict, and explains why.
func (row Input[I]) Neutral(why string) Input[I] {
	row.Direction, row.Why = Neutral, why
	return row
}

// WorstIfAbsent marks an input whose absence is the worst case.
func (row Input[I]) WorstIfAbsent() Input[I] {
	row.AbsentWorst = true
	return row
}

// Simulates marks an input that requests a simulation.
func (row Input[I]) Simulates() Input[I] {
	row.Field.Simulates = true
	return row
}

// Boundary ties a result to an input: as the value of Input the result makes the boolean result Test true, and the
// next worse value makes it false. If the result is null, no value of Input changes Test.
type Boundary struct{ Input, Test string }

// BoundaryOf marks the result as the worst value of an input for which a boolean result is true.
func (row Output[R]) BoundaryOf(input, test string) Output[R] {
	row.Boundary = &Boundary{Input: input, Test: test}
	return row
}

// Better sets the direction of a result, Lower or Higher: a worse input never improves the result.
func (row Output[R]) Better(d Direction) Output[R] {
	row.Direction = d
	return row
}
