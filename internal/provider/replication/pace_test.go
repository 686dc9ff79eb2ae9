package replication_test

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/gateway"
)

// fleet is a set of replications. Like Terraform, it plans and applies in separate provider processes, ten replications
// at a time.
type fleet struct {
	s      *acctest.Sites
	states []*tfprotov6.DynamicValue
	paused any // nil, true or false
	warned atomic.Int64
}

const typeName = "vsla_replication"

type process struct {
	tfprotov6.ProviderServer
	schema *tfprotov6.Schema
}

func (f *fleet) start(t *testing.T) process {
	t.Helper()
	server := f.s.Configured(t)
	schema, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	require.NoError(t, err)
	return process{server, schema.ResourceSchemas[typeName]}
}

func (f *fleet) each(do func(n int)) {
	var group sync.WaitGroup
	next := make(chan int)
	for range 10 {
		group.Go(func() {
			for n := range next {
				do(n)
			}
		})
	}
	for n := range f.states {
		next <- n
	}
	close(next)
	group.Wait()
}

// apply plans and applies an RPO for all replications, or destroys them if rpo is 0. It returns the duration and the
// number of planned changes.
func (f *fleet) apply(t *testing.T, rpo int) (took time.Duration, changes int) {
	t.Helper()
	began := f.s.Now()
	var mu sync.Mutex
	p := f.start(t)
	f.each(func(n int) {
		f.states[n] = p.refresh(t, f.states[n])
		planned := p.plan(t, f.states[n], f.config(t, p, n, rpo))
		f.count(planned.Diagnostics)
		mu.Lock()
		defer mu.Unlock()
		if !p.same(t, planned.PlannedState, f.states[n]) {
			changes++
		}
	})
	if changes > 0 {
		p = f.start(t)
		f.each(func(n int) {
			config := f.config(t, p, n, rpo)
			planned := p.plan(t, f.states[n], config)
			f.count(planned.Diagnostics)
			answer, err := p.ApplyResourceChange(t.Context(), &tfprotov6.ApplyResourceChangeRequest{
				TypeName:       typeName,
				PriorState:     f.states[n],
				PlannedState:   planned.PlannedState,
				Config:         config,
				PlannedPrivate: planned.PlannedPrivate,
			})
			fine(t, err, answer.Diagnostics)
			f.states[n] = answer.NewState
		})
	}
	return f.s.Now().Sub(began), changes
}

func (f *fleet) config(t *testing.T, p process, n, rpo int) *tfprotov6.DynamicValue {
	t.Helper()
	if rpo == 0 {
		return p.none(t)
	}
	return acctest.Object(t, p.schema, map[string]any{
		"pairing_id":          f.s.PairingID(),
		"vm_id":               f.s.VM(n),
		"target_datastore_id": f.s.Datastore(0),
		"rpo_minutes":         rpo,
		"paused":              f.paused,
	})
}

func (f *fleet) count(diags []*tfprotov6.Diagnostic) {
	for _, d := range diags {
		if d.Summary == slowApply {
			f.warned.Add(1)
		}
	}
}

const slowApply = "Applying the Replications Takes More Than 5 Minutes"

func fine(t *testing.T, err error, diags []*tfprotov6.Diagnostic) {
	t.Helper()
	require.NoError(t, err)
	for _, d := range diags {
		if d.Summary != slowApply && !strings.HasSuffix(d.Summary,
			"Deleted") { // a destroy also warns about deleted replicas
			t.Errorf("%s: %s", d.Summary, d.Detail)
		}
	}
}

func (p process) none(t *testing.T) *tfprotov6.DynamicValue {
	t.Helper()
	v, err := tfprotov6.NewDynamicValue(p.schema.ValueType(), tftypes.NewValue(p.schema.ValueType(), nil))
	assert.NoError(t, err)
	return &v
}

func (p process) refresh(t *testing.T, state *tfprotov6.DynamicValue) *tfprotov6.DynamicValue {
	t.Helper()
	if state == nil {
		return p.none(t)
	}
	if p.value(t, state).IsNull() {
		return state
	}
	answer, err := p.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{TypeName: typeName, CurrentState: state})
	fine(t, err, answer.Diagnostics)
	return answer.NewState
}

// plan proposes the same values as Terraform Core: computed values that are not configured keep their prior values.
func (p process) plan(t *testing.T, state, config *tfprotov6.DynamicValue) *tfprotov6.PlanResourceChangeResponse {
	t.Helper()
	proposed := config
	if prior := p.value(t, state); !prior.IsNull() && !p.value(t, config).IsNull() {
		var before, wanted map[string]tftypes.Value
		assert.NoError(t, prior.As(&before))
		assert.NoError(t, p.value(t, config).As(&wanted))
		for _, a := range p.schema.Block.Attributes {
			if a.Computed && wanted[a.Name].IsNull() {
				wanted[a.Name] = before[a.Name]
			}
		}
		v, err := tfprotov6.NewDynamicValue(p.schema.ValueType(), tftypes.NewValue(p.schema.ValueType(), wanted))
		assert.NoError(t, err)
		proposed = &v
	}
	answer, err := p.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName:         typeName,
		PriorState:       state,
		ProposedNewState: proposed,
		Config:           config,
	})
	fine(t, err, answer.Diagnostics)
	return answer
}

func (p process) value(t *testing.T, v *tfprotov6.DynamicValue) tftypes.Value {
	t.Helper()
	value, err := v.Unmarshal(p.schema.ValueType())
	assert.NoError(t, err)
	return value
}

func (p process) same(t *testing.T, a, b *tfprotov6.DynamicValue) bool {
	t.Helper()
	return p.value(t, a).Equal(p.value(t, b))
}

// TestPace_hundred verifies that the requests for 100 replications stay within the documented limits.
//
// Creating all replications takes 200 requests: for each replication, one to configure it and one to read its replicas.
// Plan and apply both check the first five VMs individually and all others in 20 to 40 shared requests. Updating all of
// them takes as many, without the shared requests. Destroying them takes one request per replication.
//
// Operations run in ten rounds of ten, and share about 110 requests for lists and polls. Sessions expire every five
// minutes, and renewing them takes 5 requests.
func TestPace_hundred(t *testing.T) {
	t.Parallel()
	const n = 100
	s := acctest.StartSites(t, n, gateway.Switches{Limits: gateway.DefaultLimits()})
	s.SetDatastore(s.Datastore(0), true, "GREEN", 1<<50)
	f := &fleet{s: s, states: make([]*tfprotov6.DynamicValue, n)}
	s.RunInBubble(t, func(t *testing.T) {
		t.Helper()
		for _, step := range []struct {
			what               string
			rpo, most, changes int
			within             time.Duration
		}{
			{"create", 60, 400, n, 12 * time.Minute},
			{"plan without changes", 60, 10, 0, time.Minute},
			{"change", 30, 360, n, 10 * time.Minute},
			{"destroy", 0, 200, n, 10 * time.Minute},
		} {
			s.Traffic().Reset()
			took, changes := f.apply(t, step.rpo)
			total := s.Traffic().Total()
			t.Logf("%s: %d requests in %s: %v", step.what, total, took, s.Traffic().Counts())
			assert.LessOrEqual(t, total, step.most, step.what)
			assert.LessOrEqual(t, took, step.within, step.what)
			assert.Equal(t, step.changes, changes, step.what)
			// 100 replications with 4 requests each take 5 to 10 minutes, so plan and apply each warn once.
			got := f.warned.Swap(0)
			want := int64(2 * min(1, step.rpo*step.changes))
			assert.Equal(t, want, got, step.what)
			for _, r := range s.Replications() {
				assert.Equal(t, int64(step.rpo), r.RPOMinutes)
			}
		}
	})
	for _, access := range s.AccessLog() {
		require.NotEqual(t, http.StatusTooManyRequests, access.Status)
	}
}
