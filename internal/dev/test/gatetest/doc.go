// Package gatetest runs the gate on plans of every installed CLI, on plans that attack it, and in the jobs of
// examples/pipeline.
package gatetest
