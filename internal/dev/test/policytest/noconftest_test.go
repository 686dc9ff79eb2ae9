//go:build !conftest

package policytest_test

// withConftest is true if the build tag conftest is set, as in make policy-test. Compiling conftest takes longer than
// compiling all other programs used by the tests.
const withConftest = false
