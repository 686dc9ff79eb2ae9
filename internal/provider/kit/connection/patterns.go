// Patterns of tag category names.

package connection

import (
	"slices"
	"strings"
)

// AlwaysIgnored are the categories that Site Recovery Manager keeps for itself and re-creates.
const AlwaysIgnored = "SRM-com.vmware.vcDr*"

// Patterns are exact names, or prefixes that end in "*".
type Patterns []string

// Match reports whether a name fits any of the patterns.
func (p Patterns) Match(name string) bool {
	return slices.ContainsFunc(p, func(pattern string) bool {
		if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
			return strings.HasPrefix(name, prefix)
		}
		return pattern == name
	})
}
