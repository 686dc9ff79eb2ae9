// Package archtest tests the source tree: dependencies between packages, file locations of Terraform objects, and line
// lengths.
package archtest
