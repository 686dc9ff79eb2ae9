// Histories, which both kits judge by a limit.

package policytest_test

import (
	"maps"
	"slices"
	"testing"
)

// TestHCLKit_histories compares what the two kits deny of a history.
func TestHCLKit_histories(t *testing.T) {
	t.Parallel()
	file := readHCLKit(t)
	base := withReplication(t, open(t, first(t), everything).plan(t, 0))
	const address = "data.vsla_replication_history.gold"
	for name, run := range map[string]struct {
		total document
		limit float64
		want  []string
	}{
		"at the limit":     {document{}, 99.5, nil},
		"below the limit":  {document{}, 99.51, []string{"low_compliance"}},
		"no limit":         {document{}, 0, nil},
		"nothing is known": {document{"compliance_percent": nil, "known_minutes": 0}, 99, []string{"not_measured"}},
	} {
		plan := clone(t, base)
		values := measuredOf(t, plan, "vsla_replication_history")
		maps.Copy(object(t, values, "total"), run.total)
		gate := gateOf([]any{document{"address": address}}, []any{})
		object(t, gate, "gate")["min_compliance_percent"] = run.limit
		denied := judge(t, plan, gate)[address]
		got := file.codes(t, hclTarget{
			kind: "vsla_object_tags", operation: "no-op", measured: map[string]any{"vsla_replication_history": values},
			inputs: map[string]any{"histories": document{"gold": document{}}, "min_compliance_percent": run.limit},
		})
		if want := append([]string{}, run.want...); !slices.Equal(got, want) || !slices.Equal(denied, run.want) {
			t.Errorf("%s: %v, Rego denies %v, want %v", name, got, denied, want)
		}
	}
}
