package report

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/plan"
)

// TestHelpText verifies that a remedy is written once and then only named, also after the reason why a tier is not
// known, and that blockers of a migration stand before a remedy.
func TestHelpText(t *testing.T) {
	t.Parallel()
	remedy := assess.Texts{Options: []string{"provide 600 Mbit/s"}}
	reasons := func(codes ...string) []assess.Reason {
		all := make([]assess.Reason, 0, len(codes))
		for _, code := range codes {
			all = append(all, assess.Reason{Code: code, Sentence: "Why " + code + "."})
		}
		return all
	}
	none := assess.Texts{}
	faster := assess.Texts{Options: []string{"provide 700 Mbit/s"}}
	moves := assess.Migration{}
	firstByRemedy := make(map[string]string)
	for _, test := range []struct {
		title   string
		level   plan.Level
		answer  any
		texts   assess.Texts
		reasons []assess.Reason
		want    string
	}{
		{"gold", plan.Misses, nil, remedy, reasons("late"), "Provide 600 Mbit/s"},
		{"silver", plan.AtRisk, nil, remedy, reasons("late"), "as for gold"},
		{
			"bronze", plan.Unknown, nil, remedy, reasons("late", "size_unknown"),
			"Why size_unknown. For the others: as for gold",
		},
		{"tin", plan.Unknown, nil, none, reasons("size_unknown"), "Why size_unknown."},
		{"lead", plan.Misses, nil, none, reasons("late", "no_remedy"), "Why no_remedy."},
		{"iron", plan.Meets, nil, remedy, nil, ""},
		{
			"moves", plan.Misses, moves, faster, reasons("fits_no_window", "deadline_missed"),
			"Why fits_no_window. Provide 700 Mbit/s",
		},
		{
			"far moves", plan.Misses, moves, none, reasons("fits_no_window", "rtt_above_150_ms", "late"),
			"Why fits_no_window. Why rtt_above_150_ms.",
		},
		{"late moves", plan.Misses, moves, remedy, reasons("deadline_missed"), "as for gold"},
	} {
		a := &assess.Assessment{Level: test.level, Answer: test.answer, Texts: test.texts, Reasons: test.reasons}
		a.Title = test.title
		assert.Equal(t, test.want, helpText(a, firstByRemedy), test.title)
	}
}
