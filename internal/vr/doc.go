// Package vr is the adapter between vsla and the REST API gateway of one vSphere Replication appliance
// (/api/rest/vr/v2): one lazy session with a remote session for each pairing, pairings, VMs, targets,
// replications and tasks.
//
// It exposes domain structs and sentinel errors, never in Terraform's types. Sizes are bytes, durations and instants
// Go's, whatever the API uses. The gateway allows 50 requests a minute to a session, so every client keeps below that,
// polls all tasks in one request, and shares one listing of a pairing's replications. A read that the gateway announces
// as incomplete is an error, never data. Nothing is asked for twice that the gateway does not forbid to do twice. The
// package opens no connection until a call needs one, logs nothing itself (an observer may), and never puts a password
// or a session id into an error.
package vr
