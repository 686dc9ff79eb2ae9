package estate

import (
	"fmt"
	"slices"

	"terraform-provider-vsla/internal/plan"
)

type changeColumn struct {
	column string
	inGiB  bool
}

func (d *document) readChange(values map[string]any, at plan.Path) (changeColumn, error) {
	members, err := d.mappingValue(values, keyChange, at)
	if err != nil || members == nil {
		return changeColumn{}, err
	}
	at = at.Attr(keyChange)
	if err := d.checkKeys(members, at, []string{"column", "unit"}); err != nil {
		return changeColumn{}, err
	}
	column, ok := members["column"].(string)
	if !ok || column == "" {
		return changeColumn{}, d.problem(at.Attr("column"), "must be the header of an inventory column")
	}
	unit, given := members["unit"]
	if !slices.Contains([]any{"percent", "gib", nil}, unit) || (given && unit == nil) {
		return changeColumn{}, d.problem(at.Attr("unit"), "must be percent or gib (per day), got %q", fmt.Sprint(unit))
	}
	return changeColumn{column, unit == "gib"}, nil
}
