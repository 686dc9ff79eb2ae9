package replication

import (
	"reflect"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/vr"
)

// TestModel_options verifies that the model covers all options of vSphere Replication, that a change to any of them is
// sent, and that a change by another client stops an update.
func TestModel_options(t *testing.T) {
	t.Parallel()
	base := vr.Options{
		RPOMinutes:      15,
		Encryption:      vr.FlagOff,
		Enhanced:        vr.FlagOff,
		PointInTime:     true,
		InstancesPerDay: 3,
		InstanceDays:    5,
	}
	state := model{}.withOptions(base)
	require.Equal(t, base, state.options())
	unreported := base
	unreported.Enhanced = vr.FlagUnset
	unreported.Encryption = vr.FlagUnset
	require.Equal(t, base, state.withOptions(unreported).options(), "a setting that is not reported stays in state")
	for field := range reflect.TypeFor[vr.Options]().Fields() {
		o := base
		v := reflect.ValueOf(&o).Elem().FieldByIndex(field.Index)
		switch {
		case v.CanInt():
			v.SetInt(v.Int() + 1)
		case v.CanUint():
			v.SetUint(uint64(vr.FlagOn))
		case v.Kind() == reflect.Bool:
			v.SetBool(!v.Bool())
		default:
			t.Fatalf("%s is a %s", field.Name, v.Kind())
		}
		if !o.PointInTime {
			o.InstancesPerDay = 0
			o.InstanceDays = 0
		}
		plan := state.withOptions(o)
		assert.Equal(t, o, plan.options(), field.Name)
		assert.True(t, plan.differs(state), "%s: a change of it is not sent", field.Name)
		now := vr.Replication{Options: o}
		drift := update{plan: state, state: state}.checkDrift(t.Context(), now, nil, &diag.Diagnostics{})
		assert.Error(t, drift, "%s: checkDrift ignores the change of another client", field.Name)
	}
}
