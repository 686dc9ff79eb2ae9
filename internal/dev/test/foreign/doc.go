// Package foreign checks the lab with clients that other people wrote: govmomi's govc, HashiCorp's vsphere provider and
// the vendor's Python SDK. `make test-clients` runs its tests; the clients come from package registries.
package foreign
