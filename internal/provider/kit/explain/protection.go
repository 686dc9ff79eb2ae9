package explain

import "terraform-provider-vsla/internal/snapservice"

var protectionAdvice = []row{
	{
		snapservice.ErrLogin,
		"The STS of vCenter rejected the user name or the password. Check user and password of the provider's argument " +
			"data_protection, or VSLA_DATA_PROTECTION_USER and VSLA_DATA_PROTECTION_PASSWORD; they default to those of " +
			"vsphere_server. The login is not tried again in this run, because vCenter locks accounts after five failures. " +
			"Users of another identity provider have no token by password.",
	},
	{
		snapservice.ErrToken,
		"vCenter issued a token, and the appliance does not accept it. Check that server of the provider's argument " +
			"data_protection belongs to vsphere_server, and that the clocks of both agree.",
	},
	{
		snapservice.ErrHeader,
		"The login sends a token in one header, which grows with the groups of the user. Use a user in fewer groups, or " +
			"raise the header limit of the proxy in between.",
	},
	{
		snapservice.ErrVersion,
		"The server does not have the API of vSAN Data Protection 9.0 or later. Check server of the provider's argument " +
			"data_protection.",
	},
	{
		snapservice.ErrOtherVCenter,
		"Ids of clusters are unique within one vCenter only, so nothing was read and nothing changed. Set server of the " +
			"provider's argument data_protection to the appliance of vsphere_server.",
	},
	{
		snapservice.ErrRelease,
		"The appliance has release 9.0, which has neither rules by tags nor previews, long-term retention and capabilities.",
	},
	{
		snapservice.ErrForeign,
		"The answer to the create was lost, and the group of that name differs from what was sent: it belongs to another " +
			"client. Import it, or choose another name.",
	},
	{
		snapservice.ErrTask, "vSAN Data Protection accepted the request, and its task failed. The reason is below.",
	},
	{
		snapservice.ErrTimeout,
		"The time limit of the operation has passed, and the appliance may still carry it out. The next plan shows the " +
			"result; a longer timeout may help.",
	},
	{
		snapservice.ErrUncertain,
		"It is not known whether vSAN Data Protection made the change: a group may still appear. The next plan shows it.",
	},
	{
		snapservice.ErrUnsupported,
		"The protection group is locked: it cannot be changed, paused or deleted by any operation, and its snapshots end " +
			"by their retention only.",
	},
	{
		snapservice.ErrState,
		"The state of the protection group does not allow this, or another operation was in progress for longer than the " +
			"timeout.",
	},
	{
		snapservice.ErrCertificate,
		"The certificate of the appliance of vSAN Data Protection is not trusted. Set ca_file (or VSLA_CA_FILE) to a PEM " +
			"file with the certificate of its authority; allow_unverified_ssl turns the check off.",
	},
	{
		snapservice.ErrUnknownHost,
		"The name of the appliance of vSAN Data Protection cannot be resolved. Check server of the provider's argument " +
			"data_protection (or VSLA_DATA_PROTECTION_SERVER) and the DNS of the computer that runs Terraform.",
	},
	{
		snapservice.ErrPermission,
		"Permission denied. Reading groups needs System.Read on the cluster, changing them Host.Config.Storage, and sites, " +
			"pairs and capabilities need Site.View of the snapshot service.",
	},
	{snapservice.ErrLimited, "The appliance still rejects requests because there are too many, after waiting."},
	{
		snapservice.ErrNoOperation,
		"The server has no such operation, or a proxy answers in its place. Nothing is concluded from it.",
	},
	{
		snapservice.ErrNotFound,
		"vSAN Data Protection has no such object, or does not show it to the user. Check the id of the cluster.",
	},
	{snapservice.ErrAmbiguous, "Several objects have this name. Use the id."},
	{
		snapservice.ErrUnavailable,
		"The appliance of vSAN Data Protection could not be reached or returned no usable response. Check the server and " +
			"its load, and apply again.",
	},
	{snapservice.ErrSession, "The appliance closes every new session immediately."},
	{snapservice.ErrInvalid, "vSAN Data Protection rejected the request. The reason is below."},
	{snapservice.ErrConflict, "vSAN Data Protection has an object of that name. The reason is below."},
}
