// Package foreign tests the lab with third-party clients: govmomi's govc, HashiCorp's vsphere provider and the vendor's
// Python SDK. `make test-clients` runs the tests with clients from package registries.
package foreign
