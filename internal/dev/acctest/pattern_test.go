package acctest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/dev/acctest"
)

func TestErrorPattern(t *testing.T) {
	t.Parallel()
	const printed = "\nError: Unable to Read Tags\n\nPermission denied for the\nuser. Every tag needs\nEdit.\n" +
		"\nWarning: Another\n\nno such object\n\nError: Third\n\nlast"
	for pattern, want := range map[string]bool{
		`Unable to Read Tags Permission denied`: true,
		`denied for the user`:                   true,
		`Unable.*denied`:                        true,
		`Unable.*user\. Every tag needs.*Edit.`: true,
		`(?i)unable to (read|write).*the user`:  true,
		`Tags.*(denied.*needs|none)`:            true,
		`Another.*object`:                       true,
		`Unable.*no such object`:                false,
		`object.*last`:                          false,
		`(?i)tags.*(denied.*Third|none)`:        false,
	} {
		assert.Equal(t, want, acctest.ErrorPattern(pattern).MatchString(printed), pattern)
	}
	assert.Panics(t, func() { acctest.ErrorPattern("(") })
}
