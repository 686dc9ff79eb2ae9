// The quantities and how they are printed for people.

package quantity

import (
	"fmt"
	"math"
	"strconv"

	"terraform-provider-vsla/internal/plan"
)

// Size is an amount of data in bytes.
type Size float64

// FromGiB makes a size of GiB (2^30 bytes).
func FromGiB(gib float64) Size { return Size(gib * (1 << 30)) }

// GiB returns the size in GiB (2^30 bytes).
func (s Size) GiB() float64 { return float64(s) / (1 << 30) }

// String returns the size in binary units with at most one digit after the point, in GiB up to 10 TiB: "1,430.5 GiB".
func (s Size) String() string {
	const unit, many = 1024, 10240
	return scaled(
		float64(s),
		unit,
		[]float64{unit, unit, unit, many, many, many},
		[]string{" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"},
		false,
	)
}

// Rate is a speed in bits per second.
type Rate float64

// FromMbps makes a rate of Mbit/s (10^6 bit/s).
func FromMbps(mbps float64) Rate { return Rate(mbps * 1e6) }

// Mbps returns the rate in Mbit/s (10^6 bit/s).
func (r Rate) Mbps() float64 { return float64(r) / 1e6 }

// String returns the rate in decimal units with at most one digit after the point, in Mbit/s up to 10 Gbit/s: "901
// Mbit/s".
func (r Rate) String() string { return r.text(false) }

// Ceil returns the rate as String does, but rounded up, so that a need holds when it is entered as printed.
func (r Rate) Ceil() string { return r.text(true) }

func (r Rate) text(up bool) string {
	const unit, many = 1000, 10000
	return scaled(
		float64(r),
		unit,
		[]float64{unit, unit, many, many, many, many},
		[]string{" bit/s", " kbit/s", " Mbit/s", " Gbit/s", " Tbit/s", " Pbit/s", " Ebit/s"},
		up,
	)
}

// scaled divides by step for each unit whose limit the value reaches, and rounds to a tenth: to the nearest, or up.
func scaled(v, step float64, limits []float64, units []string, up bool) string {
	unit := 0
	for unit < len(limits) && math.Abs(v) >= limits[unit] {
		v /= step
		unit++
	}
	const tenths = 10
	rounded := math.Round(v*tenths) / tenths
	if up && rounded < v {
		rounded = (math.Round(v*tenths) + 1) / tenths
	}
	decimals := 1
	if rounded == math.Trunc(rounded) {
		decimals = 0
	}
	return plan.Thousands(rounded, decimals) + units[unit]
}

// Duration is a time span in seconds.
type Duration float64

// largestDuration is where a count of days stops to mean anything: about 32,000 years.
const largestDuration = 1e12

// String returns days, hours, minutes and seconds from the largest that is not zero down: "3h 47m 18s". Below one
// second it returns milliseconds. A negative span, or one above 10^12 seconds, is given in plain seconds.
func (d Duration) String() string {
	seconds := float64(d)
	if !(seconds >= 0 && seconds <= largestDuration) {
		return strconv.FormatFloat(seconds, 'g', 4, 64) + "s"
	}
	if seconds > 0 && seconds < 1 {
		switch ms := math.Round(seconds * 1000); {
		case ms < 1:
			return "<1ms"
		case ms < 1000:
			return strconv.FormatFloat(ms, 'f', 0, 64) + "ms"
		}
	}
	left := int64(math.Round(seconds))
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

// FormatDuration writes a span of seconds as Duration does; the error reports that it is negative, not a number, or
// above 10^12.
func FormatDuration(seconds float64) (string, error) {
	if !(seconds >= 0 && seconds <= largestDuration) {
		return "", fmt.Errorf("must be between 0 and 10^12 seconds, got %s", strconv.FormatFloat(seconds, 'g', -1, 64))
	}
	return Duration(seconds).String(), nil
}

// RangeTransferGiB and RangeTransferMbps are what TransferSeconds takes.
var (
	RangeTransferGiB  = plan.Range{Min: 0, Max: 1e15, Unit: "GiB"}
	RangeTransferMbps = plan.Range{Min: 1e-6, Max: 1e12, Unit: "Mbit/s"}
)

// TransferSeconds returns the seconds that gib GiB (2^30 bytes) take at mbps Mbit/s (10^6 bit/s): gib * 2^33 / (mbps
// * 10^6). The errors name "gib" and "mbps".
func TransferSeconds(gib, mbps float64) (float64, error) {
	var errs plan.InputErrors
	errs = errs.With(plan.Attr("gib"), RangeTransferGiB.Check(gib))
	errs = errs.With(plan.Attr("mbps"), RangeTransferMbps.Check(mbps))
	if err := errs.Err(); err != nil {
		return 0, err
	}
	return float64(FromGiB(gib)) * bitsPerByte / float64(FromMbps(mbps)), nil
}
