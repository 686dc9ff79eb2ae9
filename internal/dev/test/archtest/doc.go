// Package archtest tests the source tree: dependencies between packages, locations of Terraform names, and line
// lengths.
package archtest
