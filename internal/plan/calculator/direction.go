package calculator

// Direction states which values are better.
type Direction string

// Directions, spelled as in the policies.
const (
	Lower  Direction = "low"
	Higher Direction = "high"
	// Either means that lower and higher values can both improve the verdict.
	Either Direction = "either"
	// Neutral means that no value changes the verdict.
	Neutral Direction = "no"
)

// Better sets the direction of an input, Lower or Higher. For a map of numbers, the direction applies to the elements.
// For an object or a map of objects, it applies to the number of elements.
func (row Input[I]) Better(d Direction) Input[I] {
	row.Direction = d
	return row
}

// Either marks an input for which both lower and higher values can improve the verdict. why states the reason.
func (row Input[I]) Either(why string) Input[I] {
	row.Direction, row.Why = Either, why
	return row
}

// Neutral marks an input that has no effect on the verdict. why states the reason.
func (row Input[I]) Neutral(why string) Input[I] {
	row.Direction, row.Why = Neutral, why
	return row
}

// WorstIfAbsent marks an input whose absence is the worst case.
func (row Input[I]) WorstIfAbsent() Input[I] {
	row.AbsentWorst = true
	return row
}

// Simulates marks an input that triggers a simulation.
func (row Input[I]) Simulates() Input[I] {
	row.Field.Simulates = true
	return row
}

// Boundary links a result to an input. If Input is set to the result, the boolean result Test is true; for the next
// worse value, Test is false. If the result is null, Test is the same for all values of Input.
type Boundary struct{ Input, Test string }

// BoundaryOf marks a result as the worst value of an input for which a boolean result is true.
func (row Output[R]) BoundaryOf(input, test string) Output[R] {
	row.Boundary = &Boundary{Input: input, Test: test}
	return row
}

// Better sets the direction of a result, Lower or Higher. A worse input never improves a result with a direction.
func (row Output[R]) Better(d Direction) Output[R] {
	row.Direction = d
	return row
}
