package objecttags_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

func TestAccObjectTags_exchange(t *testing.T) {
	t.Parallel()
	e := startAt(t, vcsim.Config{Release: tagging.Release91})
	const patch = "PATCH /api/vcenter/tagging/associations"
	e.Run(t,
		resource.TestStep{Config: e.config("additive", "gold", "a"), Check: e.carries(2, "gold", "a")},
		acctest.After(func() {
			e.Traffic().Reset()
			e.Tags().RefuseAttach(e.ids["silver"], e.vm.ID, true)
		}, acctest.FailingStep(e.config("additive", "silver", "a"), `changed nothing`)),
		acctest.After(func() {
			assert.Equal(t, "[a gold]", fmt.Sprint(e.carried()))
			e.Tags().RefuseAttach(e.ids["silver"], e.vm.ID, false)
		}, resource.TestStep{Config: e.config("additive", "silver", "a"), Check: e.carries(2, "silver", "a")}),
	)
	assert.Equal(t, 2, e.Traffic().Count(patch))
	// The destroy uses the older detach request, which also shows that such requests are counted.
	attached := e.Traffic().Count(attach)
	detached := e.Traffic().Count(detach)
	require.Equal(t, 0, attached)
	assert.Equal(t, 1, detached)
}

// TestObjectTags_interrupted simulates Ctrl-C during the attach, which vCenter does not receive. The tags of the object
// are still read, and the state does not contain the tag.
func TestObjectTags_interrupted(t *testing.T) {
	t.Parallel()
	e := start(t)
	p := e.Configured(t)
	schemas, err := p.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	require.NoError(t, err)
	schema := schemas.ResourceSchemas["vsla_object_tags"]
	config := acctest.Object(t, schema, map[string]any{
		"object_id": e.vm.ID,
		"tag_ids":   []tftypes.Value{tftypes.NewValue(tftypes.String, e.ids["a"])},
	})
	none, err := tfprotov6.NewDynamicValue(schema.ValueType(), tftypes.NewValue(schema.ValueType(), nil))
	require.NoError(t, err)
	plan, err := p.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName:         "vsla_object_tags",
		PriorState:       &none,
		ProposedNewState: config,
		Config:           config,
	})
	require.NoError(t, err)
	require.Empty(t, plan.Diagnostics)
	ctx, interrupt := context.WithCancel(t.Context())
	e.Traffic().Break(fault.Rule{
		Kind:            attach,
		Before:          func(*http.Request) { interrupt() },
		CloseConnection: true,
	})
	made, err := p.ApplyResourceChange(ctx, &tfprotov6.ApplyResourceChangeRequest{
		TypeName:       "vsla_object_tags",
		PriorState:     &none,
		PlannedState:   plan.PlannedState,
		Config:         config,
		PlannedPrivate: plan.PlannedPrivate,
	})
	require.NoError(t, err)
	require.NotEmpty(t, made.Diagnostics)
	state, err := made.NewState.Unmarshal(schema.ValueType())
	require.NoError(t, err)
	assert.True(t, state.IsNull(), "%v", state)
}
