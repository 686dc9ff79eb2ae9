// Package ignored matches tag categories that the provider never reads or removes.
package ignored

import (
	"slices"
	"strings"
)

// Always matches the categories that Site Recovery Manager creates for its own use.
const Always = "SRM-com.vmware.vcDr*"

// Categories is a list of patterns. A pattern is an exact name, or a prefix followed by "*".
type Categories []string

// Match reports whether a name matches any of the patterns.
func (c Categories) Match(name string) bool {
	return slices.ContainsFunc(c, func(pattern string) bool {
		if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
			return strings.HasPrefix(name, prefix)
		}
		return pattern == name
	})
}
