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

func TestRepeatedName(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"a":1,"b":{"a":"a"},"c":["a","a",{"a":1}]}`: "",
		`{"a":1,"b":{"c":1,"d":[],"c":2}}`:            "c",
		`[{"a":1},{"a":1,"b":"b","b":null}]`:          "b",
		`{"a":1,"a"`:                                  "a",
		`{"a"`:                                        "",
		`"a"`:                                         "",
	} {
		assert.Equal(t, want, repeatedName([]byte(text)), text)
	}
}

// TestRead_sameNames verifies that a tier is not lost because its name looks like that of another.
func TestRead_sameNames(t *testing.T) {
	t.Parallel()
	const text = `{"format_version":"1.0","values":{"outputs":{"go ld":{"value":1},"go\nld":{"value":2}}}}`
	_, err := Read(strings.NewReader(text))
	assert.ErrorContains(t, err, `look like "go ld"`)
}
