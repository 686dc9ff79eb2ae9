package document

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestClean(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"a\nb":"c\td"}`:                  `{"a b":"c d"}`,
		`"\u001b[31m\b\u202E\u2028\u009b"`: "\"\ufffd[31m\ufffd\ufffd\ufffd\ufffd\"",
		"\"a\u202eb\u0085\"":               "\"a\ufffdb\ufffd\"",
		"{\n\t\"a\": 1\r\n}":               "{\n\t\"a\": 1\r\n}",
		`"\"\\n\/\ud83d\ude00 ü"`:          `"\"\\n\/\ud83d\ude00 ü"`,
		`"\u00`:                            `"\u00`,
		`"\`:                               `"\`,
	} {
		assert.Equal(t, want, string(clean([]byte(text))), text)
	}
}

func TestAmbiguousName(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"a":1,"b":{"a":"a"},"c":["a","a\n",{"a":"a "}]}`:              "",
		`{"a b":1,"c":{"c":1,"d":[],"a\nb":2}}`:                         "a b",
		`[{"address":"x[\"a b\"]"},{"address":"x[\"a\u202eb\"]"}]`:      "",
		`[{"address":"x[\"a\u202db\"]"},{"address":"x[\"a\u202eb\"]"}]`: "x[\"a\ufffdb\"]",
		`[{"address":"x","deposed":"1"},{"address":"x","note":"a\nb"}]`: "",
		`{"":"a b","a\nb":1,"c":{"a b":[]}}`:                            "a b",
		`{"a b"`:                                                        "",
		`"a"`:                                                           "",
	} {
		assert.Equal(t, want, ambiguousName([]byte(text)), text)
	}
}

// TestRead_sameNames verifies that a tier is not lost because its name looks like that of another.
func TestRead_sameNames(t *testing.T) {
	t.Parallel()
	const text = `{"format_version":"1.0","values":{"outputs":{"go ld":{"value":1},"go\nld":{"value":2}}}}`
	_, err := Read(strings.NewReader(text))
	assert.ErrorContains(t, err, `look like "go ld"`)
}
