package explain

import "terraform-provider-vsla/internal/snapservice"

var protectionAdvice = []row{
	{
		snapservice.ErrLogin,
		"The STS of vCenter rejected the user name or password. Check user and password of the provider's argument " +
			"data_protection, or VSLA_DATA_PROTECTION_USER and VSLA_DATA_PROTECTION_PASSWORD; they default to those of " +
			"vsphere_server. The provider does not retry the login in this run, because vCenter locks accounts after five " +
			"failures. Users of an external identity provider cannot obtain a token with a password.",
	},
	{
		snapservice.ErrToken,
		"The appliance does not accept the token issued by vCenter. Check that server of the provider's argument " +
			"data_protection belongs to vsphere_server, and that their clocks are synchronized.",
	},
	{
		snapservice.ErrHeader,
		"The login sends a token in a header that grows with the user's groups. Use a user in fewer groups, or raise the " +
			"header limit of the proxy.",
	},
	{
		snapservice.ErrVersion,
		"The server does not have the API of vSAN Data Protection 9.0 or later. Check server of the provider's argument " +
			"data_protection.",
	},
	{
		snapservice.ErrOtherVCenter,
		"Cluster ids are unique only within one vCenter, so nothing was read or changed. Set server of the provider's " +
			"argument data_protection to the appliance of vsphere_server.",
	},
	{
		snapservice.ErrRelease,
		"The appliance has release 9.0, which does not support tag rules, previews, long-term retention or capabilities.",
	},
	{
		snapservice.ErrForeign,
		"The response to the create was lost, and the group with this name differs from the request, so it belongs to " +
			"another client. Import it, or choose another name.",
	},
	{
		snapservice.ErrTask, "vSAN Data Protection accepted the request, but its task failed for the reason below.",
	},
	{
		snapservice.ErrTimeout,
		"The operation timed out, but the appliance may still complete it. The next plan shows the result; a longer " +
			"timeout may help.",
	},
	{
		snapservice.ErrUncertain,
		"It is unknown whether vSAN Data Protection made the change: a group may still appear. The next plan shows it.",
	},
	{
		snapservice.ErrUnsupported,
		"The protection group is locked: it cannot be changed, paused or deleted, and its snapshots are deleted only " +
			"when their retention ends.",
	},
	{
		snapservice.ErrState,
		"The state of the protection group does not allow this, or another operation ran for longer than the timeout.",
	},
	{
		snapservice.ErrCertificate,
		"The certificate of the vSAN Data Protection appliance is not trusted. Set ca_file (or VSLA_CA_FILE) to a PEM " +
			"file with the certificate of its authority; allow_unverified_ssl disables the check.",
	},
	{
		snapservice.ErrUnknownHost,
		"The name of the vSAN Data Protection appliance cannot be resolved. Check server of the provider's argument " +
			"data_protection (or VSLA_DATA_PROTECTION_SERVER) and the DNS of the machine that runs Terraform.",
	},
	{
		snapservice.ErrPermission,
		"Permission denied. Reading groups requires System.Read on the cluster, changing them Host.Config.Storage, and " +
			"reading sites, pairs and capabilities Site.View of the snapshot service.",
	},
	{snapservice.ErrLimited, "The appliance still throttles requests after retries."},
	{
		snapservice.ErrNoOperation,
		"The server does not support the operation, or a proxy responded instead.",
	},
	{
		snapservice.ErrNotFound,
		"vSAN Data Protection has no such object, or the user cannot read it. Check the id of the cluster.",
	},
	{snapservice.ErrAmbiguous, "Several objects have this name. Use the id."},
	{
		snapservice.ErrUnavailable,
		"The vSAN Data Protection appliance could not be reached or returned no usable response. Check the server and " +
			"its load, and apply again.",
	},
	{snapservice.ErrSession, "The appliance closes every new session immediately."},
	{snapservice.ErrInvalid, "vSAN Data Protection rejected the request for the reason below."},
	{snapservice.ErrConflict, "vSAN Data Protection rejected the name because it is already in use. The reason is " +
		"below."},
}
