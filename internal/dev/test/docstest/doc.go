// Package docstest tests the documentation: guides, README and examples are planned, applied and recomputed unchanged.
package docstest
