//go:build !whatif

package page

// embedded is empty unless the build tag whatif is set. The install command builds the module and sets the tag.
var embedded Module
