// Package soak runs Terraform with the provider against simulated servers with random faults, and compares servers,
// state and configuration after each step. After any kill, dropped connection, lost response or error, one more apply
// must be sufficient to reach the desired state.
package soak
