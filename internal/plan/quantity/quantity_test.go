package quantity_test

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

func TestParseSize(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{
		"102400 MB":  102400e6,
		"102400MB":   102400e6,
		" 1.5 TiB ":  1.5 * (1 << 40),
		"512 B":      512,
		"0 B":        0,
		"1 kB":       1e3,
		"1 KB":       1e3,
		"1 KiB":      1024,
		"1 kB\t":     1e3,
		"1 GB":       1e9,
		"1 GiB":      1 << 30,
		"1e3 GB":     1e12,
		"1.5E-3 GiB": 1.5e-3 * (1 << 30),
		"2 PB":       2e15,
		"2 PiB":      2 << 50,
		"1 EB":       1e18,
		"1 EiB":      1 << 60,
		"1 MiB":      1 << 20,
		"1 TB":       1e12,
	} {
		got, err := quantity.ParseSize(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, float64(got), text)
	}
}

func TestParseRate(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{
		"901 Mbit/s":   901e6,
		"112.625 MB/s": 901e6,
		"55 MB/s":      440e6,
		"901 Mbps":     901e6,
		"901 Mb/s":     901e6,
		"901Mbps":      901e6,
		"1 Gbit/s":     1e9,
		"10 Gbps":      10e9,
		"1 bit/s":      1,
		"1 bps":        1,
		"1 kbit/s":     1e3,
		"1 Kibit/s":    1024,
		"1 Mibit/s":    1 << 20,
		"1 B/s":        8,
		"1 Bps":        8,
		"1 MBps":       8e6,
		"55 MiB/s":     55 * 8 * (1 << 20),
		"1 GiB/s":      8 << 30,
		"1 kB/s":       8e3,
	} {
		got, err := quantity.ParseRate(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, float64(got), text)
	}
}

func TestParse_refuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":           "not a number with a unit",
		"GiB":        "not a number with a unit",
		"-1 GB":      "not a number with a unit",
		"+1 GB":      "not a number with a unit",
		"0x10 GB":    "unknown unit",
		"1 µB":       "not a number with a unit",
		"NaN GB":     "not a number with a unit",
		"Inf GB":     "not a number with a unit",
		"1. GB":      "not a number with a unit",
		".5 GB":      "not a number with a unit",
		"102,400 MB": "thousands separators",
		"1,5 GB":     "decimal point",
		"100":        "has no unit",
		"100 ":       "has no unit",
		"1 mb":       "use MB for megabytes",
		"1 Mb":       "use MB for megabytes",
		"1 GBB":      "unknown unit",
		"1 gb":       "unknown unit",
		"1 XB":       "unknown unit",
		"1 Gib":      "unknown unit",
		"1 GB MB":    "unknown unit",
		"1e400 GB":   "too large",
		"1e308 EB":   "too large",
		"1_000 GB":   "not a number with a unit",
	} {
		_, err := quantity.ParseSize(text)
		require.Error(t, err, text)
		assert.Contains(t, err.Error(), want, text)
	}
	for text, want := range map[string]string{
		"1 MB":       `use "1 MB/s"`,
		"1 Mbit":     `use "1 Mbit/s"`,
		"1 mbps":     `use "1 Mbps"`,
		"10 mb":      "use MB for megabytes",
		"1 MB/h":     "unknown unit",
		"1e308 EB/s": "too large",
		"5":          "has no unit",
	} {
		_, err := quantity.ParseRate(text)
		require.Error(t, err, text)
		assert.Contains(t, err.Error(), want, text)
	}
}

func TestConversions(t *testing.T) {
	t.Parallel()
	// 102,400e6 / 2^30 is exact, because 102,400e6 is a multiple of 2^18.
	assert.Equal(t, 95.367431640625, quantity.Size(102400e6).GiB())
	assert.Equal(t, 2.0, quantity.FromGiB(2).GiB())
	assert.Equal(t, 901.0, quantity.FromMbps(901).Mbps())
}

func TestStrings(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		got  interface{ String() string }
		want string
	}{
		{quantity.Size(0), "0 B"},
		{quantity.Size(1023), "1,023 B"},
		{quantity.Size(1024), "1 KiB"},
		{quantity.Size(1536), "1.5 KiB"},
		{quantity.FromGiB(1430.511474609375), "1,430.5 GiB"},
		{quantity.FromGiB(10239.9), "10,239.9 GiB"},
		{quantity.FromGiB(10240), "10 TiB"},
		{quantity.FromGiB(0.5), "512 MiB"},
		{quantity.FromGiB(1e12), "931.3 EiB"},
		{quantity.FromMbps(901), "901 Mbit/s"},
		{quantity.FromMbps(9999.9), "9,999.9 Mbit/s"},
		{quantity.FromMbps(10000), "10 Gbit/s"},
		{quantity.FromMbps(1365.3333), "1,365.3 Mbit/s"},
		{quantity.FromMbps(0.0005), "500 bit/s"},
		{quantity.FromMbps(0.5), "500 kbit/s"},
		{quantity.Duration(-1), "-1s"},
		{quantity.Duration(1e15), "1e+15s"},
		{quantity.Duration(0.0004), "<1ms"},
	} {
		assert.Equal(t, test.want, test.got.String())
	}
}

func TestFormatDuration(t *testing.T) {
	t.Parallel()
	for seconds, want := range map[float64]string{
		0:       "0s",
		0.3995:  "400ms",
		0.9994:  "999ms",
		0.9996:  "1s",
		1:       "1s",
		18:      "18s",
		59.4:    "59s",
		59.5:    "1m 0s",
		60:      "1m 0s",
		681.9:   "11m 22s",
		13638.2: "3h 47m 18s",
		3600:    "1h 0m 0s",
		3599.6:  "1h 0m 0s",
		86399.5: "1d 0h 0m 0s",
		90061:   "1d 1h 1m 1s",
		1e12:    "11574074d 1h 46m 40s",
	} {
		got, err := quantity.FormatDuration(seconds)
		require.NoError(t, err, "%+v", seconds)
		assert.Equal(t, want, got, "%+v", seconds)
	}
	for _, seconds := range []float64{-1, math.NaN(), math.Inf(1), math.Inf(-1), 1.1e12, -5e-324} {
		got, err := quantity.FormatDuration(seconds)
		assert.Error(t, err, "FormatDuration(%v) is %q", seconds, got)
	}
}

func TestTransferSeconds(t *testing.T) {
	t.Parallel()
	// 1 GiB is 2^33 bits.
	got, err := quantity.TransferSeconds(1, 8589.934592)
	require.NoError(t, err)
	assert.Equal(t, 1.0, got)
	for _, test := range []struct {
		gib, mbps float64
		blame     string
	}{
		{-1, 1, "gib"},
		{math.NaN(), 1, "gib"},
		{1e308, 1, "gib"},
		{1, 0, "mbps"},
		{1, math.Inf(1), "mbps"},
		{1, 5e-324, "mbps"},
	} {
		_, err := quantity.TransferSeconds(test.gib, test.mbps)
		var list plan.InputErrors
		require.ErrorAs(t, err, &list)
		require.Len(t, list, 1)
		assert.Equal(t, test.blame, list[0].Path.String())
	}
}

func FuzzParseSize(f *testing.F) {
	for _, seed := range []string{
		"102400 MB", "1.5 TiB", "1e3GB", "1,5 GB", "0x1p4 GiB", "NaN B", "9e999 EiB", "1 \u00b5B",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		size, err := quantity.ParseSize(text)
		checkParsed(t, float64(size), err)
		if err != nil {
			return
		}
		again, err := quantity.ParseSize(plainNumber(float64(size)) + " B")
		require.NoError(t, err, text)
		assert.Equal(t, size, again, text)
	})
}

func FuzzParseRate(f *testing.F) {
	for _, seed := range []string{"901 Mbit/s", "112.625 MB/s", "10Gbps", "1 Bps", "5e-324 bit/s", "1 b/s/s"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rate, err := quantity.ParseRate(text)
		checkParsed(t, float64(rate), err)
		if err != nil {
			return
		}
		again, err := quantity.ParseRate(plainNumber(float64(rate)) + " bit/s")
		require.NoError(t, err, text)
		assert.Equal(t, rate, again, text)
	})
}

func checkParsed(t *testing.T, v float64, err error) {
	t.Helper()
	assert.False(t, math.IsNaN(v), "got %v, error %v; want a finite value that is not negative, or an error and 0", v,
		err)
	assert.False(t, math.IsInf(v, 0), "got %v, error %v; want a finite value that is not negative, or an error and 0",
		v, err)
	assert.GreaterOrEqual(t, v, 0.0)
	if err != nil {
		assert.Zero(t, v)
	}
}

func plainNumber(v float64) string { return strconv.FormatFloat(v, 'e', -1, 64) }
