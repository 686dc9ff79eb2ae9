//go:build !whatif

package page

// embedded is empty without the build tag whatif. The install command builds the module and sets the tag.
var embedded Module
