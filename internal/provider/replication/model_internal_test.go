package replication

import (
	"reflect"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/vr"
)

var baseOptions = vr.Options{
	RPOMinutes:      15,
	Encryption:      vr.FlagOff,
	Enhanced:        vr.FlagOff,
	PointInTime:     true,
	InstancesPerDay: 3,
	InstanceDays:    5,
}

// TestModel_unreportedOptions verifies that a setting that is not reported stays in state.
func TestModel_unreportedOptions(t *testing.T) {
	t.Parallel()
	state := model{}.withOptions(baseOptions)
	unreported := baseOptions
	unreported.Enhanced = vr.FlagUnset
	unreported.Encryption = vr.FlagUnset
	assert.Equal(t, baseOptions, state.withOptions(unreported).options())
}

// TestModel_options verifies that the model covers all options of vSphere Replication, that a change to any of them is
// sent, and that a change by another client stops an update.
func TestModel_options(t *testing.T) {
	t.Parallel()
	state := model{}.withOptions(baseOptions)
	require.Equal(t, baseOptions, state.options())
	for field := range reflect.TypeFor[vr.Options]().Fields() {
		o := baseOptions
		change(t, reflect.ValueOf(&o).Elem().FieldByIndex(field.Index))
		if !o.PointInTime { // the model stores no numbers of instances without points in time
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

// change changes an option. All unsigned options are flags.
func change(t *testing.T, option reflect.Value) {
	t.Helper()
	switch {
	case option.CanInt():
		option.SetInt(option.Int() + 1)
	case option.CanUint():
		option.SetUint(uint64(vr.FlagOn))
	case option.Kind() == reflect.Bool:
		option.SetBool(!option.Bool())
	default:
		t.Fatalf("cannot change a %s", option.Kind())
	}
}
