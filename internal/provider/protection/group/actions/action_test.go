package actions_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	lab "terraform-provider-vsla/internal/dev/lab/snapservice"
)

func invoke(t *testing.T, p *acctest.Protection, verb, id string, more map[string]any) string {
	t.Helper()
	provider := p.Configured(t)
	actions, ok := provider.(tfprotov6.ProviderServerWithActions) //nolint:staticcheck // deprecated, no replacement yet
	require.True(t, ok, "the provider has no actions")
	schema, err := provider.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	require.NoError(t, err)
	name := "vsla_protection_group_" + verb
	arguments := map[string]any{"cluster_id": p.Cluster(0), "protection_group_id": id}
	maps.Copy(arguments, more)
	config := acctest.Object(t, schema.ActionSchemas[name].Schema, arguments)
	var errs []string
	add := func(diagnostics []*tfprotov6.Diagnostic) {
		for _, d := range diagnostics {
			errs = append(errs, d.Summary+": "+d.Detail)
		}
	}
	valid, err := actions.ValidateActionConfig(
		t.Context(), &tfprotov6.ValidateActionConfigRequest{ActionType: name, Config: config},
	)
	require.NoError(t, err)
	add(valid.Diagnostics)
	if len(errs) > 0 {
		return strings.Join(errs, "\n")
	}
	stream, err := actions.InvokeAction(t.Context(), &tfprotov6.InvokeActionRequest{ActionType: name, Config: config})
	require.NoError(t, err)
	for event := range stream.Events {
		if e, ok := event.Type.(tfprotov6.CompletedInvokeActionEventType); ok {
			add(e.Diagnostics)
		}
	}
	return strings.Join(errs, "\n")
}

func TestCase32_actions(t *testing.T) {
	t.Parallel()
	p := acctest.StartProtection(t, acctest.ProtectionConfig{})
	targets := lab.Targets{VMs: []string{p.VM(0), p.VM(2)}}
	id := p.Add(p.Cluster(0), lab.Info{Name: "gold", Targets: targets})
	locked := p.Add(p.Cluster(0), lab.Info{Name: "locked", Locked: true, Targets: targets})
	kept := map[string]any{"name": "now", "keep_days": int64(1)}
	for _, step := range []struct {
		verb, id string
		more     map[string]any
		failed   int64
		status   string // status after the action
		want     string // part of the error
	}{
		{verb: "pause", id: id, status: "PAUSED"},
		{verb: "pause", id: id, status: "PAUSED"},
		{verb: "resume", id: id, status: "ACTIVE"},
		{verb: "snapshot", id: id, more: kept, status: "ACTIVE"},
		{verb: "snapshot", id: id, more: kept, failed: 1, status: "ACTIVE", want: "1 of 2 VMs"},
		{verb: "snapshot", id: id, more: map[string]any{"name": "now"}, status: "ACTIVE", want: "keep_days"},
		{verb: "pause", id: locked, status: "ACTIVE", want: "is locked"},
		{verb: "snapshot", id: locked, more: kept, status: "ACTIVE", want: "is locked"},
	} {
		p.FailSnapshots(step.failed)
		p.Traffic().Reset()
		got := invoke(t, p, step.verb, step.id, step.more)
		require.Equal(t, step.want == "", got == "")
		assert.Contains(t, got, step.want)
		assert.Equal(t, step.status, p.GroupByName("gold").Info.Status)
		n := p.Traffic().Count(step.verb)
		if step.id == locked {
			assert.Zero(t, n, "%s of a locked group", step.verb)
		}
	}
}

func TestSnapshot_retention(t *testing.T) {
	t.Parallel()
	for argument, kept := range map[string]time.Duration{
		"keep_hours":  2 * time.Hour,
		"keep_days":   2 * 24 * time.Hour,
		"keep_weeks":  2 * 7 * 24 * time.Hour,
		"keep_months": 2 * 30 * 24 * time.Hour,
		"keep_years":  2 * 365 * 24 * time.Hour,
	} {
		t.Run(argument, func(t *testing.T) {
			t.Parallel()
			p := acctest.StartProtection(t, acctest.ProtectionConfig{})
			id := p.Add(p.Cluster(0), lab.Info{Name: "gold", Targets: lab.Targets{VMs: []string{p.VM(0)}}})
			require.Empty(t, invoke(t, p, "snapshot", id, map[string]any{"name": "now", argument: int64(2)}))
			p.Advance(kept - time.Minute)
			assert.Len(t, p.GroupByName("gold").Info.Snapshots, 1)
			p.Advance(2 * time.Minute)
			assert.Empty(t, p.GroupByName("gold").Info.Snapshots)
		})
	}
}
