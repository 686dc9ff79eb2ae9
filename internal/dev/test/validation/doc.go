// Package validation compares what vsla calculates with what others published: measurements, worked examples and
// tables of formulas, each with its source. It writes docs/validation.md.
package validation
