package gateway

// MendAnswers undoes all calls to ChangeAnswers.
func (g *Gateway) MendAnswers() {
	defer g.lock()()
	g.answerChanges = nil
}

func metaOf(answer map[string]any) map[string]any {
	meta, ok := answer["_meta"].(map[string]any)
	if !ok {
		meta = map[string]any{}
		answer["_meta"] = meta
	}
	return meta
}

// Rows returns the rows of a list, or the answer itself if it is not a list.
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

// MetaError reports in _meta that a field could not be read. field is a JSONPath expression.
func MetaError(field string) func(map[string]any) {
	return func(answer map[string]any) {
		metaOf(answer)["errors"] = []any{map[string]any{"code": missingCode, "message": missingMessage, "field": field}}
	}
}

// NullMeta sets _meta to null.
func NullMeta(answer map[string]any) { answer["_meta"] = nil }

// UnknownValue sets a field of each row to a value that the API does not define.
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

// ExtraFields adds fields that the API does not define.
func ExtraFields(answer map[string]any) {
	for _, row := range append(Rows(answer), answer) {
		row["a_later_field"] = map[string]any{"nested": []any{1, "two", nil}}
	}
}

// WrongTotal adds n to the total reported for a list.
func WrongTotal(n float64) func(map[string]any) {
	return func(answer map[string]any) {
		meta := metaOf(answer)
		total, _ := meta["total"].(float64)
		meta["total"] = total + n
	}
}

// NullLinks sets all links of a list to null.
func NullLinks(answer map[string]any) {
	metaOf(answer)["links"] = map[string]any{"self": nil, "next": nil, "previous": nil}
}

// DuplicateRow repeats the first row of a list.
func DuplicateRow(answer map[string]any) {
	if list, ok := answer["list"].([]any); ok && len(list) > 0 {
		answer["list"] = append([]any{list[0]}, list...)
	}
}
