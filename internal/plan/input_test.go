package plan_test

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan"
)

func TestPath_string(t *testing.T) {
	t.Parallel()
	groups := plan.Attr("groups")
	gold := groups.Key(`go"ld`).Attr("hourly_weights").Index(3)
	got, want := gold.String(), `groups["go\"ld"].hourly_weights[3]`
	assert.Equal(t, want, got)
	// Paths with the same prefix must not share memory.
	a, b := groups.Key("a"), groups.Key("b")
	assert.NotEqual(t, b.String(), a.String())
}

func TestRange_check(t *testing.T) {
	t.Parallel()
	minutes := plan.Range{Min: 1, Max: 1440, Unit: "minutes"}
	count := plan.Range{Min: 1, Max: 10, Whole: true}
	open := plan.Range{Min: 0, Max: 1000000, Above: true, Unit: "Mbit/s"}
	for _, test := range []struct {
		r    plan.Range
		v    float64
		want string
	}{
		{minutes, 1, ""},
		{minutes, 1440, ""},
		{minutes, 15.5, ""},
		{minutes, math.Nextafter(1, 0), "must be between 1 and 1,440 minutes, got 0.9999999999999999"},
		{minutes, math.Nextafter(1440, 2000), "must be between 1 and 1,440 minutes, got 1440.0000000000002"},
		{minutes, math.NaN(), "must be between 1 and 1,440 minutes, got NaN"},
		{minutes, math.Inf(1), "must be between 1 and 1,440 minutes, got a number that is too large"},
		{minutes, math.Inf(-1), "must be between 1 and 1,440 minutes, got a number that is too large"},
		{count, 10, ""},
		{count, 1.5, "must be a whole number (between 1 and 10), got 1.5"},
		{open, 5e-324, ""},
		{open, 0, "must be greater than 0 and at most 1,000,000 Mbit/s, got 0"},
		{open, math.Copysign(0, -1), "must be greater than 0 and at most 1,000,000 Mbit/s, got -0"},
	} {
		got := ""
		if err := test.r.Check(test.v); err != nil {
			got = err.Error()
		}
		assert.Equal(t, test.want, got)
	}
}

func TestInputErrors(t *testing.T) {
	t.Parallel()
	var errs plan.InputErrors
	errs = errs.With(plan.Attr("fine"), nil)
	require.NoError(t, errs.Err())
	errs = errs.With(plan.Attr("a"), errors.New("must be one"))
	errs = errs.With(plan.Attr("b"), errors.New("must be two"))
	got, want := errs.Err().Error(), "a must be one\nb must be two"
	assert.Equal(t, want, got)
	var list plan.InputErrors
	require.ErrorAs(t, errs.Err(), &list)
	require.Len(t, list, 2)
	assert.Equal(t, "b must be two", list[1].Error())
}

func TestThousands(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		v        float64
		decimals int
		want     string
	}{
		{0, 0, "0"},
		{999, 0, "999"},
		{1000, 0, "1,000"},
		{1234567.891, 1, "1,234,567.9"},
		{1e12, -1, "1,000,000,000,000"},
		{1e-6, -1, "0.000001"},
		{-1234.5, -1, "-1,234.5"},
		{-0.04, 1, "0.0"},
	} {
		assert.Equal(t, test.want, plan.Thousands(test.v, test.decimals))
	}
}

func TestRange_doc(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		r    plan.Range
		want string
	}{
		{plan.Range{Min: 1, Max: 1440, Unit: "minutes"}, "between 1 and 1,440 minutes"},
		{plan.Range{Min: 1e-6, Max: 100, Unit: "percent"}, "greater than 0 and at most 100 percent"},
		{plan.Range{Min: 1e-6, Max: 1e12, Unit: "Mbit/s"}, "greater than 0"},
		{plan.Range{Max: 1e12, Above: true}, "greater than 0"},
		{plan.Range{Max: 1e9, Unit: "seconds"}, "at least 0"},
		{plan.Range{Min: 1, Max: 1e6, Unit: "VMs"}, "at least 1"},
	} {
		assert.Equal(t, test.want, test.r.Doc())
	}
}

func TestFindings_sorted(t *testing.T) {
	t.Parallel()
	findings := []plan.Finding{
		{Code: "b", Sentence: "B."},
		{Code: "a", Sentence: "A."},
		{Code: "c", Sentence: "C."},
		{Code: "a", Sentence: "A again."},
	}
	got := plan.Codes(findings)
	require.Len(t, got, 4)
	assert.Equal(t, "a", got[0])
	assert.Equal(t, "a", got[1])
	assert.Equal(t, "b", got[2])
	assert.Equal(t, "c", got[3])
	assert.Equal(t, []string{"A.", "A again.", "B.", "C."}, plan.Sentences(findings))
	assert.Equal(t, "b", findings[0].Code, "the argument was sorted")
	require.NotNil(t, plan.Codes(nil), "nothing found must be an empty list")
	assert.NotNil(t, plan.Sentences(nil), "nothing found must be an empty list")
}

func TestPercent(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		v        float64
		decimals int
		want     string
	}{
		{99.99985, 2, "99.99"},
		{99.99985, 3, "99.999"},
		{99.9, 0, "99"},
		{99.994, 2, "99.99"},
		{100, 2, "100.00"},
		{100.004, 2, "100.00"},
		{1234.5, 1, "1,234.5"},
		{0, 1, "0.0"},
	} {
		assert.Equal(t, test.want, plan.Percent(test.v, test.decimals))
	}
}
