// Package archtest holds the tests of the source tree: which package may import which, where a Terraform name is found,
// and how the text is written.
package archtest
