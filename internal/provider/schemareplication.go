package provider

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"terraform-provider-vsla/internal/connect"
	"terraform-provider-vsla/internal/vr"
)

func replicationSchema() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		MarkdownDescription: "Connection to the REST API of vSphere Replication (8.8 or later). Required for " +
			"`vsla_replication` and the related data sources and actions. `ca_file`, `allow_unverified_ssl` and " +
			"`api_timeout_seconds` also apply to this connection.",
		Optional: true,
		Attributes: map[string]schema.Attribute{
			"server": connectionAttribute(
				"vSphere Replication appliance of one site, as host, host:port or URL. A path in the URL replaces "+
					"`/api/rest/vr/v2`.",
				connect.ReplicationServer,
				false,
			),
			"user":     connectionAttribute("User name for the vCenter of that site.", connect.ReplicationUser, false),
			"password": connectionAttribute("Password of the user.", connect.ReplicationPassword, true),
			"remote_user": connectionAttribute("User name for the vCenter of the remote site. Requests for a pairing "+
				"require a login at both sites. Not required for a pairing of a vCenter with "+
				"itself.", connect.ReplicationRemoteUser, false),
			"remote_password": connectionAttribute("Password of the remote "+
				"user.", connect.ReplicationRemotePassword, true),
			"requests_per_minute": schema.Int64Attribute{
				MarkdownDescription: fmt.Sprintf(
					"Maximum number of requests per minute. Must be between 0 and 10,000. `0` disables the limit. "+
						"The appliance rejects more than 50 requests per minute of one session, 100 from one "+
						"address, and 1,000 in total. Defaults to `%d`. Can also be set with the `"+
						connect.ReplicationRequests+"` environment variable.",
					vr.DefaultRequestsPerMinute,
				),
				Optional:   true,
				Validators: []validator.Int64{int64validator.Between(0, connect.MaxRequestsPerMinute)},
			},
		},
	}
}
