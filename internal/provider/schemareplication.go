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
	text := func(doc, variable string, secret bool) schema.StringAttribute {
		return schema.StringAttribute{
			MarkdownDescription: doc + " Environment: `" + variable + "`.",
			Optional:            true,
			Sensitive:           secret,
		}
	}
	return schema.SingleNestedAttribute{
		MarkdownDescription: "The REST API of vSphere Replication (8.8 or later), which `vsla_replication` and its " +
			"companions use. `ca_file`, `allow_unverified_ssl` and `api_timeout_seconds` hold for it as well.",
		Optional: true,
		Attributes: map[string]schema.Attribute{
			"server": text(
				"The replication appliance of one site, as host, host:port or URL; a path in the URL replaces `/api/rest/vr/v2`.",
				connect.ReplicationServer,
				false,
			),
			"user":     text("User of the vCenter of that site.", connect.ReplicationUser, false),
			"password": text("Password of the user.", connect.ReplicationPassword, true),
			"remote_user": text("User of the vCenter of the other site: what concerns a pairing needs a login at both. "+
				"A pairing of a vCenter with itself needs none.", connect.ReplicationRemoteUser, false),
			"remote_password": text("Password of the remote user.", connect.ReplicationRemotePassword, true),
			"requests_per_minute": schema.Int64Attribute{
				MarkdownDescription: fmt.Sprintf(
					"Requests that the provider sends within a minute at most, 0 to 10,000. Default %d: the appliance refuses more "+
						"than 50 of one session. 0 turns the limit off. Environment: `"+
						connect.ReplicationRequests+"`.",
					vr.DefaultRequestsPerMinute,
				),
				Optional:   true,
				Validators: []validator.Int64{int64validator.Between(0, connect.MaxRequestsPerMinute)},
			},
		},
	}
}
