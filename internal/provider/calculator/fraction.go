package calculator

import (
	"fmt"
	"math/big"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// fractionsBelow contains, for each percentage that is often written as a fraction, the lowest usual value in percent.
var fractionsBelow = map[tftypes.AttributeName]float64{
	"efficiency_percent": 1, "share_percent": 1, "daily_change_percent": 0.3, "max_daily_change_percent": 0.3,
}

// fractions returns a warning for each percentage that looks like a fraction. It skips single VMs, whose measured rates
// can be this low.
func fractions(config tftypes.Value) (warnings diag.Diagnostics) {
	_ = tftypes.Walk(config, func(at *tftypes.AttributePath, v tftypes.Value) (bool, error) { // has no error to return
		name, _ := at.LastStep().(tftypes.AttributeName)
		if name == "virtual_machines" {
			return false, nil
		}
		var number big.Float
		if limit, ok := fractionsBelow[name]; ok && v.IsKnown() && !v.IsNull() && v.As(&number) == nil {
			if percent, _ := number.Float64(); percent > 0 && percent < limit {
				p := frameworkPath(at)
				warnings.AddAttributeWarning(p, p.String()+" Looks Like a Fraction", fmt.Sprintf(
					"The number is in percent: %s means %[1]s %%. If %[2]s %% is meant, write %[2]s.",
					strconv.FormatFloat(percent, 'g', -1, 64), strconv.FormatFloat(percent*100, 'g', 6, 64)))
			}
		}
		return true, nil
	})
	return warnings
}

func frameworkPath(p *tftypes.AttributePath) path.Path {
	at := path.Empty()
	for _, step := range p.Steps() {
		switch step := step.(type) {
		case tftypes.AttributeName:
			at = at.AtName(string(step))
		case tftypes.ElementKeyString:
			at = at.AtMapKey(string(step))
		case tftypes.ElementKeyInt:
			at = at.AtListIndex(int(step))
		}
	}
	return at
}
