// Package policytest tests the policy kit in examples/policy with real tools: conftest and OPA evaluate plans of every
// installed CLI. It also runs the jobs of examples/pipeline, which use the kit.
package policytest
