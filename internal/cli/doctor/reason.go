package doctor

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vr"
	"terraform-provider-vsla/internal/vsphere"
)

// reasons maps error kinds to descriptions. Specific kinds precede general ones.
var reasons = []struct {
	kind error
	text string
}{
	{vsphere.ErrSessionLimit, "the user has reached vCenter's session limit"},
	{vsphere.ErrNoOperation, "the server does not support this operation"},
	{vsphere.ErrNotVCenter, "the server responds, but does not offer a vCenter login: VSPHERE_SERVER must be the " +
		"host of a vCenter, without a path"},
	{vsphere.ErrSessionAlive, "the session is still valid after logout"},
	{vr.ErrNoRemoteUser, "no user for the remote site: VSLA_REPLICATION_REMOTE_USER or " +
		"VSLA_REPLICATION_REMOTE_PASSWORD is not set"},
	{vr.ErrRemoteLogin, "the remote site rejected VSLA_REPLICATION_REMOTE_USER or " +
		"VSLA_REPLICATION_REMOTE_PASSWORD; not retried, to avoid locking the account"},
	{vr.ErrVersion, "the server does not provide the vSphere Replication REST API v2: VSLA_REPLICATION_SERVER must " +
		"be the host of an appliance of release 8.8 or later"},
	{vr.ErrPairing, "the pairing does not exist"},
	{vr.ErrPartial, "the response is incomplete"},
	{transport.ErrLogin, "the user or password was rejected; not retried, to avoid locking the account"},
	{transport.ErrPermission, "permission denied"},
	{transport.ErrSession, "the session was rejected"},
	{transport.ErrConflict, "the name is already in use"},
	{transport.ErrNotFound, "not found"},
	{transport.ErrLimited, "too many requests"},
	{transport.ErrUncertain, "the outcome is unknown"},
	{transport.ErrUnavailable, "no usable response"},
	{transport.ErrInvalid, "rejected as invalid"},
	{vr.ErrRemote, "no session at the remote site"},
	{context.Canceled, "interrupted"},
	{context.DeadlineExceeded, "timed out"},
}

func connectionReason(err error) string {
	_, isWrongName := transport.NamesInCertificate(err)
	switch {
	case transport.IsExpired(err):
		return "the certificate has expired or is not yet valid"
	case isWrongName:
		return "the certificate does not contain the name of the server"
	case transport.IsRefused(err):
		return "nothing listens at the address, which refuses the connection"
	case transport.IsCertificateError(err):
		return "the certificate is not trusted, because its authority is unknown: set VSLA_CA_FILE to the root " +
			"certificates"
	case transport.IsUnknownHost(err):
		return "the server name cannot be resolved"
	default:
		return ""
	}
}

func reason(err error) string {
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	text := connectionReason(err)
	for _, r := range reasons {
		if text == "" && errors.Is(err, r.kind) {
			text = r.text
		}
	}
	text = cmp.Or(text, "failed")
	if answer, ok := transport.AsAPIError(err); ok {
		kind := strings.ToUpper(answer.Type)
		if kind != "" {
			kind = " " + wordOr(kind, "{error type}")
		}
		return fmt.Sprintf("%s (HTTP %d%s)", text, answer.Status, kind)
	}
	return text
}
