package calculator

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"terraform-provider-vsla/internal/plan/quantity"
)

// Unit is the name suffix that denotes a unit.
type Unit string

// Units. Sizes are binary (2^30 and 2^10 bytes), and rates are decimal (10^6 bit/s).
const (
	GiB     Unit = "_gib"
	KiB     Unit = "_kib"
	Bytes   Unit = "_bytes"
	Mbps    Unit = "_mbps"
	Months  Unit = "_months"
	Hours   Unit = "_hours"
	Minutes Unit = "_minutes"
	Seconds Unit = "_seconds"
	Millis  Unit = "_ms"
	Percent Unit = "_percent"
)

var units = []Unit{GiB, KiB, Bytes, Mbps, Months, Hours, Minutes, Seconds, Millis, Percent}

// UnitOf splits a field name into the bare name and the unit, which is empty for a unitless number.
func UnitOf(name string) (string, Unit) {
	for _, u := range units {
		if bare, ok := strings.CutSuffix(name, string(u)); ok {
			return bare, u
		}
	}
	return name, ""
}

var withUnit = regexp.MustCompile(`^\s*[0-9][0-9.,eE+-]*\s*[A-Za-z%]`)

var parsers = map[Unit]func(string) (float64, error){
	GiB: func(text string) (float64, error) {
		size, err := quantity.ParseSize(text)
		return size.GiB(), err
	},
	KiB: func(text string) (float64, error) {
		size, err := quantity.ParseSize(text)
		return float64(size) / (1 << 10), err
	},
	Bytes: func(text string) (float64, error) {
		size, err := quantity.ParseSize(text)
		return float64(size), err
	},
	Mbps: func(text string) (float64, error) {
		rate, err := quantity.ParseRate(text)
		return rate.Mbps(), err
	},
	Hours:   inSeconds(3600),
	Minutes: inSeconds(60),
	Seconds: inSeconds(1),
	Millis:  inSeconds(1e-3),
	Percent: func(text string) (float64, error) {
		number, ok := strings.CutSuffix(strings.TrimSpace(text), "%")
		percent, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if !ok || err != nil {
			return 0, fmt.Errorf("%q is not a percentage such as %q", text, "5%")
		}
		return percent, nil
	},
}

func inSeconds(unit float64) func(string) (float64, error) {
	return func(text string) (float64, error) {
		duration, err := quantity.ParseDuration(text)
		return float64(duration) / unit, err
	}
}

// WithUnit parses a text with a unit, such as "1 Gbit/s" or "4h", and converts the value to the unit of the named
// field. It returns false if the text or the field has no unit.
func WithUnit(name, text string) (float64, bool, error) {
	_, unit := UnitOf(name)
	parse := parsers[unit]
	if parse == nil || jsonNumber(strings.TrimSpace(text)) || !withUnit.MatchString(text) {
		return 0, false, nil
	}
	v, err := parse(text)
	return v, true, err
}
