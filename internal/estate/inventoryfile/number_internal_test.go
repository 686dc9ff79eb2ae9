package inventoryfile

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDecimals(t *testing.T) {
	t.Parallel()
	for _, run := range []struct {
		name    string
		numbers []string
		whole   bool
		want    string
		fails   string
	}{
		{"whole", []string{"1234", "5"}, false, ".", ""},
		{"point", []string{"12.5", "1,234"}, false, ".", ""},
		{"comma", []string{"12,5", "1.234"}, false, ",", ""},
		{"both, comma last", []string{"1.234,5"}, false, ",", ""},
		{"both, point last", []string{"1,234.5"}, false, ".", ""},
		{"points between thousands", []string{"1.234.567"}, false, ",", ""},
		{"commas between thousands", []string{"1,234,567"}, false, ".", ""},
		{"below one", []string{"0.234"}, false, ".", ""},
		{"four digits before", []string{"1234.567"}, false, ".", ""},
		{"exponent", []string{"1.234E5"}, false, ".", ""},
		{"spaces", []string{"1 234 567,5"}, false, ",", ""},
		{"whole, comma", []string{"2", "16,384"}, true, ".", ""},
		{"whole, point", []string{"2", "16.384"}, true, ",", ""},
		{
			"ambiguous",
			[]string{"1", "1.234"},
			false,
			"",
			"1234 with a thousands separator, or 1.234 with a decimal separator",
		},
		{"contradiction", []string{"1.5", "1,5"}, false, "", "has the opposite"},
	} {
		var d decimals
		for i, text := range run.numbers {
			d.observe(cell{sheet: "vInfo", row: i + 2, column: "In Use MiB", text: text}, run.whole)
		}
		got, err := d.interpretation()
		switch {
		case run.fails == "" && (err != nil || separators[got] != run.want):
			t.Errorf("%s: got %q, %v, want %q", run.name, separators[got], err, run.want)
		case run.fails != "" && (err == nil || !strings.Contains(err.Error(), run.fails)):
			t.Errorf("%s: got %v, want an error with %q", run.name, err, run.fails)
		}
	}
}

func TestNumber(t *testing.T) {
	t.Parallel()
	for _, run := range []struct {
		text, separator string
		want            float64
	}{
		{"1234", ".", 1234},
		{"1,234,567.5", ".", 1234567.5},
		{"1.234.567,5", ",", 1234567.5},
		{"1 234,5", ",", 1234.5},
		{"1'234.5", ".", 1234.5},
		{"1\u00a0234", ".", 1234},
		{"1.5E+3", ".", 1500},
		{"-2", ".", -2},
	} {
		got, err := parseNumber(cell{text: run.text}, run.separator)
		require.NoError(t, err)
		assert.Equal(t, run.want, got)
	}
	for _, text := range []string{
		"", "n/a", "1,23", "1,2345", ",5", "0x10", "1_000", "Inf", "NaN", "1.2.3", "12 GB",
	} {
		got, err := parseNumber(cell{text: text}, ".")
		assert.Error(t, err, "%q is read as %v", text, got)
	}
}

func TestSize(t *testing.T) {
	t.Parallel()
	// 1.5 * 2^20 = 1,572,864
	got, err := sizeRange(mib).parse(cell{text: "1.5"}, ".")
	require.NoError(t, err)
	assert.EqualValues(t, 1572864, got)
	for _, text := range []string{"-1", "1e13", "1e999", "-1e999"} {
		got, err := sizeRange(mib).parse(cell{text: text}, ".")
		require.NoError(t, err, text)
		assert.EqualValues(t, impossible, got, text)
	}
}
