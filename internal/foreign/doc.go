// Package foreign checks the lab with clients that other people wrote: govmomi's govc, the vendor's Python SDK and the
// vsphere provider. `make test-clients` runs its tests; the clients come from package registries.
package foreign
