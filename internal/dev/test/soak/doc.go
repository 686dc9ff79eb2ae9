// Package soak runs Terraform with the provider against simulated servers with random faults, and compares servers,
// state and configuration after each step. After every kill, dropped connection, lost response and error, one more
// apply must be enough to reach the desired state.
package soak
