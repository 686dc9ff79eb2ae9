package acctest

import (
	"context"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
)

// Run runs a test case and records the provider's warnings.
func (p *Protection) Run(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	run(t, func() (tfprotov6.ProviderServer, error) {
		server, err := p.Server()()
		return warningRecorder{server, p}, err
	}, resource.TestCase{Steps: steps})
}

// Warnings returns the summary and detail of each warning since the last call.
func (p *Protection) Warnings() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	warned := p.warnings
	p.warnings = nil
	return warned
}

// warningRecorder is a provider that records warnings, because the testing library drops them.
type warningRecorder struct {
	tfprotov6.ProviderServer
	protection *Protection
}

// recordWarnings adds the warnings to those of Protection.Warnings.
func (r warningRecorder) recordWarnings(diags []*tfprotov6.Diagnostic) {
	r.protection.mu.Lock()
	defer r.protection.mu.Unlock()
	for _, d := range diags {
		if d.Severity == tfprotov6.DiagnosticSeverityWarning {
			r.protection.warnings = append(r.protection.warnings, d.Summary+": "+d.Detail)
		}
	}
}

// PlanResourceChange records the warnings of a plan.
func (r warningRecorder) PlanResourceChange(
	ctx context.Context, req *tfprotov6.PlanResourceChangeRequest,
) (*tfprotov6.PlanResourceChangeResponse, error) {
	resp, err := r.ProviderServer.PlanResourceChange(ctx, req)
	if err == nil {
		r.recordWarnings(resp.Diagnostics)
	}
	return resp, err
}

// ApplyResourceChange records the warnings of an apply.
func (r warningRecorder) ApplyResourceChange(
	ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	resp, err := r.ProviderServer.ApplyResourceChange(ctx, req)
	if err == nil {
		r.recordWarnings(resp.Diagnostics)
	}
	return resp, err
}
