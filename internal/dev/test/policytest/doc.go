// Package policytest tests the policy kit in examples/policy with the real tools: plans made in the same run by every
// CLI on this machine, judged by conftest and by OPA. It also runs the jobs of examples/pipeline, which use the kit.
package policytest
