//go:build !whatif

package page

// embedded is empty: `make module` builds the module, and the tag whatif embeds it.
var embedded Module
