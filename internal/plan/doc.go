// Package plan is the heart of vsla: what replication and migration promises cost, as arithmetic.
//
// It is pure. It imports nothing but the standard library's arithmetic and text, knows neither Terraform nor vCenter,
// reads no clock, no file and no environment, and returns the same result for the same input, always. Each calculator
// lives in a separate package below this one and has the same shape: an Input with units in its names, a Result that
// carries its verdict and the findings that explain it, and one function between them. An objective that is missed is
// a finding, not an error; an error is input that has no meaning, and names the input.
//
// Every number that goes in has a finite range. The ranges are generous, far beyond any real estate, and exist so that
// no arithmetic inside them can overflow: NaN and infinity cannot come out because they cannot arise.
package plan
