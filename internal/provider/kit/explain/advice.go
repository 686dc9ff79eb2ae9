package explain

import (
	"context"
	"errors"

	"terraform-provider-vsla/internal/snapservice"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vr"
	"terraform-provider-vsla/internal/vsphere"
)

type adviser interface {
	error
	Advice() string
}

func (f Failure) advice() string {
	if own, ok := errors.AsType[adviser](f.Err); ok {
		return own.Advice()
	}
	for _, find := range []func(error) string{partialAdvice, connectionAdvice} {
		if found := find(f.Err); found != "" {
			return found
		}
	}
	if errors.Is(f.Err, vsphere.ErrPermission) && f.Privilege != "" {
		return noPermission + " Required privileges: " + f.Privilege + "."
	}
	for _, table := range [][]row{replicationAdvice, protectionAdvice, advice} {
		for _, r := range table {
			if errors.Is(f.Err, r.kind) {
				return r.advice
			}
		}
	}
	return "The operation failed for the reason below."
}

func partialAdvice(err error) string {
	var partial *vsphere.PartialError
	switch {
	case !errors.As(err, &partial):
		return ""
	case partial.AllRefused():
		return "vCenter rejected this request for all objects, so it changed nothing. Correct the cause and apply " +
			"again."
	default:
		return "vCenter rejected the objects below and applied the others, which are saved in state. Correct the " +
			"cause and apply again."
	}
}

// row maps an error kind to a remedy. The first matching row is used.
type row struct {
	kind   error
	advice string
}

const noPermission = "Permission denied, or no such object: vCenter returns the same error for both."

var advice = []row{
	{
		context.Canceled,
		"The operation was canceled. Completed changes are saved in state. The next plan shows the " +
			"remaining changes.",
	},
	{
		vsphere.ErrPasswordExpired,
		"The password of the account has expired. Set a new one in vCenter and in the provider (vsphere_password or " +
			"VSPHERE_PASSWORD). The provider does not retry the login in this run, because vCenter locks accounts " +
			"after five failures.",
	},
	{vsphere.ErrLogin, "vCenter rejected the user name or password. Check user and password of the provider, or " +
		"VSPHERE_USER and VSPHERE_PASSWORD. The provider does not retry the login in this run, because vCenter locks " +
		"accounts after five failures."},
	{vsphere.ErrPermission, noPermission},
	{
		vsphere.ErrObjectGone,
		"The object does not exist in vCenter. Check the ID, and that the provider is connected to the right vCenter.",
	},
	{
		vsphere.ErrNotVCenter,
		"The server responds, but does not have the login API of vCenter. vsphere_server (or VSPHERE_SERVER) must be " +
			"the host of a vCenter, without a path.",
	},
	{vsphere.ErrNoOperation, "vCenter still rejects the operation after retries, because its services are starting " +
		"or its release does not support the operation. The state is unchanged. Apply again when the vCenter " +
		"services are running."},
	{
		vsphere.ErrSessionLimit,
		"The user has reached vCenter's session limit. Idle sessions end after at most 120 minutes. Wait, end some " +
			"of them, or use a separate account for Terraform.",
	},
	{
		vsphere.ErrLimited,
		"vCenter still throttles requests after retries. Set requests_per_second to a lower number, or wait for " +
			"other clients to finish.",
	},
	{
		vsphere.ErrUncertain,
		"vCenter did not respond, so it is unknown whether the change was made. The next plan shows the result. A " +
			"longer api_timeout_seconds may help.",
	},
	{vsphere.ErrUnavailable, "vCenter could not be reached or returned no usable response, even after retries. Check " +
		"the server and its load, and apply again."},
	{
		transport.ErrTooLarge,
		"The response of the server is too large. Check that the address is correct. A smaller inventory or a " +
			"narrower query returns smaller responses.",
	},
	{vsphere.ErrSession, "vCenter closes every new session immediately. Check the session limits of the user."},
	{
		vsphere.ErrNotFound,
		"The object does not exist in vCenter. Check the name or ID, and that the provider is connected to the right " +
			"vCenter.",
	},
	{vsphere.ErrInvalid, "vCenter rejected the request for the reason below."},
	{
		vsphere.ErrAmbiguous,
		"Several objects have this name. Use the ID or a full inventory path. If linked vCenters each created a tag " +
			"or category with the same name, rename or delete one of them.",
	},
}

var protectionAdvice = []row{
	{
		snapservice.ErrLogin,
		"The STS of vCenter rejected the user name or password. Check user and password in the provider's " +
			"data_protection argument, or VSLA_DATA_PROTECTION_USER and VSLA_DATA_PROTECTION_PASSWORD. They default " +
			"to the credentials for vsphere_server. The provider does not retry the login in this run, because " +
			"vCenter locks accounts after five failures. Users of an external identity provider cannot obtain a " +
			"token with a password.",
	},
	{
		snapservice.ErrToken,
		"The appliance rejected the token issued by vCenter. Check that server in the provider's data_protection " +
			"argument belongs to vsphere_server, and that their clocks are synchronized.",
	},
	{
		snapservice.ErrHeader,
		"The login sends a token in a header that grows with the user's groups. Use a user in fewer groups, or raise " +
			"the header limit of the proxy.",
	},
	{
		snapservice.ErrVersion,
		"The server does not have the API of vSAN Data Protection 9.0 or later. Check server in the provider's " +
			"data_protection argument.",
	},
	{
		snapservice.ErrOtherVCenter,
		"Cluster IDs are unique only within one vCenter, so nothing was read or changed. Set server in the " +
			"provider's data_protection argument to the appliance of vsphere_server.",
	},
	{
		snapservice.ErrRelease,
		"The appliance has release 9.0, which does not support tag rules, previews, long-term retention or " +
			"capabilities.",
	},
	{
		snapservice.ErrForeign,
		"The response to the create request was lost. The group with this name differs from the request, so another " +
			"client created it. Import it, or choose another name.",
	},
	{snapservice.ErrTask, "vSAN Data Protection accepted the request, but its task failed for the reason below."},
	{
		snapservice.ErrTimeout,
		"The operation timed out, but the appliance may still complete it. The next plan shows the result. A longer " +
			"timeout may help.",
	},
	{
		snapservice.ErrUncertain,
		"It is unknown whether vSAN Data Protection made the change. A group may still appear. The next plan shows " +
			"the result.",
	},
	{
		snapservice.ErrUnsupported,
		"The protection group is locked. It cannot be changed, paused or deleted, and its snapshots are deleted only " +
			"when their retention ends.",
	},
	{
		snapservice.ErrState,
		"The state of the protection group does not allow this, or another operation ran for longer than the timeout.",
	},
	{
		snapservice.ErrPermission,
		"Permission denied. Reading groups requires System.Read on the cluster. Changing groups requires " +
			"Host.Config.Storage. Reading sites, pairs and capabilities requires Site.View of the snapshot service.",
	},
	{snapservice.ErrLimited, "The appliance still throttles requests after retries."},
	{snapservice.ErrNoOperation, "The server does not support the operation, or a proxy responded instead."},
	{
		snapservice.ErrNotFound,
		"The object does not exist in vSAN Data Protection, or the user cannot read it. Check the cluster ID.",
	},
	{snapservice.ErrAmbiguous, "Several objects have this name. Use the ID."},
	{
		snapservice.ErrUnavailable,
		"The vSAN Data Protection appliance could not be reached or returned no usable response. Check the server " +
			"and its load, and apply again.",
	},
	{snapservice.ErrSession, "The appliance closes every new session immediately."},
	{snapservice.ErrInvalid, "vSAN Data Protection rejected the request for the reason below."},
	{snapservice.ErrConflict, "vSAN Data Protection rejected the name because it is already in use. The reason is " +
		"below."},
}

var replicationAdvice = []row{
	{
		context.DeadlineExceeded,
		"The operation timed out. Completed changes are saved in state. The next plan shows the remaining changes. A " +
			"longer timeout may help.",
	},
	{
		vr.ErrNoRemoteUser,
		"Operations on a pairing require a login at both sites. Set remote_user and remote_password in the " +
			"provider's replication argument, or VSLA_REPLICATION_REMOTE_USER and VSLA_REPLICATION_REMOTE_PASSWORD.",
	},
	{
		vr.ErrRemoteLogin,
		"The remote site rejected the user name or password. Check remote_user and remote_password in the provider's " +
			"replication argument, or VSLA_REPLICATION_REMOTE_USER and VSLA_REPLICATION_REMOTE_PASSWORD.",
	},
	{
		vr.ErrRemote,
		"The login at the remote site failed. Without it, vSphere Replication returns incomplete data, so nothing " +
			"was changed. Check that the remote vCenter and its replication appliance are running, and apply again.",
	},
	{
		vr.ErrLogin,
		"The replication server rejected the user name or password. Check user and password in the provider's " +
			"replication argument, or VSLA_REPLICATION_USER and VSLA_REPLICATION_PASSWORD.",
	},
	{
		vr.ErrVersion,
		"The server does not have the REST API v2 of vSphere Replication, which requires release 8.8 or later. Check " +
			"server in the provider's replication argument.",
	},
	{
		vr.ErrPairing,
		"The pairing does not exist on the replication server. The data source vsla_replication_pairing finds " +
			"existing pairings. The state is unchanged.",
	},
	{
		vr.ErrDisconnected,
		"The sites of the pairing are not connected. Check that the remote vCenter and its replication appliance are " +
			"running and reachable from the local appliance, and that remote_address and remote_thumbprint belong to " +
			"the remote site. Then run the action again.",
	},
	{
		vr.ErrNotOffered,
		"Update the appliances of both sites. For a link of vsla_sla_plan, throughput_mbps needs no measurement.",
	},
	{vr.ErrTask, "vSphere Replication accepted the request, but its task failed for the reason below."},
	{vr.ErrTaskLost, "vSphere Replication lost the task before its result was known. The next plan shows the result."},
	{
		vr.ErrUncertain,
		"vSphere Replication did not respond, so it is unknown whether the change was made. The next plan shows the " +
			"result. A longer api_timeout_seconds may help.",
	},
	{
		vr.ErrPartial,
		"The replication server returned an incomplete response, which was ignored. Check that both sites of the " +
			"pairing are running, and try again.",
	},
	{vr.ErrLimited, "The replication server still throttles requests after retries. Reduce requests_per_minute in " +
		"the provider's replication argument, or wait for other clients with the same address to finish."},
	{
		vr.ErrPermission,
		"Permission denied at one of the sites. The documentation of the resource lists the required privileges.",
	},
	{vr.ErrUnavailable, "The replication server could not be reached or returned no usable response, even after " +
		"retries of reads. Check the server and its load, and apply again."},
	{
		vr.ErrSession,
		"The replication server closes every new session immediately. Check the session limits of the user.",
	},
	{
		vr.ErrNotFound,
		"The object does not exist in vSphere Replication, or the user cannot read it. Check the ID, and that the " +
			"object belongs to this pairing.",
	},
	{vr.ErrAmbiguous, "Several objects have this name. Use the ID."},
	{vr.ErrInvalid, "vSphere Replication rejected the request for the reason below."},
}
