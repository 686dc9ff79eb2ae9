//go:build !whatif

package page

// embedded is empty: the command install builds the module, and the tag whatif embeds it.
var embedded Module
