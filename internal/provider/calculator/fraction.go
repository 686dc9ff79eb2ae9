package calculator

import (
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"terraform-provider-vsla/internal/wording"
)

// fractions returns a warning for each percentage that looks like a fraction. It skips single VMs, whose measured rates
// can be this low.
func fractions(config tftypes.Value) (warnings diag.Diagnostics) {
	_ = tftypes.Walk(config, func(at *tftypes.AttributePath, v tftypes.Value) (bool, error) { // has no error to return
		name, _ := at.LastStep().(tftypes.AttributeName)
		if name == "virtual_machines" {
			return false, nil
		}
		var number big.Float
		if v.Type().Is(tftypes.Number) && v.IsKnown() && !v.IsNull() && v.As(&number) == nil {
			percent, _ := number.Float64()
			if says := wording.Fraction(string(name), percent); says != "" {
				p := frameworkPath(at)
				warnings.AddAttributeWarning(p, p.String()+" Looks Like a Fraction", says)
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
