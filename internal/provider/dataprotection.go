package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"

	"terraform-provider-vsla/internal/connect"
)

func dataProtectionSchema() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		MarkdownDescription: "Connection to the vSAN Data Protection appliance (9.0 or later) of `vsphere_server`. " +
			"Required for `vsla_protection_group` and the related data sources and actions. The security token " +
			"service of `vsphere_server` issues the token for the connection. `ca_file`, `allow_unverified_ssl` and " +
			"`api_timeout_seconds` also apply to this connection. This connection has not been tested against a real " +
			"appliance. The guide \"Protection by tag\" lists the open questions.",
		Optional: true,
		Attributes: map[string]schema.Attribute{
			"server": connectionAttribute("Data Protection appliance, as host, host:port or URL. A path in the URL "+
				"replaces `/api`.",
				connect.ProtectionServer, false),
			"user": connectionAttribute("User name for `vsphere_server`. Defaults to `user` of the "+
				"provider.", connect.ProtectionUser, false),
			"password": connectionAttribute("Password of the user. Defaults to `password` of the provider.",
				connect.ProtectionPassword, true),
		},
	}
}
