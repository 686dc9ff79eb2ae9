package quantity

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

var durationPart = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)\s*(ms|sec|s|min|m|h|d)\s*`)

var secondsOf = map[string]float64{"ms": 1e-3, "s": 1, "sec": 1, "m": 60, "min": 60, "h": 3600, "d": 86400}

// ParseDuration parses a duration such as "4h", "15 min", "1d 2h 30m" or "20ms". The error suggests the correct form.
func ParseDuration(text string) (Duration, error) {
	seconds := 0.0
	rest := strings.TrimSpace(text)
	for first := true; first || rest != ""; first = false {
		part := durationPart.FindStringSubmatch(rest)
		if part == nil {
			return 0, fmt.Errorf(
				"%q is not a duration such as %q; supported units are d, h, min (or m), s and ms",
				text,
				"1h 30min",
			)
		}
		number, err := strconv.ParseFloat(part[1], 64)
		if err != nil {
			return 0, fmt.Errorf("%q: %w", text, errOverflow)
		}
		seconds += number * secondsOf[part[2]]
		rest = rest[len(part[0]):]
	}
	return finite(Duration(seconds), text)
}
