// Package plan holds the arithmetic of replication and migration promises.
//
// The package is pure: it imports neither Terraform nor govmomi, reads no clock, file or environment, and returns the
// same result for the same input. Each calculator has its own package below this one, with the same shape: an Input
// with units in its names, a Result with a verdict and findings that explain it, and one function between them. A
// missed objective is a finding. Invalid input is an error that names the input.
//
// Every numeric input has a finite range, far beyond any real estate, so that no calculation overflows or returns
// NaN.
package plan
