// Directions: which values of an input or of a result are better for whoever relies on the result.

package calculator

// Direction reports which values are better.
type Direction string

// The directions, in the words of the policies.
const (
	Lower  Direction = "low"
	Higher Direction = "high"
	// Either: lower and higher values can both turn the verdict to the better.
	Either Direction = "either"
	// Neutral: no value changes the verdict.
	Neutral Direction = "no"
)

// Better states which values of the input are better: Lower or Higher. Of a map it is the direction of its elements, of
// a map or an object of inputs that of their number. The tests of the registry hold every calculator to it.
func (row Input[I]) Better(d Direction) Input[I] {
	row.Direction = d
	return row
}

// Either states that both directions can turn the verdict to the better, and why.
func (row Input[I]) Either(why string) Input[I] {
	row.Direction, row.Why = Either, why
	return row
}

// Neutral states that the input changes no verdict, and why.
func (row Input[I]) Neutral(why string) Input[I] {
	row.Direction, row.Why = Neutral, why
	return row
}

// WorstIfAbsent states that no value is worse than none.
func (row Input[I]) WorstIfAbsent() Input[I] {
	row.AbsentWorst = true
	return row
}

// Simulates states that giving the input asks for a simulation.
func (row Input[I]) Simulates() Input[I] {
	row.Field.Simulates = true
	return row
}

// Boundary is a claim about a result: as the value of Input it makes the boolean result Test true, the next worse value
// does not. Where the result is null no value of Input makes a difference.
type Boundary struct{ Input, Test string }

// BoundaryOf states that the result is the worst value of an input with which a boolean result is true.
func (row Output[R]) BoundaryOf(input, test string) Output[R] {
	row.Boundary = &Boundary{Input: input, Test: test}
	return row
}

// Better states which values of the result are better, Lower or Higher: a worse input never makes it better.
func (row Output[R]) Better(d Direction) Output[R] {
	row.Direction = d
	return row
}
