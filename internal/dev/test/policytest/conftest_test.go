//go:build conftest

package policytest_test

const withConftest = true
