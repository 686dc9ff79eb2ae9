package slacompliance

import (
	"testing"

	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/replication"
)

// TestModel_assumptions: every number that an estimate assumes is an argument. A label has no use here, because each
// tier is alone on the link.
func TestModel_assumptions(t *testing.T) {
	t.Parallel()
	offered := new(model).assumptions()
	for _, row := range replication.AssumptionInputs() {
		if _, ok := offered[row.Name]; !ok && row.Kind == calculator.Number {
			t.Errorf("vsla_sla_compliance has no argument %s: add a field types.Float64 `tfsdk:%q` to model in "+
				"internal/provider/slacompliance/model.go", row.Name, row.Name)
		}
	}
}
