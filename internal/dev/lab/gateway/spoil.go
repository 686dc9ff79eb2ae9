// Answers that are wrong in what they say, not in whether they come: the rest is the traffic control's.

package gateway

import (
	"encoding/json"
	"fmt"
	"time"
)

type spoiler struct {
	operation string
	times     int
	change    func(map[string]any)
}

// Spoil changes the next answers of an operation, as JSON, before they are sent; times 0 means all that follow. change
// runs while the appliance is locked, so it may not call it.
func (g *Gateway) Spoil(operationID string, times int, change func(answer map[string]any)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if times == 0 {
		times = -1
	}
	g.spoilers = append(g.spoilers, &spoiler{operation: operationID, times: times, change: change})
}

// MendAnswers takes every Spoil back.
func (g *Gateway) MendAnswers() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.spoilers = nil
}

func (g *Gateway) spoil(operationID string, answer []byte) []byte {
	for _, s := range g.spoilers {
		if s.operation != operationID || s.times == 0 {
			continue
		}
		s.times--
		var v map[string]any
		if err := json.Unmarshal(answer, &v); err != nil {
			panic(err) // written by this package
		}
		s.change(v)
		changed, err := json.Marshal(v)
		if err != nil {
			panic(fmt.Sprintf("Spoil turned %s into something that is not JSON: %v", operationID, err))
		}
		return changed
	}
	return answer
}

func metaOf(answer map[string]any) map[string]any {
	meta, ok := answer["_meta"].(map[string]any)
	if !ok {
		meta = map[string]any{}
		answer["_meta"] = meta
	}
	return meta
}

// Rows are the rows of a list, or the answer itself.
func Rows(answer map[string]any) []map[string]any {
	list, ok := answer["list"].([]any)
	if !ok {
		return []map[string]any{answer}
	}
	rows := make([]map[string]any, 0, len(list))
	for _, row := range list {
		if row, ok := row.(map[string]any); ok {
			rows = append(rows, row)
		}
	}
	return rows
}

// MetaError announces that a field of the answer could not be read; field is a JSONPath.
func MetaError(field string) func(map[string]any) {
	return func(answer map[string]any) {
		metaOf(answer)["errors"] = []any{map[string]any{"code": missingCode, "message": missingMessage, "field": field}}
	}
}

// NullMeta makes _meta null.
func NullMeta(answer map[string]any) { answer["_meta"] = nil }

// UnknownValue writes a value that the API does not know into a field of every row.
func UnknownValue(name string) func(map[string]any) {
	return func(answer map[string]any) {
		for _, row := range Rows(answer) {
			if status, ok := row[name].(map[string]any); ok && name == "status" {
				status["status"] = "RECONFIGURING"
				continue
			}
			row[name] = "RECONFIGURING"
		}
	}
}

// laterField is a field of a later release.
const laterField = "a_later_field"

// withoutLater removes what ExtraFields has added: a release that sends a field takes it back.
func withoutLater(v any) {
	switch v := v.(type) {
	case map[string]any:
		delete(v, laterField)
		for _, member := range v {
			withoutLater(member)
		}
	case []any:
		for _, member := range v {
			withoutLater(member)
		}
	}
}

// ExtraFields adds fields that the API does not know.
func ExtraFields(answer map[string]any) {
	for _, row := range append(Rows(answer), answer) {
		row[laterField] = map[string]any{"nested": []any{1, "two", nil}}
	}
}

// WrongTotal adds n to the total of a list.
func WrongTotal(n float64) func(map[string]any) {
	return func(answer map[string]any) {
		meta := metaOf(answer)
		total, _ := meta["total"].(float64)
		meta["total"] = total + n
	}
}

// NullLinks makes the links of a list null.
func NullLinks(answer map[string]any) {
	metaOf(answer)["links"] = map[string]any{"self": nil, "next": nil, "previous": nil}
}

// DuplicateRow lists the first row twice.
func DuplicateRow(answer map[string]any) {
	if list, ok := answer["list"].([]any); ok && len(list) > 0 {
		answer["list"] = append([]any{list[0]}, list...)
	}
}

func logLine(at time.Time, kind string, status int) string {
	return fmt.Sprintf("%s %s %d\n", at.Format(time.RFC3339Nano), kind, status)
}
