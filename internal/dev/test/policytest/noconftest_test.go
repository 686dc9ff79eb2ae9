//go:build !conftest

package policytest_test

// withConftest is true with the tag conftest, which make policy-test sets: conftest takes longer to compile than all
// other programs of the tests.
const withConftest = false
