package document

import (
	"encoding/json"
	"maps"
	"slices"
)

// decodeMarks returns what marks the sensitive values of a resource. If it cannot be decoded, everything is marked.
func decodeMarks(text json.RawMessage) any {
	if len(text) == 0 {
		return nil
	}
	var marks any
	if json.Unmarshal(text, &marks) != nil {
		return true
	}
	return marks
}

// marked returns the sorted names of attributes that are completely or partly marked, or [""] if everything is marked.
func marked(marks any) []string {
	if marks == true {
		return []string{""}
	}
	attributes, _ := marks.(map[string]any)
	var names []string
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		if anyMarked(attributes[name]) {
			names = append(names, name)
		}
	}
	return names
}

func anyMarked(marks any) bool {
	switch m := marks.(type) {
	case bool:
		return m
	case []any:
		return slices.ContainsFunc(m, anyMarked)
	case map[string]any:
		for _, e := range m {
			if anyMarked(e) {
				return true
			}
		}
	}
	return false
}
