//go:build !conftest

package policytest_test

// withConftest is true with the build tag conftest, which make policy-test sets. Compiling conftest takes longer than
// compiling all other programs used by the tests.
const withConftest = false
