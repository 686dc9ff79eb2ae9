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
		MarkdownDescription: "The appliance of vSAN Data Protection (9.0 or later) of `vsphere_server`, for " +
			"`vsla_protection_group` and its companions. The STS of `vsphere_server` issues its token. `ca_file`, " +
			"`allow_unverified_ssl` and `api_timeout_seconds` hold for it as well. No real appliance has been asked: the " +
			"guide \"Protection by tag\" lists what is not known.",
		Optional: true,
		Attributes: map[string]schema.Attribute{
			"server": text("The appliance, as host, host:port or URL; a path in the URL replaces `/api`.",
				connect.ProtectionServer, false),
			"user":     text("User of `vsphere_server`. Default: `user` of the provider.", connect.ProtectionUser, false),
			"password": text("Password of the user. Default: `password` of the provider.", connect.ProtectionPassword, true),
		},
	}
}
