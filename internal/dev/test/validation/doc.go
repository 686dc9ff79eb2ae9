// Package validation compares vsla's calculations with published measurements, worked examples and formulas, and
// generates docs/validation.md.
package validation
