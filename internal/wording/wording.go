// Package wording formats values with units, labels and lists for display.
package wording

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/quantity"
)

// None is printed for a missing value.
const None = "–"

// MaxListed is the default number of list elements to print.
const MaxListed = 20

// formats maps a unit to its formatter. Durations are rounded up, and months are rounded down. Percentages, throughputs
// and sizes in GiB are rounded as the attribute requires.
var formats = map[calculator.Unit]func(v float64, to plan.Rounding) string{
	calculator.Seconds: func(v float64, _ plan.Rounding) string { return Duration(v) },
	calculator.Minutes: func(v float64, _ plan.Rounding) string { return Duration(v * 60) },
	calculator.Hours:   func(v float64, _ plan.Rounding) string { return Duration(v * 3600) },
	calculator.Months:  func(v float64, _ plan.Rounding) string { return Months(v) },
	calculator.Percent: func(v float64, to plan.Rounding) string {
		return digits(
			v,
			func(v float64, decimals int) string { return plan.Percent(to.Round(v, decimals), decimals) },
		) + "%"
	},
	calculator.Bytes: func(v float64, _ plan.Rounding) string { return Decimal(v) + " bytes" },
	calculator.Mbps: func(v float64, to plan.Rounding) string {
		if to == plan.Up {
			return quantity.CeilMbps(v)
		}
		return quantity.FromMbps(v).String()
	},
	calculator.GiB: func(v float64, to plan.Rounding) string {
		if to == plan.Up {
			return quantity.FromGiB(v).Ceil()
		}
		return quantity.FromGiB(v).String()
	},
	calculator.KiB:    func(v float64, _ plan.Rounding) string { return quantity.Size(v * 1024).String() },
	calculator.Millis: func(v float64, _ plan.Rounding) string { return Decimal(v) + " ms" },
}

// Duration formats a duration, rounded up, without trailing zero units: "15m" instead of "15m 0s". Durations from one
// second to less than a minute include hundredths of a second, because a stun of 1.2 s is noticeably longer than one
// second.
func Duration(seconds float64) string {
	if hundredths := math.Ceil(seconds * 100 * (1 - 1e-9)); seconds >= 1 && hundredths < 6000 {
		return Decimal(hundredths/100) + "s"
	}
	text := quantity.Duration(seconds).Ceil()
	for _, zero := range []string{" 0s", " 0m", " 0h"} {
		text = strings.TrimSuffix(text, zero)
	}
	return text
}

// RPO formats an RPO given in minutes: "15 min", "12 h". Whole numbers of hours are formatted in hours, except for a
// single hour: "60 min".
func RPO(minutes float64) string {
	const perHour = 60
	if minutes >= 2*perHour && math.Mod(minutes, perHour) == 0 {
		return plan.Thousands(minutes/perHour, -1) + " h"
	}
	return plan.Thousands(minutes, -1) + " min"
}

// Months formats a number of months, rounded down to a tenth.
func Months(v float64) string {
	if v == 1 {
		return "1 month"
	}
	return MonthsNumber(v) + " months"
}

// MonthsNumber formats a number of months like Months but without the unit.
func MonthsNumber(v float64) string { return plan.Thousands(plan.Down.Round(v, 1), -1) }

// Decimal formats a number with up to three decimals. Larger numbers have fewer decimals.
func Decimal(v float64) string { return digits(v, plan.Thousands) }

func digits(v float64, write func(v float64, decimals int) string) string {
	decimals := 3
	switch size := math.Abs(v); {
	case size >= 100:
		decimals = 1
	case size >= 10:
		decimals = 2
	}
	text := write(v, decimals)
	if strings.Contains(text, ".") {
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// Value formats a value according to the unit suffix of its attribute name.
func Value(name string, v any) string {
	switch v := v.(type) {
	case nil:
		return None
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case string:
		if v == "" {
			return None
		}
		return Clean(v)
	case float64:
		_, unit := UnitOf(name)
		if unit == calculator.Minutes && strings.Contains(name, "rpo") {
			return RPO(v)
		}
		if unit != "" {
			return formats[unit](v, calculator.RoundingOf(name))
		}
		return Decimal(v)
	case []any:
		return Listed(v, MaxListed)
	case map[string]any:
		if len(v) == 1 {
			return "1 entry"
		}
		return plan.Thousands(float64(len(v)), 0) + " entries"
	}
	return Clean(fmt.Sprint(v))
}

// UnitOf splits an attribute name into the base name and the unit. A reference period can follow the unit, as in
// "changed_gib_per_cycle".
func UnitOf(name string) (string, calculator.Unit) {
	if bare, unit := calculator.UnitOf(name); unit != "" {
		return bare, unit
	}
	if until, ok := strings.CutPrefix(name, "months_"); ok {
		return until, calculator.Months
	}
	for _, margin := range []string{"_80", "_90"} {
		if what, ok := strings.CutSuffix(name, margin); ok {
			bare, unit := calculator.UnitOf(what)
			return bare + margin, unit
		}
	}
	what, per, _ := strings.Cut(name, "_per_")
	if bare, unit := calculator.UnitOf(what); unit != "" && per != "" {
		return bare + "_per_" + per, unit
	}
	return name, ""
}

// Listed formats a list. The parameter most limits the number of elements; if there are more, the number of remaining
// elements follows. For an empty list, it returns "none".
func Listed(list []any, most int) string {
	if len(list) == 0 {
		return "none"
	}
	return quantity.ListOf(list, most, func(e any) string { return Value("", e) })
}

// Label converts an attribute name to words, without the unit.
func Label(name string) string {
	bare, _ := UnitOf(name)
	words := strings.Split(bare, "_")
	for i, w := range words {
		if upper, ok := abbreviations[w]; ok {
			words[i] = upper
		}
	}
	text := strings.Join(words, " ")
	if text == "" {
		return name
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

var abbreviations = map[string]string{
	"vm":   "VM",
	"rpo":  "RPO",
	"rtt":  "RTT",
	"mss":  "MSS",
	"id":   "ID",
	"ids":  "IDs",
	"sdps": "SDPS",
	"sla":  "SLA",
	"80":   "(4 of 5)",
	"90":   "(9 of 10)",
	"cpu":  "CPU",
	"p50":  "median of",
	"p95":  "95th percentile of",
	"uuid": "UUID",
}

// Clean returns s as a single line, with control and bidirectional formatting characters replaced.
func Clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || r == '\r' {
			return ' '
		}
		if Misleads(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// Misleads reports whether a character could disguise the surrounding text: C0 and C1 controls, bidirectional
// formatting characters and Unicode line breaks.
func Misleads(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == 0x2028 || r == 0x2029
}

// Invisible reports whether a character is not shown: a control or format character, or one that is ignored by default.
func Invisible(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Cc)
}

// Hidden returns what is wrong with a value of a YAML file that contains a character that cannot be seen there, or "".
// An escaped character can be seen.
func Hidden(value string, file []byte) string {
	for _, r := range value {
		if Invisible(r) && !unicode.IsControl(r) && bytes.ContainsRune(file, r) {
			return fmt.Sprintf("contains the invisible character %U: delete it, or escape it in double quotes", r)
		}
	}
	return ""
}

// Count formats a number with its noun: "1 VM", "2 VMs".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok && !strings.HasSuffix(noun, "ay") {
		noun = stem + "ie"
	}
	return plan.Thousands(float64(n), 0) + " " + noun + "s"
}

// Lower converts the first letter of a label to lower case, unless the label starts with an abbreviation.
func Lower(label string) string {
	first := []rune(label)
	if len(first) < 2 || unicode.IsUpper(first[1]) {
		return label
	}
	first[0] = unicode.ToLower(first[0])
	return string(first)
}

// Capital capitalizes the first letter of a text.
func Capital(text string) string {
	_, size := utf8.DecodeRuneInString(text)
	return strings.ToUpper(text[:size]) + text[size:]
}

var quotedName = regexp.MustCompile("`([^`]*)`")

// Plain converts Markdown to plain text. Attribute names in backticks become labels. Any other text in backticks only
// loses the backticks.
func Plain(text string) string {
	return quotedName.ReplaceAllStringFunc(text, func(name string) string {
		name = strings.Trim(name, "`")
		if !strings.Contains(name, "_") || strings.HasPrefix(name, "vsla_") || name == "depends_on" ||
			strings.ContainsAny(name, " .\"") {
			return name
		}
		label := Label(name)
		if len(label) > 1 && strings.ToLower(label[1:2]) == label[1:2] {
			return strings.ToLower(label[:1]) + label[1:]
		}
		return label
	})
}

// About formats a number of minutes approximately: "19 min", "26 h", "about 9 days".
func About(minutes float64) string {
	const perHour, perDay = 60, 1440
	switch {
	case minutes < 2:
		return Duration(minutes * perHour)
	case minutes < 2*perHour:
		return plan.Thousands(math.Ceil(minutes), 0) + " min"
	case minutes < 2*perDay:
		return plan.Thousands(math.Ceil(minutes/perHour), 0) + " h"
	}
	return "about " + plan.Thousands(math.Round(minutes/perDay), 0) + " days"
}

// LevelWord returns the display name of a level.
func LevelWord(of plan.Level) string {
	return cmp.Or(map[plan.Level]string{
		plan.Misses:  "does not hold",
		plan.AtRisk:  "at risk",
		plan.Unknown: "not known",
		plan.Meets:   "holds",
	}[of], "no verdict")
}

// LevelSymbol returns the symbol that is printed before the word, so that the meaning does not depend on color alone.
func LevelSymbol(of plan.Level) string {
	return cmp.Or(map[plan.Level]string{
		plan.Misses:  "✕",
		plan.AtRisk:  "!",
		plan.Unknown: "?",
		plan.Meets:   "✓",
	}[of], "–")
}

// Headline summarizes how many results have each level.
func Headline(numbers map[plan.Level]int) string {
	judged := 0
	for _, level := range plan.Levels {
		judged += numbers[level]
	}
	if judged == 0 {
		return "No result has a verdict."
	}
	if judged == numbers[plan.Meets] {
		return "Every result with a verdict holds."
	}
	if judged == 1 {
		return "The result with a verdict" + strings.TrimPrefix(clauses(numbers), "1") + "."
	}
	return "Of " + Count(judged, "result") + " with a verdict, " + clauses(numbers) + "."
}

func clauses(numbers map[plan.Level]int) string {
	var list []string
	for _, level := range slices.Backward(plan.Levels) {
		if n := numbers[level]; n > 0 {
			list = append(list, plan.Thousands(float64(n), 0)+" "+plan.Verb(level, n))
		}
	}
	return strings.Join(list, ", ")
}

// Natural compares strings in natural order: item[9] sorts before item[10].
func Natural(a, b string) int {
	digits := func(s string) int {
		n := 0
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		return n
	}
	for a != "" && b != "" {
		n, m := digits(a), digits(b)
		if n == 0 || m == 0 {
			if a[0] != b[0] {
				return cmp.Compare(a[0], b[0])
			}
			a, b = a[1:], b[1:]
			continue
		}
		x, y := strings.TrimLeft(a[:n], "0"), strings.TrimLeft(b[:m], "0")
		if c := cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y), cmp.Compare(n, m)); c != 0 {
			return c
		}
		a, b = a[n:], b[m:]
	}
	return cmp.Compare(len(a), len(b))
}
