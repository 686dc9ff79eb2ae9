// Package soak runs Terraform with the provider against simulated servers while things break, and compares server,
// state and configuration after each step: one more apply must heal every kill, cut, loss and refusal.
package soak
