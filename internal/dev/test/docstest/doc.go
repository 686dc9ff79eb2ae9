// Package docstest tests the documentation: the guides, README and examples are planned, applied and recomputed
// unchanged.
package docstest
