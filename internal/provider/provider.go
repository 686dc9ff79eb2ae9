// Package provider implements the Terraform provider vsla. It contains the provider configuration and registers all
// resources, data sources, functions and actions.
package provider

import (
	"context"
	"net/http"
	"os"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/connect"
	"terraform-provider-vsla/internal/provider/calculator"
	"terraform-provider-vsla/internal/provider/function/objectid"
	"terraform-provider-vsla/internal/provider/function/quantity"
	"terraform-provider-vsla/internal/provider/inventory/changerates"
	"terraform-provider-vsla/internal/provider/inventory/inventoryfile"
	"terraform-provider-vsla/internal/provider/inventory/virtualmachines"
	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/protection/clusterpairs"
	"terraform-provider-vsla/internal/provider/protection/group"
	groupactions "terraform-provider-vsla/internal/provider/protection/group/actions"
	"terraform-provider-vsla/internal/provider/protection/groups"
	"terraform-provider-vsla/internal/provider/protection/members"
	"terraform-provider-vsla/internal/provider/replication"
	"terraform-provider-vsla/internal/provider/replication/actions"
	"terraform-provider-vsla/internal/provider/replication/history"
	"terraform-provider-vsla/internal/provider/replication/link"
	"terraform-provider-vsla/internal/provider/replication/pairing"
	"terraform-provider-vsla/internal/provider/replication/replications"
	"terraform-provider-vsla/internal/provider/replication/targets"
	"terraform-provider-vsla/internal/provider/replication/vm"
	"terraform-provider-vsla/internal/provider/slacompliance"
	"terraform-provider-vsla/internal/provider/tagging/objecttags"
	"terraform-provider-vsla/internal/provider/tagging/tag"
	"terraform-provider-vsla/internal/provider/tagging/tagassociation"
	"terraform-provider-vsla/internal/provider/tagging/tagcategory"
	"terraform-provider-vsla/internal/provider/tagging/taggedobjects"
	"terraform-provider-vsla/internal/provider/tagging/tags"
	"terraform-provider-vsla/internal/vsphere/ignored"
)

var (
	_ provider.ProviderWithFunctions     = (*vsla)(nil)
	_ provider.ProviderWithActions       = (*vsla)(nil)
	_ provider.ProviderWithListResources = (*vsla)(nil)
)

// Options configure the provider for a process. Optional fields have defaults for production.
type Options struct {
	// Version is the build version. It appears in the user agent and in Terraform's logs.
	Version string
	// Sessions collects the sessions to be closed on exit. It is required.
	Sessions *connection.Sessions
	// Getenv replaces os.Getenv, so that tests can run in parallel.
	Getenv func(string) string
	// Sleep replaces the delay between retries. Now replaces the clock.
	Sleep func(context.Context, time.Duration) error
	Now   func() time.Time
	// WrapReplication wraps the HTTP transport for the replication appliance.
	WrapReplication func(http.RoundTripper) http.RoundTripper
	// WrapProtection wraps the HTTP transport for the vSAN Data Protection appliance.
	WrapProtection func(http.RoundTripper) http.RoundTripper
}

type vsla struct{ options Options }

// New returns a provider factory.
func New(options Options) func() provider.Provider {
	if options.Getenv == nil {
		options.Getenv = os.Getenv
	}
	return func() provider.Provider { return &vsla{options: options} }
}

// Metadata sets the type name and version.
func (p *vsla) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "vsla"
	resp.Version = p.options.Version
}

// Schema returns the provider schema.
func (p *vsla) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Bulk tagging, vSphere Replication, and calculators for replication and migration SLAs " +
			"on VMware vSphere. The connection is optional. Calculators and functions work without it, and the " +
			"provider logs in only when a request requires it.",
		Attributes: map[string]schema.Attribute{
			"vsphere_server": schema.StringAttribute{
				MarkdownDescription: "vCenter server, as host, host:port or URL. Can also be set with the " +
					"`VSPHERE_SERVER` environment variable.",
				Optional: true,
			},
			"user": schema.StringAttribute{
				MarkdownDescription: "User name for vCenter. Can also be set with the `VSPHERE_USER` environment " +
					"variable.",
				Optional: true,
			},
			"password": schema.StringAttribute{
				MarkdownDescription: "Password for vCenter. Can also be set with the `VSPHERE_PASSWORD` environment " +
					"variable.",
				Optional:  true,
				Sensitive: true,
			},
			"allow_unverified_ssl": schema.BoolAttribute{
				MarkdownDescription: "Whether to accept any server certificate. Prefer `ca_file`. Defaults to " +
					"`false`. Can also be set with the `VSPHERE_ALLOW_UNVERIFIED_SSL` environment variable.",
				Optional: true,
			},
			"ca_file": schema.StringAttribute{
				MarkdownDescription: "Path of a PEM file with the certificate authorities to trust. Defaults to the " +
					"certificate authorities of the system. Can also be set with the `VSLA_CA_FILE` environment " +
					"variable.",
				Optional: true,
			},
			"api_timeout_seconds": schema.Int64Attribute{
				MarkdownDescription: "Timeout of a single request, in seconds. Must be between 1 and 86,400. " +
					"Defaults to `300`. Can also be set with the `VSLA_API_TIMEOUT_SECONDS` environment variable.",
				Optional:   true,
				Validators: []validator.Int64{int64validator.Between(1, connect.MaxTimeoutSeconds)},
			},
			"requests_per_second": schema.Int64Attribute{
				MarkdownDescription: "Maximum rate of requests to the vCenter tagging service, in requests per " +
					"second. Must be between 1 and 10,000. By default, there is no limit until vCenter rejects a " +
					"request because of its load. The provider then limits itself to 300 requests per second, and " +
					"halves this limit after each further rejection. vCenter has been observed to reject requests at " +
					"rates of 360 per second and above. Set this argument if other clients share the tagging service.",
				Optional:   true,
				Validators: []validator.Int64{int64validator.Between(1, 10_000)},
			},
			"ignore_tag_categories": schema.ListAttribute{
				MarkdownDescription: "Tag categories to ignore, for example those of other tools. An entry is a " +
					"name, or a prefix that ends in `*`. `terraform query` and `tags` of `vsla_virtual_machines` " +
					"omit them. `vsla_tags` does not create tags in them, and `vsla_tag_association` does not attach " +
					"their tags. `vsla_object_tags` manages their tags only if `tag_ids` lists them and `ownership` " +
					"is `additive`. `" + ignored.Always + "` is always included.",
				ElementType: types.StringType,
				Optional:    true,
				Validators:  []validator.List{listvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1))},
			},
			"replication":     replicationSchema(),
			"data_protection": dataProtectionSchema(),
		},
	}
}

// Configure stores the settings without connecting.
func (p *vsla) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var config configModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	settings := config.settings(p.options.Getenv, &resp.Diagnostics)
	settings.Process = connect.Process{
		UserAgent:       "terraform-provider-vsla/" + p.options.Version + " Terraform/" + req.TerraformVersion,
		Sleep:           p.options.Sleep,
		Now:             p.options.Now,
		WrapReplication: p.options.WrapReplication,
		WrapProtection:  p.options.WrapProtection,
		Background:      func() context.Context { return context.WithoutCancel(ctx) },
	}
	set := connection.NewSet(settings, p.options.Sessions)
	resp.ResourceData = set
	resp.DataSourceData = set
	resp.ActionData = set
	resp.ListResourceData = set
}

// Resources returns the resources.
func (p *vsla) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		group.NewResource,
		objecttags.NewResource,
		replication.NewResource,
		tag.NewResource,
		tagassociation.NewResource,
		tagcategory.NewResource,
		tags.NewResource,
	}
}

// ListResources returns the list resources.
func (p *vsla) ListResources(context.Context) []func() list.ListResource {
	return []func() list.ListResource{
		group.NewListResource,
		replication.NewListResource,
		tag.NewListResource,
		tagassociation.NewListResource,
		tagcategory.NewListResource,
	}
}

// DataSources returns the data sources.
func (p *vsla) DataSources(context.Context) []func() datasource.DataSource {
	return append(calculator.DataSources(),
		changerates.NewDataSource,
		clusterpairs.NewDataSource,
		groups.NewDataSource,
		members.NewDataSource,
		history.NewDataSource,
		inventoryfile.NewDataSource,
		link.NewDataSource,
		pairing.NewDataSource,
		replications.NewDataSource,
		targets.NewSite,
		targets.NewSeeds,
		vm.NewDataSource,
		slacompliance.NewDataSource,
		tag.NewDataSource,
		tagcategory.NewDataSource,
		taggedobjects.NewDataSource,
		tags.NewDataSource,
		virtualmachines.NewDataSource,
	)
}

// Actions returns the actions.
func (p *vsla) Actions(context.Context) []func() action.Action {
	return []func() action.Action{
		groupactions.NewPause,
		groupactions.NewResume,
		groupactions.NewSnapshot,
		actions.NewPause,
		actions.NewReconnect,
		actions.NewLinkTest,
		actions.NewResume,
		actions.NewSync,
	}
}

// Functions returns the functions.
func (p *vsla) Functions(context.Context) []func() function.Function {
	return append(calculator.Functions(),
		objectid.NewFunction,
		quantity.NewFormatDuration,
		quantity.NewParseRate,
		quantity.NewParseSize,
		quantity.NewTransferSeconds,
	)
}

func connectionAttribute(doc, variable string, secret bool) schema.StringAttribute {
	return schema.StringAttribute{
		MarkdownDescription: doc + " Can also be set with the `" + variable + "` environment variable.",
		Optional:            true,
		Sensitive:           secret,
	}
}
