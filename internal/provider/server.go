package provider

import (
	"context"
	"iter"

	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// frameworkServer contains the interfaces of the framework's server that Terraform uses. The last two are optional:
// Terraform has no list resources or actions of a server that does not implement them.
type frameworkServer interface {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
	tfprotov6.ActionServer
}

// NewServer returns a server for the provider. The framework's server keeps the context of each request until
// Terraform stops the provider, so memory would grow with the number of resources. This server hands it a context that
// forgets the request when the call or its result stream has ended. It also anchors the diagnostics.
func NewServer(p provider.Provider) tfprotov6.ProviderServer {
	return &server{providerserver.NewProtocol6(p)().(frameworkServer)} //nolint:errcheck,forcetypeassert // tested
}

type server struct{ frameworkServer }

func call[Q, A any](ctx context.Context, req Q, f func(context.Context, Q) (A, error)) (A, error) {
	ctx, end := newCall(ctx)
	defer end()
	return anchored(f(ctx, req))
}

// ValidateProviderConfig anchors the diagnostics.
func (s *server) ValidateProviderConfig(
	ctx context.Context, req *tfprotov6.ValidateProviderConfigRequest,
) (*tfprotov6.ValidateProviderConfigResponse, error) {
	return anchored(s.frameworkServer.ValidateProviderConfig(ctx, req))
}

// ConfigureProvider anchors the diagnostics. Its context stays usable, because the clients keep it.
func (s *server) ConfigureProvider(
	ctx context.Context, req *tfprotov6.ConfigureProviderRequest,
) (*tfprotov6.ConfigureProviderResponse, error) {
	return anchored(s.frameworkServer.ConfigureProvider(ctx, req))
}

// untilEnd returns the results and ends the call after the last of them.
func untilEnd[T any](results iter.Seq[T], end func()) iter.Seq[T] {
	return func(yield func(T) bool) {
		defer end()
		results(yield)
	}
}

// ValidateResourceConfig ends the context of the call with the call.
func (s *server) ValidateResourceConfig(
	ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest,
) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return call(ctx, req, s.frameworkServer.ValidateResourceConfig)
}

// UpgradeResourceState ends the context of the call with the call.
func (s *server) UpgradeResourceState(
	ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest,
) (*tfprotov6.UpgradeResourceStateResponse, error) {
	return call(ctx, req, s.frameworkServer.UpgradeResourceState)
}

// ReadResource ends the context of the call with the call.
func (s *server) ReadResource(
	ctx context.Context, req *tfprotov6.ReadResourceRequest,
) (*tfprotov6.ReadResourceResponse, error) {
	return call(ctx, req, s.frameworkServer.ReadResource)
}

// PlanResourceChange ends the context of the call with the call.
func (s *server) PlanResourceChange(
	ctx context.Context, req *tfprotov6.PlanResourceChangeRequest,
) (*tfprotov6.PlanResourceChangeResponse, error) {
	return call(ctx, req, s.frameworkServer.PlanResourceChange)
}

// ApplyResourceChange ends the context of the call with the call.
func (s *server) ApplyResourceChange(
	ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	return call(ctx, req, s.frameworkServer.ApplyResourceChange)
}

// ImportResourceState ends the context of the call with the call.
func (s *server) ImportResourceState(
	ctx context.Context, req *tfprotov6.ImportResourceStateRequest,
) (*tfprotov6.ImportResourceStateResponse, error) {
	return call(ctx, req, s.frameworkServer.ImportResourceState)
}

// MoveResourceState ends the context of the call with the call.
func (s *server) MoveResourceState(
	ctx context.Context, req *tfprotov6.MoveResourceStateRequest,
) (*tfprotov6.MoveResourceStateResponse, error) {
	return call(ctx, req, s.frameworkServer.MoveResourceState)
}

// UpgradeResourceIdentity ends the context of the call with the call.
func (s *server) UpgradeResourceIdentity(
	ctx context.Context, req *tfprotov6.UpgradeResourceIdentityRequest,
) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
	return call(ctx, req, s.frameworkServer.UpgradeResourceIdentity)
}

// GenerateResourceConfig ends the context of the call with the call.
func (s *server) GenerateResourceConfig(
	ctx context.Context, req *tfprotov6.GenerateResourceConfigRequest,
) (*tfprotov6.GenerateResourceConfigResponse, error) {
	return call(ctx, req, s.frameworkServer.GenerateResourceConfig)
}

// ValidateDataResourceConfig ends the context of the call with the call.
func (s *server) ValidateDataResourceConfig(
	ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest,
) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	return call(ctx, req, s.frameworkServer.ValidateDataResourceConfig)
}

// ReadDataSource ends the context of the call with the call.
func (s *server) ReadDataSource(
	ctx context.Context, req *tfprotov6.ReadDataSourceRequest,
) (*tfprotov6.ReadDataSourceResponse, error) {
	return call(ctx, req, s.frameworkServer.ReadDataSource)
}

// CallFunction ends the context of the call with the call.
func (s *server) CallFunction(
	ctx context.Context, req *tfprotov6.CallFunctionRequest,
) (*tfprotov6.CallFunctionResponse, error) {
	return call(ctx, req, s.frameworkServer.CallFunction)
}

// ValidateEphemeralResourceConfig ends the context of the call with the call.
func (s *server) ValidateEphemeralResourceConfig(
	ctx context.Context, req *tfprotov6.ValidateEphemeralResourceConfigRequest,
) (*tfprotov6.ValidateEphemeralResourceConfigResponse, error) {
	return call(ctx, req, s.frameworkServer.ValidateEphemeralResourceConfig)
}

// OpenEphemeralResource ends the context of the call with the call.
func (s *server) OpenEphemeralResource(
	ctx context.Context, req *tfprotov6.OpenEphemeralResourceRequest,
) (*tfprotov6.OpenEphemeralResourceResponse, error) {
	return call(ctx, req, s.frameworkServer.OpenEphemeralResource)
}

// RenewEphemeralResource ends the context of the call with the call.
func (s *server) RenewEphemeralResource(
	ctx context.Context, req *tfprotov6.RenewEphemeralResourceRequest,
) (*tfprotov6.RenewEphemeralResourceResponse, error) {
	return call(ctx, req, s.frameworkServer.RenewEphemeralResource)
}

// CloseEphemeralResource ends the context of the call with the call.
func (s *server) CloseEphemeralResource(
	ctx context.Context, req *tfprotov6.CloseEphemeralResourceRequest,
) (*tfprotov6.CloseEphemeralResourceResponse, error) {
	return call(ctx, req, s.frameworkServer.CloseEphemeralResource)
}

// ValidateListResourceConfig ends the context of the call with the call.
func (s *server) ValidateListResourceConfig(
	ctx context.Context, req *tfprotov6.ValidateListResourceConfigRequest,
) (*tfprotov6.ValidateListResourceConfigResponse, error) {
	return call(ctx, req, s.frameworkServer.ValidateListResourceConfig)
}

// ValidateActionConfig ends the context of the call with the call.
func (s *server) ValidateActionConfig(
	ctx context.Context, req *tfprotov6.ValidateActionConfigRequest,
) (*tfprotov6.ValidateActionConfigResponse, error) {
	return call(ctx, req, s.frameworkServer.ValidateActionConfig)
}

// PlanAction ends the context of the call with the call.
func (s *server) PlanAction(
	ctx context.Context, req *tfprotov6.PlanActionRequest,
) (*tfprotov6.PlanActionResponse, error) {
	return call(ctx, req, s.frameworkServer.PlanAction)
}

// ListResource ends the context of the call with its results, which are created when they are read.
func (s *server) ListResource(
	ctx context.Context, req *tfprotov6.ListResourceRequest,
) (*tfprotov6.ListResourceServerStream, error) {
	ctx, end := newCall(ctx)
	stream, err := s.frameworkServer.ListResource(ctx, req)
	if err != nil {
		end()
		return stream, err
	}
	stream.Results = untilEnd(stream.Results, end)
	return stream, nil
}

// InvokeAction ends the context of the call with its events, which are created when they are read.
func (s *server) InvokeAction(
	ctx context.Context, req *tfprotov6.InvokeActionRequest,
) (*tfprotov6.InvokeActionServerStream, error) {
	ctx, end := newCall(ctx)
	stream, err := s.frameworkServer.InvokeAction(ctx, req)
	if err != nil {
		end()
		return stream, err
	}
	stream.Events = untilEnd(stream.Events, end)
	return stream, nil
}
