// Package plan contains the common parts of the calculators for replication and migration promises.
//
// The package and its subpackages are pure: they import neither Terraform nor govmomi, read no clock, file or
// environment, and return the same result for the same input. Each calculator is a subpackage with the same structure:
// an Input whose field names include units, a Result with a verdict and findings that explain it, and a function that
// computes the result. A missed objective is a finding. Invalid input is an error that names the input.
//
// Every numeric input has a finite range, which is far larger than any real data center needs, so that no calculation
// overflows or returns NaN.
package plan
