package wording_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/wording"
)

func TestEncode(t *testing.T) {
	t.Parallel()
	for value, want := range map[any]string{
		"a\u202egold\u2028\u009b<é>": `"a\u202egold\u2028\u009b<é>"`,
		"a\u200bb\n":                 `"a\u200bb\n"`,
		1.5:                          "1.5",
	} {
		assert.Equal(t, want, wording.EncodeJSON(value))
		assert.Equal(t, want, wording.EncodeYAML(value))
	}
	assert.Equal(t, "\"\U000e0041\"", wording.EncodeJSON("\U000e0041"))
	assert.Equal(t, `"\U000e0041"`, wording.EncodeYAML("\U000e0041"))
}
