// Package soak runs Terraform with the provider against simulated servers with random faults, and compares servers,
// state and configuration after each step. One more apply must repair every kill, cut, loss and refusal.
package soak
