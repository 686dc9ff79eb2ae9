package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"

	"terraform-provider-vsla/internal/connect"
)

func dataProtectionSchema() schema.SingleNestedAttribute {
	text := func(doc, variable string, secret bool) schema.StringAttribute {
		return schema.StringAttribute{
			MarkdownDescription: doc + " Environment: `" + variable + "`.", Optional: true, Sensitive: secret,
		}
	}
	return schema.SingleNestedAttribute{
		MarkdownDescription: "Connection to the vSAN Data Protection appliance (9.0 or later) of `vsphere_server`, used " +
			"by `vsla_protection_group` and related data sources and actions. The STS of `vsphere_server` issues its token. " +
			"`ca_file`, `allow_unverified_ssl` and `api_timeout_seconds` also apply to this connection. Not tested against " +
			"a real appliance: the guide \"Protection by tag\" lists the open questions.",
		Optional: true,
		Attributes: map[string]schema.Attribute{
			"server": text("Appliance as host, host:port or URL. A path in the URL replaces `/api`.",
				connect.ProtectionServer, false),
			"user":     text("User of `vsphere_server`. Default: `user` of the provider.", connect.ProtectionUser, false),
			"password": text("Password of the user. Default: `password` of the provider.", connect.ProtectionPassword, true),
		},
	}
}
