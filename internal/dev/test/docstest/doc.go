// Package docstest tests the documentation. It plans and applies the examples in the guides and the README unchanged,
// and recomputes the numbers in the text.
package docstest
