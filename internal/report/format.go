// Values for people: units behind numbers, and names without them.

package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/quantity"
)

// none stands for a missing value.
const none = "–"

// maxListed is how many elements of a list are named.
const maxListed = 20

// formats write a number with its unit.
var formats = map[calculator.Unit]func(float64) string{
	calculator.Seconds: duration,
	calculator.Minutes: func(v float64) string { return duration(v * 60) },
	calculator.Hours:   func(v float64) string { return duration(v * 3600) },
	calculator.Months:  months,
	calculator.Percent: func(v float64) string { return digits(v, plan.Percent) + "%" },
	calculator.Bytes:   func(v float64) string { return decimal(v) + " bytes" },
	calculator.Mbps:    func(v float64) string { return quantity.FromMbps(v).String() },
	calculator.GiB:     func(v float64) string { return quantity.FromGiB(v).String() },
	calculator.KiB:     func(v float64) string { return quantity.Size(v * 1024).String() },
	calculator.Millis:  func(v float64) string { return decimal(v) + " ms" },
}

// duration is quantity's, without the zeros at its end: "15m" and not "15m 0s"; and with hundredths below a minute,
// because a guest that stops for 1.2 s is not one that stops for a second.
func duration(seconds float64) string {
	if hundredths := math.Round(seconds * 100); seconds >= 1 && hundredths < 6000 {
		return decimal(hundredths/100) + "s"
	}
	text := quantity.Duration(seconds).String()
	for _, zero := range []string{" 0s", " 0m", " 0h"} {
		text = strings.TrimSuffix(text, zero)
	}
	return text
}

// rpoText writes an RPO, which is in minutes wherever it is: in tables as in sentences.
func rpoText(minutes float64) string { return plan.Thousands(minutes, -1) + " min" }

// months writes a number of months to a tenth.
func months(v float64) string {
	if v == 1 {
		return "1 month"
	}
	return plan.Thousands(v, monthDecimals(v)) + " months"
}

// monthDecimals is 0 for whole months, else 1.
func monthDecimals(v float64) int {
	if math.Abs(v-math.Round(v)) < 0.05 {
		return 0
	}
	return 1
}

// decimal returns as many digits as a reader needs: three after the point of a small number, one of a large one.
func decimal(v float64) string { return digits(v, plan.Thousands) }

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

// format writes a value by the unit in its attribute's name.
func format(name string, v any) string {
	switch v := v.(type) {
	case nil:
		return none
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case string:
		if v == "" {
			return none
		}
		return clean(v)
	case float64:
		_, unit := unitOf(name)
		if unit == calculator.Minutes && strings.Contains(name, "rpo") {
			return rpoText(v)
		}
		if unit != "" {
			return formats[unit](v)
		}
		return decimal(v)
	case []any:
		return listed(v, maxListed)
	case map[string]any:
		if len(v) == 1 {
			return "1 entry"
		}
		return plan.Thousands(float64(len(v)), 0) + " entries"
	}
	return clean(fmt.Sprint(v))
}

// unitOf splits an attribute's name into what it names and its unit, which may be followed by what it is per:
// "changed_gib_per_cycle".
func unitOf(name string) (string, calculator.Unit) {
	if bare, unit := calculator.UnitOf(name); unit != "" {
		return bare, unit
	}
	if until, ok := strings.CutPrefix(name, "months_"); ok {
		return until, calculator.Months
	}
	what, per, _ := strings.Cut(name, "_per_")
	if bare, unit := calculator.UnitOf(what); unit != "" && per != "" {
		return bare + "_per_" + per, unit
	}
	return name, ""
}

// listed names the first elements of a list.
func listed(list []any, most int) string {
	if len(list) == 0 {
		return "none"
	}
	return quantity.ListOf(list, most, func(e any) string { return format("", e) })
}

// label makes words of an attribute's name and takes its unit away.
func label(name string) string {
	bare, _ := unitOf(name)
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
	"cpu":  "CPU",
	"p50":  "median of",
	"p95":  "95th percentile of",
	"uuid": "UUID",
}

// clean replaces what would change how the text around it is read: control characters and marks that turn its
// direction. Lines become one.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || r == '\r' {
			return ' '
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == 0x2028 || r == 0x2029 {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// number, text and the like read an attribute; ok is false when it is not there or is something else.
func (in *instance) number(name string) (float64, bool) {
	v, ok := in.values[name].(float64)
	return v, ok
}

func (in *instance) text(name string) string {
	s, _ := in.values[name].(string)
	return clean(s)
}

func (in *instance) texts(name string) []string {
	list, _ := in.values[name].([]any)
	texts := make([]string, 0, len(list))
	for _, e := range list {
		texts = append(texts, format("", e))
	}
	return texts
}

func (in *instance) object(name string) map[string]any {
	m, _ := in.values[name].(map[string]any)
	return m
}

// format writes an attribute.
func (in *instance) format(name string) string { return format(name, in.values[name]) }

// facts returns attributes that have a value and are no table, in the order of the names.
func (in *instance) facts(names ...string) []Fact {
	facts := []Fact{}
	for _, name := range names {
		v, ok := in.values[name]
		if !ok || v == nil {
			continue
		}
		if _, composed := v.(map[string]any); composed ||
			slices.Contains([]string{"reasons", "explanations", "summary"}, name) {
			continue
		}
		facts = append(facts, Fact{Name: clean(name), Label: clean(label(name)), Text: format(name, v), Value: v})
	}
	return facts
}

// count writes a number with its noun: "1 VM", "2 VMs".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok && !strings.HasSuffix(noun, "ay") {
		noun = stem + "ie"
	}
	return plan.Thousands(float64(n), 0) + " " + noun + "s"
}
