// Package docstest holds the tests of the documentation: guides, README and examples are planned, applied and
// recomputed as they stand.
package docstest
