package calculator

import (
	"encoding/json"
	"fmt"
	"strconv"

	"terraform-provider-vsla/internal/plan"
)

// number converts a number or a numeric text to float64. Numbers beyond the range of float64 become infinite, which
// no input range allows.
func number(v any) (float64, error) {
	switch v := v.(type) {
	case float64:
		return v, nil
	case json.Number:
		return parse(v.String())
	case string:
		return parse(v)
	}
	return 0, fmt.Errorf("must be a number, got %s", kindOf(v))
}

func parse(text string) (float64, error) {
	n, err := strconv.ParseFloat(text, 64)
	// Terraform accepts decimal notation only, not "0x10", "1_000", "inf" or "nan".
	if !jsonNumber(text) || (err != nil && n == 0) {
		return 0, fmt.Errorf("must be a number, got %q", text)
	}
	return n, nil
}

func jsonNumber(text string) bool {
	var n json.Number
	err := json.Unmarshal([]byte(text), &n)
	return err == nil && n.String() == text
}

func boolean(v any) (bool, error) {
	switch v {
	case true, "true":
		return true, nil
	case false, "false":
		return false, nil
	}
	return false, fmt.Errorf("must be true or false, got %s", kindOf(v))
}

func text(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case json.Number:
		return v.String(), nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	}
	return "", fmt.Errorf("must be a string, got %s", kindOf(v))
}

func object(v any) (map[string]any, error) {
	if m, ok := v.(map[string]any); ok {
		return m, nil
	}
	return nil, fmt.Errorf("must be an object or a map, got %s", kindOf(v))
}

func numbers(v any, at plan.Path) ([]float64, plan.InputErrors) {
	elements, ok := v.([]any)
	if !ok {
		return nil, plan.InputErrors{}.With(at, fmt.Errorf("must be a list of numbers, got %s", kindOf(v)))
	}
	var errs plan.InputErrors
	list := make([]float64, len(elements))
	for i, e := range elements {
		var err error
		list[i], err = number(e)
		errs = errs.With(at.Index(i), err)
	}
	return list, errs
}

func texts(v any, at plan.Path) ([]string, plan.InputErrors) {
	elements, ok := v.([]any)
	if !ok {
		return nil, plan.InputErrors{}.With(at, fmt.Errorf("must be a list of strings, got %s", kindOf(v)))
	}
	var errs plan.InputErrors
	list := make([]string, len(elements))
	for i, e := range elements {
		var err error
		list[i], err = text(e)
		errs = errs.With(at.Index(i), err)
	}
	return list, errs
}

func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case string:
		return strconv.Quote(v)
	case float64, json.Number:
		return fmt.Sprint("the number ", v)
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	}
	return fmt.Sprintf("a %T", v)
}
