package explain

import (
	"context"

	"terraform-provider-vsla/internal/vr"
)

var replicationAdvice = []row{
	{
		context.DeadlineExceeded,
		"The operation took longer than its timeout. State records what was done; the next plan shows what is left. " +
			"A longer timeout may help.",
	},
	{
		vr.ErrNoRemoteUser,
		"Operations on a pairing need a login at both sites. Set remote_user and remote_password in the " +
			"provider's argument replication, or VSLA_REPLICATION_REMOTE_USER and VSLA_REPLICATION_REMOTE_PASSWORD.",
	},
	{
		vr.ErrRemoteLogin,
		"The remote site rejected the user name or the password. Check remote_user and remote_password of " +
			"the provider's argument replication, or VSLA_REPLICATION_REMOTE_USER and VSLA_REPLICATION_REMOTE_PASSWORD.",
	},
	{
		vr.ErrRemote,
		"The login at the remote site failed, and without it vSphere Replication returns incomplete data. Nothing " +
			"was changed. Check that the remote vCenter and its replication appliance are up, and apply again.",
	},
	{
		vr.ErrLogin,
		"The replication server rejected the user name or the password. Check user and password of the provider's " +
			"argument replication, or VSLA_REPLICATION_USER and VSLA_REPLICATION_PASSWORD.",
	},
	{
		vr.ErrVersion,
		"The server does not have the REST API v2 of vSphere Replication, which comes with vSphere Replication " +
			"8.8 and later. Check server of the provider's argument replication.",
	},
	{
		vr.ErrPairing,
		"The replication server has no such pairing. The data source vsla_replication_pairing finds the pairings " +
			"that it has. Nothing is removed from state because of this.",
	},
	{
		vr.ErrApart,
		"The two sites of the pairing are not connected. Check that the remote vCenter and its replication appliance " +
			"are up and reachable from the local appliance, and that remote_address and remote_thumbprint are those of " +
			"the remote site. Then run the action again.",
	},
	{vr.ErrTask, "vSphere Replication accepted the request, and its task failed. The reason is below."},
	{
		vr.ErrTaskLost,
		"vSphere Replication no longer knows the task, whose end was not seen. The next plan shows the result.",
	},
	{
		vr.ErrUncertain,
		"No answer came, so it is not known whether vSphere Replication made the change. The next plan shows " +
			"it; a longer api_timeout_seconds may help.",
	},
	{
		vr.ErrPartial,
		"The replication server left out a part of the answer, so nothing is concluded from it. Check that both " +
			"sites of the pairing are up, and try again.",
	},
	{vr.ErrLimited, "The replication server still rejects requests because there are too many, after waiting. Lower " +
		"requests_per_minute of the provider's argument replication, or wait for other clients of the same address to " +
		"finish."},
	{
		vr.ErrCertificate,
		"The certificate of the replication server is not trusted. Set ca_file (or VSLA_CA_FILE) to a PEM " +
			"file with the certificate of its authority; allow_unverified_ssl turns the check off.",
	},
	{vr.ErrUnknownHost, "The name of the replication server cannot be resolved. Check server of the provider's argument " +
		"replication (or VSLA_REPLICATION_SERVER) and the DNS of the machine that runs Terraform."},
	{
		vr.ErrPermission,
		"Permission denied at one of the two sites. The documentation of the resource lists the privileges.",
	},
	{vr.ErrUnavailable, "The replication server could not be reached or returned no usable response, even after " +
		"retries of reads. Check the server and its load, and apply again."},
	{vr.ErrSession, "The replication server closes every new session immediately. Check the session limits of the user."},
	{
		vr.ErrNotFound,
		"The replication server has no such object, or does not show it to the user. Check the id, and that it " +
			"belongs to this pairing.",
	},
	{vr.ErrAmbiguous, "Several objects have this name. Use the id."},
	{vr.ErrInvalid, "vSphere Replication rejected the request. The reason is below."},
}
