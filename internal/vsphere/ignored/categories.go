// Package ignored is about tag categories that the provider never reads or removes.
package ignored

import (
	"slices"
	"strings"
)

// Always matches the categories that Site Recovery Manager keeps for itself and re-creates.
const Always = "SRM-com.vmware.vcDr*"

// Categories are exact names, or prefixes that end in "*".
type Categories []string

// Match reports whether a name fits any of the patterns.
func (c Categories) Match(name string) bool {
	return slices.ContainsFunc(c, func(pattern string) bool {
		if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
			return strings.HasPrefix(name, prefix)
		}
		return pattern == name
	})
}
