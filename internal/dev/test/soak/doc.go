// Package soak runs Terraform with the provider against simulated servers with random faults, and compares servers,
// state and configuration after each step. Whether a process was killed, a connection dropped, a response lost or an
// error returned, one more apply must be sufficient to reach the desired state.
package soak
