package replication

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/vr"
)

// TestModel_options verifies that each option of vSphere Replication is part of the model, so that changes are sent.
func TestModel_options(t *testing.T) {
	t.Parallel()
	base := vr.Options{RPOMinutes: 15, PointInTime: true, InstancesPerDay: 3, InstanceDays: 5}
	state := model{}.withOptions(base)
	require.Equal(t, base, state.options())
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
			o.InstancesPerDay, o.InstanceDays = 0, 0
		}
		plan := state.withOptions(o)
		assert.Equal(t, o, plan.options(), field.Name)
		assert.True(t, plan.differs(state), "%s: a change of it is not sent", field.Name)
	}
}
