// Package quantity contains sizes, rates and durations with their units: storage in bytes, links in bits per second,
// and time in seconds. It distinguishes SI units (MB, 10^6) from IEC units (MiB, 2^20) and bits from bytes, and rejects
// ambiguous text.
package quantity

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// prefixes are the decimal and binary multiples. The upper-case "K" is accepted for kilo because it is widely used and
// unambiguous.
var prefixes = map[string]float64{
	"":   1,
	"k":  1e3,
	"K":  1e3,
	"M":  1e6,
	"G":  1e9,
	"T":  1e12,
	"P":  1e15,
	"E":  1e18,
	"Ki": 1 << 10,
	"Mi": 1 << 20,
	"Gi": 1 << 30,
	"Ti": 1 << 40,
	"Pi": 1 << 50,
	"Ei": 1 << 60,
}

const bitsPerByte = 8

var shape = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)\s*([A-Za-z].*)?$`)

var errOverflow = errors.New("the number is too large")

// ParseSize parses a size such as "102400 MB", "1.5 TiB" or "512B". The units kB, MB, GB, ... are powers of 1,000; KiB,
// MiB, GiB, ... are powers of 1,024. Units are case-sensitive, because "b" means bit. The error suggests the correct
// form.
func ParseSize(text string) (Size, error) {
	number, unit, err := split(text, "100 GiB")
	if err != nil {
		return 0, err
	}
	prefix, ok := strings.CutSuffix(unit, "B")
	factor, known := prefixes[prefix]
	if !ok || !known {
		return 0, unknownUnit(text, unit,
			"B, kB, MB, GB, TB, PB, EB (powers of 1,000) and KiB, MiB, GiB, TiB, PiB, EiB (powers of 1,024)")
	}
	return finite(Size(number*factor), text)
}

// ParseRate parses a rate such as "901 Mbit/s", "10 Gbps", "112.625 MB/s" or "55 MiB/s". The units "b", "bit" and "bps"
// are bits; "B" and "Bps" are bytes. The error suggests the correct form.
func ParseRate(text string) (Rate, error) {
	number, unit, err := split(text, "901 Mbit/s")
	if err != nil {
		return 0, err
	}
	if factor, ok := bitsPerSecond(unit); ok {
		return finite(Rate(number*factor), text)
	}
	if _, ok := bitsPerSecond(unit + "/s"); ok {
		return 0, fmt.Errorf("%q is an amount of data, not a rate: use %q", text, strings.TrimSpace(text)+"/s")
	}
	if _, ok := bitsPerSecond(strings.ToUpper(unit[:1]) + unit[1:]); ok {
		return 0, fmt.Errorf("%q: units are case-sensitive: use %q", text,
			strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), unit))+" "+strings.ToUpper(unit[:1])+unit[1:])
	}
	return 0, unknownUnit(
		text,
		unit,
		"bit/s, kbit/s, Mbit/s, Gbit/s, Tbit/s (also written bps, kbps, Mbps, ...) and B/s, kB/s, MB/s, GB/s, KiB/s, "+
			"MiB/s, GiB/s",
	)
}

func bitsPerSecond(unit string) (float64, bool) {
	for _, suffix := range []struct {
		text string
		bits float64
	}{{"bit/s", 1}, {"b/s", 1}, {"bps", 1}, {"B/s", bitsPerByte}, {"Bps", bitsPerByte}} {
		prefix, ok := strings.CutSuffix(unit, suffix.text)
		if factor, known := prefixes[prefix]; ok && known {
			return factor * suffix.bits, true
		}
	}
	return 0, false
}

func split(text, example string) (number float64, unit string, err error) {
	match := shape.FindStringSubmatch(strings.TrimSpace(text))
	switch {
	case match == nil && strings.Contains(text, ","):
		return 0, "", fmt.Errorf(
			"%q is not a number with a unit: use a decimal point and no thousands separators, as in %q", text, example)
	case match == nil:
		return 0, "", fmt.Errorf("%q is not a number with a unit, such as %q", text, example)
	case match[2] == "":
		return 0, "", fmt.Errorf("%q has no unit: add one, as in %q", text, example)
	}
	number, err = strconv.ParseFloat(match[1], 64)
	if err != nil {
		return 0, "", fmt.Errorf("%q: %w", text, errOverflow)
	}
	return number, match[2], nil
}

func unknownUnit(text, unit, known string) error {
	if strings.EqualFold(unit, "mb") {
		return fmt.Errorf("%q: %q could mean bits or bytes: use MB for megabytes or Mbit for megabits", text, unit)
	}
	return fmt.Errorf("%q: unknown unit %q; units are case-sensitive, supported units are %s", text, unit, known)
}

func finite[T ~float64](v T, text string) (T, error) {
	if math.IsInf(float64(v), 0) {
		return 0, fmt.Errorf("%q: %w", text, errOverflow)
	}
	return v, nil
}
