package document

import (
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
