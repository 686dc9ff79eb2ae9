package explain

import (
	"context"

	"terraform-provider-vsla/internal/vr"
)

var replicationAdvice = []row{
	{
		context.DeadlineExceeded,
		"The operation timed out. Completed changes are saved in state; the next plan shows the remaining ones. A longer " +
			"timeout may help.",
	},
	{
		vr.ErrNoRemoteUser,
		"Operations on a pairing require a login at both sites. Set remote_user and remote_password in the provider's " +
			"argument replication, or VSLA_REPLICATION_REMOTE_USER and VSLA_REPLICATION_REMOTE_PASSWORD.",
	},
	{
		vr.ErrRemoteLogin,
		"The remote site rejected the user name or password. Check remote_user and remote_password of the provider's " +
			"argument replication, or VSLA_REPLICATION_REMOTE_USER and VSLA_REPLICATION_REMOTE_PASSWORD.",
	},
	{
		vr.ErrRemote,
		"The login at the remote site failed, and without it vSphere Replication returns incomplete data. Nothing was " +
			"changed. Check that the remote vCenter and its replication appliance are running, and apply again.",
	},
	{
		vr.ErrLogin,
		"The replication server rejected the user name or password. Check user and password of the provider's argument " +
			"replication, or VSLA_REPLICATION_USER and VSLA_REPLICATION_PASSWORD.",
	},
	{
		vr.ErrVersion,
		"The server does not have the REST API v2 of vSphere Replication, which requires vSphere Replication 8.8 or " +
			"later. Check server of the provider's argument replication.",
	},
	{
		vr.ErrPairing,
		"The replication server has no such pairing. The data source vsla_replication_pairing finds existing pairings. " +
			"State is unchanged.",
	},
	{
		vr.ErrApart,
		"The sites of the pairing are not connected. Check that the remote vCenter and its replication appliance are " +
			"running and reachable from the local appliance, and that remote_address and remote_thumbprint belong to the " +
			"remote site. Then run the action again.",
	},
	{vr.ErrTask, "vSphere Replication accepted the request, but its task failed for the reason below."},
	{
		vr.ErrTaskLost,
		"vSphere Replication lost the task before its result was known. The next plan shows the result.",
	},
	{
		vr.ErrUncertain,
		"vSphere Replication did not respond, so it is unknown whether the change was made. The next plan shows it; a " +
			"longer api_timeout_seconds may help.",
	},
	{
		vr.ErrPartial,
		"The replication server returned an incomplete response, which is ignored. Check that both sites of the pairing " +
			"are running, and try again.",
	},
	{vr.ErrLimited, "The replication server still throttles requests after retries. Lower requests_per_minute of the " +
		"provider's argument replication, or wait for other clients with the same address to finish."},
	{
		vr.ErrCertificate,
		"The certificate of the replication server is not trusted. Set ca_file (or VSLA_CA_FILE) to a PEM file with the " +
			"certificate of its authority; allow_unverified_ssl disables the check.",
	},
	{vr.ErrUnknownHost, "The name of the replication server cannot be resolved. Check server of the provider's argument " +
		"replication (or VSLA_REPLICATION_SERVER) and the DNS of the machine that runs Terraform."},
	{
		vr.ErrPermission,
		"Permission denied at one of the sites. The documentation of the resource lists the required privileges.",
	},
	{vr.ErrUnavailable, "The replication server could not be reached or returned no usable response, even after " +
		"retries of reads. Check the server and its load, and apply again."},
	{vr.ErrSession, "The replication server closes every new session immediately. Check the session limits of the user."},
	{
		vr.ErrNotFound,
		"The replication server has no such object, or the user cannot read it. Check the id, and that the object " +
			"belongs to this pairing.",
	},
	{vr.ErrAmbiguous, "Several objects have this name. Use the id."},
	{vr.ErrInvalid, "vSphere Replication rejected the request for the reason below."},
}
