// Package foreign tests the lab with third-party clients: govmomi's govc, HashiCorp's vsphere provider and the
// vendor's Python SDK. `make test-clients` runs the tests; the clients come from package registries.
package foreign
