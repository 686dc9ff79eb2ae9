// Package vsphere is the adapter between vsla and one vCenter: one lazy session for REST and one for SOAP, tag
// categories, tags, their associations in bulk, and the VM inventory.
//
// It returns small domain structs and sentinel errors, never in Terraform's types and never in govmomi's. Every
// method states whether it may be repeated, the state that a failure leaves behind, and which sentinel it returns. The
// package opens no connection until a call needs one, logs nothing itself (an observer may), and never puts a
// password or a session id into an error.
package vsphere
