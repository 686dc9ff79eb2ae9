package provider_test

import (
	"context"
	"runtime"
	"strconv"
	"testing"
	"weak"

	"github.com/hashicorp/terraform-plugin-framework/action"
	actionschema "github.com/hashicorp/terraform-plugin-framework/action/schema"
	framework "github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/provider"
)

// payload stands for what a request's context holds, mainly its loggers.
type payload [16 << 10]byte

type payloadKey struct{}

// request returns a context with a payload. released reports whether the payload is no longer referenced.
func request(parent context.Context) (ctx context.Context, released func() bool) {
	held := &payload{}
	pointer := weak.Make(held)
	return context.WithValue(parent, payloadKey{}, held), func() bool {
		runtime.GC()
		return pointer.Value() == nil
	}
}

// waitingProvider has the action test_wait, which sends progress, waits until the context is done, and returns.
type waitingProvider struct {
	framework.Provider

	started chan context.Context
}

func (p waitingProvider) Actions(context.Context) []func() action.Action {
	return []func() action.Action{func() action.Action { return &waitingAction{started: p.started} }}
}

type waitingAction struct{ started chan context.Context }

func (*waitingAction) Metadata(_ context.Context, _ action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = "test_wait"
}

func (*waitingAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = actionschema.Schema{}
}

func (a *waitingAction) Invoke(ctx context.Context, _ action.InvokeRequest, resp *action.InvokeResponse) {
	resp.SendProgress(action.InvokeProgressEvent{Message: "started"})
	a.started <- ctx
	<-ctx.Done()
	resp.Diagnostics.AddError("Stopped", ctx.Err().Error())
}

func emptyObject(t *testing.T) *tfprotov6.DynamicValue {
	t.Helper()
	empty := tftypes.Object{AttributeTypes: map[string]tftypes.Type{}}
	value, err := tfprotov6.NewDynamicValue(empty, tftypes.NewValue(empty, map[string]tftypes.Value{}))
	require.NoError(t, err)
	return &value
}

// TestServer_stop verifies that StopProvider reaches a call whose work happens in its result stream, and that the
// server forgets the request afterwards.
func TestServer_stop(t *testing.T) {
	t.Parallel()
	p := waitingProvider{provider.New(provider.Options{})(), make(chan context.Context, 1)}
	server := provider.NewServer(p)
	actions, ok := server.(tfprotov6.ActionServer)
	require.True(t, ok)
	var texts []string
	ctx, released := request(t.Context())
	stream, err := actions.InvokeAction(ctx, &tfprotov6.InvokeActionRequest{
		ActionType: "test_wait",
		Config:     emptyObject(t),
	})
	require.NoError(t, err)
	for event := range stream.Events {
		switch e := event.Type.(type) {
		case tfprotov6.ProgressInvokeActionEventType:
			texts = append(texts, e.Message)
			running := <-p.started
			assert.NotNil(t, running.Value(payloadKey{}))
			_, err := server.StopProvider(t.Context(), &tfprotov6.StopProviderRequest{})
			require.NoError(t, err)
		case tfprotov6.CompletedInvokeActionEventType:
			texts = append(texts, e.Diagnostics[0].Summary+": "+e.Diagnostics[0].Detail)
		}
	}
	assert.Equal(t, []string{"started", "Stopped: context canceled"}, texts)
	stream, ctx = nil, nil //nolint:ineffassign,wastedassign // the garbage collector must find no reference
	assert.True(t, released())
	runtime.KeepAlive(server)
}

// TestServer_forgets verifies that the server refers to no request after its call, without a stop.
func TestServer_forgets(t *testing.T) {
	t.Parallel()
	server := provider.NewServer(provider.New(provider.Options{})())
	lists, ok := server.(tfprotov6.ListResourceServer)
	require.True(t, ok)
	schema, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	require.NoError(t, err)
	config := acctest.Object(t, schema.ResourceSchemas["vsla_tag"], map[string]any{"category_id": "c", "name": "n"})
	for name, call := range map[string]func(context.Context) error{
		"a call": func(ctx context.Context) error {
			_, err := server.ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{
				TypeName: "vsla_tag",
				Config:   config,
			})
			return err
		},
		"a list": func(ctx context.Context) error {
			stream, err := lists.ListResource(ctx, &tfprotov6.ListResourceRequest{TypeName: "vsla_tag"})
			if err != nil {
				return err
			}
			for range stream.Results { // the provider is not configured, so the only result is an error
				break
			}
			return nil
		},
	} {
		ctx, released := request(t.Context())
		require.NoError(t, call(ctx), name)
		ctx = nil //nolint:ineffassign,wastedassign // as above
		assert.True(t, released(), name)
	}
	runtime.KeepAlive(server)
}

// TestServer_memory verifies that memory does not grow with the number of resources.
//
//nolint:paralleltest // measures the heap of the whole process
func TestServer_memory(t *testing.T) {
	heap := func(resources int) float64 {
		server := provider.NewServer(provider.New(provider.Options{})())
		schema, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
		require.NoError(t, err)
		for i := range resources {
			ctx, _ := request(context.Background()) // the test's context would keep those derived from it
			_, err := server.ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{
				TypeName: "vsla_tag",
				Config: acctest.Object(t, schema.ResourceSchemas["vsla_tag"],
					map[string]any{"category_id": "c", "name": strconv.Itoa(i)}),
			})
			require.NoError(t, err)
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		runtime.KeepAlive(server)
		return float64(m.HeapAlloc)
	}
	few := heap(400)
	many := heap(4000)
	assert.LessOrEqual(t, many/few, 1.2)
}
