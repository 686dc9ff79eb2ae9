// The wording of the replication gateway's failures.

package explain

import (
	"context"
	"errors"

	"terraform-provider-vsla/internal/vr"
)

// replicationAdvice is what to do about a failure of the gateway's; empty when the error is none of its.
func replicationAdvice(err error) string {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "It took longer than the time that timeouts allows. State holds what was done; the next plan shows what is left. A longer time may help."
	case errors.Is(err, vr.ErrNoRemoteUser):
		return "What concerns a pairing needs a login at both sites. Set remote_user and remote_password in the provider's argument replication, " +
			"or VSLA_REPLICATION_REMOTE_USER and VSLA_REPLICATION_REMOTE_PASSWORD."
	case errors.Is(err, vr.ErrRemoteLogin):
		return "The remote site does not accept the user or the password. Check remote_user and remote_password of the provider's argument replication, " +
			"or VSLA_REPLICATION_REMOTE_USER and VSLA_REPLICATION_REMOTE_PASSWORD."
	case errors.Is(err, vr.ErrRemote):
		return "The remote site cannot be logged in to, and without it vSphere Replication tells only half the truth. Nothing was changed. " +
			"Check that the remote vCenter and its replication appliance are up, and apply again."
	case errors.Is(err, vr.ErrLogin):
		return "The gateway does not accept the user or the password. Check user and password of the provider's argument replication, " +
			"or VSLA_REPLICATION_USER and VSLA_REPLICATION_PASSWORD."
	case errors.Is(err, vr.ErrVersion):
		return "The server does not offer the REST API v2 of vSphere Replication. It comes with vSphere Replication 8.8 and later; check server of the provider's argument replication."
	case errors.Is(err, vr.ErrPairing):
		return "The gateway has no such pairing. Data source vsla_replication_pairing finds the pairings that it has. Nothing is removed from state because of this."
	case errors.Is(err, vr.ErrTask):
		return "vSphere Replication accepted the request and then failed to carry it out. Its reason is below."
	case errors.Is(err, vr.ErrTaskLost):
		return "vSphere Replication has forgotten the task before its end was seen. The next plan finds out what became of it."
	case errors.Is(err, vr.ErrUncertain):
		return "No answer came, so it is not known whether vSphere Replication did it. The next plan finds out; a longer api_timeout_seconds may help."
	}
	return replicationRefusal(err)
}

// replicationRefusal words what a single request met.
func replicationRefusal(err error) string {
	switch {
	case errors.Is(err, vr.ErrPartial):
		return "The gateway left out a part of the answer, so nothing is concluded from it. Check that both sites of the pairing are up, and try again."
	case errors.Is(err, vr.ErrLimited):
		return "The gateway refuses further requests for now, also after waiting. Lower requests_per_minute of the provider's argument replication, " +
			"or wait for other clients of the same address to finish."
	case errors.Is(err, vr.ErrCertificate):
		return "The certificate of the replication gateway is not trusted. Set ca_file (or VSLA_CA_FILE) to a PEM file with the certificate of its authority; allow_unverified_ssl turns the check off."
	case errors.Is(err, vr.ErrUnknownHost):
		return "The name of the replication server cannot be resolved. Check server of the provider's argument replication (or " +
			"VSLA_REPLICATION_SERVER) and the DNS of the machine that runs Terraform."
	case errors.Is(err, vr.ErrPermission):
		return "The gateway refuses this to the user at one of the two sites. See the privileges in the documentation of the resource."
	case errors.Is(err, vr.ErrUnavailable):
		return "The replication gateway could not be reached or gave no usable answer, also when a read was repeated. Check the server and its load, and apply again."
	case errors.Is(err, vr.ErrSession):
		return "The gateway ends each new session at once. Check the session limits of the user."
	case errors.Is(err, vr.ErrNotFound):
		return "The gateway has no such object, or does not show it to the user. Check the id, and that it belongs to this pairing."
	case errors.Is(err, vr.ErrAmbiguous):
		return "Several objects have this name. Use the id."
	case errors.Is(err, vr.ErrInvalid):
		return "vSphere Replication refused the request. Its reason is below."
	}
	return ""
}
