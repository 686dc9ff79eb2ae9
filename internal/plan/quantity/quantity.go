package quantity

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"terraform-provider-vsla/internal/plan"
)

// Size is an amount of data in bytes.
type Size float64

// FromGiB converts a number of GiB (2^30 bytes) to a Size.
func FromGiB(gib float64) Size { return Size(gib * (1 << 30)) }

// GiB returns the size in GiB (2^30 bytes).
func (s Size) GiB() float64 { return float64(s) / (1 << 30) }

// String formats the size in binary units with at most one decimal, using GiB up to 10 TiB: "1,430.5 GiB".
func (s Size) String() string { return sizes.write(float64(s), plan.Nearest) }

// Ceil formats like String but rounds up, so that the printed size is sufficient.
func (s Size) Ceil() string { return sizes.write(float64(s), plan.Up) }

// Rate is a data rate in bits per second.
type Rate float64

// FromMbps converts a number of Mbit/s (10^6 bit/s) to a Rate.
func FromMbps(mbps float64) Rate { return Rate(mbps * 1e6) }

// Mbps returns the rate in Mbit/s (10^6 bit/s).
func (r Rate) Mbps() float64 { return float64(r) / 1e6 }

// String formats the rate in decimal units with at most one decimal, using Mbit/s up to 10 Gbit/s: "901 Mbit/s".
func (r Rate) String() string { return rates.write(float64(r), plan.Nearest) }

// Floor formats like String but rounds down, so that the printed rate is available.
func (r Rate) Floor() string { return rates.write(float64(r), plan.Down) }

// CeilMbps formats a rate in Mbit/s, rounded up. The printed rate is sufficient when entered as an input, whether with
// its unit or as a plain number of Mbit/s.
func CeilMbps(mbps float64) string {
	const hair = 1e-15
	for r := float64(FromMbps(mbps)); ; r *= 1 + hair {
		if text := rates.write(r, plan.Up); !(entered(text) < mbps) {
			return text
		}
	}
}

// entered returns the number of Mbit/s that results if a printed rate is entered as an input. A rate can be entered
// with its unit or as a plain number of Mbit/s; entered returns the smaller of the two results.
func entered(text string) float64 {
	const exponentOfBit, perUnit = -6, 3
	text = strings.ReplaceAll(text, ",", "")
	r, err := ParseRate(text)
	number, unit, _ := strings.Cut(text, " ")
	exponent := exponentOfBit + perUnit*slices.Index(rates.units, " "+unit)
	plain, plainErr := strconv.ParseFloat(number+"e"+strconv.Itoa(exponent), 64)
	if err != nil || plainErr != nil {
		return math.Inf(1)
	}
	return min(r.Mbps(), plain)
}

// scale is a list of units. limits[i] is the value from which units[i+1] is used instead of units[i].
type scale struct {
	step   float64
	limits []float64
	units  []string
}

var (
	sizes = scale{
		1024,
		[]float64{1024, 1024, 1024, 10240, 10240, 10240},
		[]string{" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"},
	}
	rates = scale{
		1000,
		[]float64{1000, 1000, 10000, 10000, 10000, 10000},
		[]string{" bit/s", " kbit/s", " Mbit/s", " Gbit/s", " Tbit/s", " Pbit/s", " Ebit/s"},
	}
)

func (s scale) write(v float64, to plan.Rounding) string {
	unit := 0
	for unit < len(s.limits) && math.Abs(v) >= s.limits[unit] {
		v /= s.step
		unit++
	}
	rounded := to.Round(v, 1)
	decimals := 1
	if rounded == math.Trunc(rounded) {
		decimals = 0
	}
	return plan.Thousands(rounded, decimals) + s.units[unit]
}

// Duration is a time span in seconds.
type Duration float64

// largestDuration is the largest duration formatted in days: about 32,000 years.
const largestDuration = 1e12

// String formats a duration in days, hours, minutes and seconds without leading zero units: "3h 47m 18s". Durations
// below one second are formatted in milliseconds; negative durations and durations above 10^12 seconds are formatted in
// seconds.
func (d Duration) String() string { return d.text(math.Round) }

// Ceil formats like String but rounds the last unit up. It tolerates floating-point errors.
func (d Duration) Ceil() string {
	const precision = 1e-9
	return d.text(func(v float64) float64 { return math.Ceil(v * (1 - precision)) })
}

func (d Duration) text(round func(float64) float64) string {
	seconds := float64(d)
	if !(seconds >= 0 && seconds <= largestDuration) {
		return strconv.FormatFloat(seconds, 'g', 4, 64) + "s"
	}
	if seconds > 0 && seconds < 1 {
		switch ms := round(seconds * 1000); {
		case ms < 1:
			return "<1ms"
		case ms < 1000:
			return strconv.FormatFloat(ms, 'f', 0, 64) + "ms"
		}
	}
	left := int64(round(seconds))
	text := ""
	for _, unit := range []struct {
		seconds int64
		name    string
	}{{86400, "d "}, {3600, "h "}, {60, "m "}} {
		if n := left / unit.seconds; n > 0 || text != "" {
			text += strconv.FormatInt(n, 10) + unit.name
			left %= unit.seconds
		}
	}
	return text + strconv.FormatInt(left, 10) + "s"
}

// FormatDuration formats a number of seconds like Duration.String. It returns an error for NaN, a negative duration, or
// a duration above 10^12 seconds.
func FormatDuration(seconds float64) (string, error) {
	if !(seconds >= 0 && seconds <= largestDuration) {
		return "", fmt.Errorf("must be between 0 and 10^12 seconds, got %s", strconv.FormatFloat(seconds, 'g', -1, 64))
	}
	return Duration(seconds).String(), nil
}

// Ranges of the arguments of TransferSeconds.
var (
	RangeTransferGiB  = plan.Range{Min: 0, Max: 1e15, Unit: "GiB"}
	RangeTransferMbps = plan.Range{Min: 1e-6, Max: 1e12, Unit: "Mbit/s"}
)

// TransferSeconds returns the number of seconds needed to transfer gib GiB (2^30 bytes) at mbps Mbit/s (10^6 bit/s):
// gib * 2^33 / (mbps * 10^6). Errors identify the argument as "gib" or "mbps".
func TransferSeconds(gib, mbps float64) (float64, error) {
	var errs plan.InputErrors
	errs = errs.With(plan.Attr("gib"), RangeTransferGiB.Check(gib))
	errs = errs.With(plan.Attr("mbps"), RangeTransferMbps.Check(mbps))
	if err := errs.Err(); err != nil {
		return 0, err
	}
	return float64(FromGiB(gib)) * bitsPerByte / float64(FromMbps(mbps)), nil
}

// Conversion factors of sizes (binary) and rates (decimal).
const (
	BitsPerByte = 8
	BytesPerGiB = 1 << 30
	BitsPerGiB  = BitsPerByte * BytesPerGiB
	BitsPerKiB  = BitsPerByte << 10
	BitsPerMbit = 1e6
)

// Conversion factors of time.
const (
	MsPerSecond      = 1e3
	SecondsPerMinute = 60
	SecondsPerHour   = 3600
	SecondsPerDay    = 86400
	MinutesPerHour   = 60
	MinutesPerDay    = 1440
	MonthsPerYear    = 12
)

// Percent is the factor that converts a share to a percentage.
const Percent = 100.0

// BitsPerSecond converts a rate from Mbit/s to bit/s. For nil, it returns 0.
func BitsPerSecond(mbps *float64) float64 {
	if mbps == nil {
		return 0
	}
	return *mbps * BitsPerMbit
}
