//go:build !conftest

package policytest_test

// withConftest is true with the build tag conftest, set by make policy-test. Compiling conftest takes longer than all
// other programs of the tests.
const withConftest = false
