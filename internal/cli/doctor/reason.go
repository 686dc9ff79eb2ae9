// Errors as sentences without names, ids and addresses: the texts of the clients contain vCenter's own messages.

package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vr"
	"terraform-provider-vsla/internal/vsphere"
)

// reasons are the kinds of errors, the narrower ones first.
var reasons = []struct {
	kind error
	text string
}{
	{vsphere.ErrSessionLimit, "the user has as many sessions as vCenter allows"},
	{vsphere.ErrNoOperation, "the server has no such operation"},
	{vsphere.ErrNotVCenter, "the server answers, but has no login of vCenter"},
	{vsphere.ErrSessionLasts, "a session that was ended still answers"},
	{vr.ErrNoRemoteUser, "no user for the remote site is set (VSLA_REPLICATION_REMOTE_USER)"},
	{vr.ErrRemoteLogin, "the remote site refused the user or password; it was tried once, because accounts are locked"},
	{vr.ErrVersion, "the server has no REST API v2 of vSphere Replication"},
	{vr.ErrPairing, "there is no such pairing"},
	{vr.ErrPartial, "the answer is incomplete"},
	{transport.ErrLogin, "the user or password was refused; it was tried once, because accounts are locked"},
	{transport.ErrCertificate, "the certificate is not trusted: set --ca-file to the root certificates"},
	{transport.ErrUnknownHost, "the server's name cannot be resolved"},
	{transport.ErrPermission, "permission denied"},
	{transport.ErrSession, "the session was refused"},
	{transport.ErrConflict, "the name is taken"},
	{transport.ErrNotFound, "not found"},
	{transport.ErrLimited, "too many requests"},
	{transport.ErrUncertain, "the outcome is not known"},
	{transport.ErrUnavailable, "no usable response"},
	{transport.ErrInvalid, "rejected as invalid"},
	{vr.ErrRemote, "no session at the remote site"},
	{context.Canceled, "interrupted"},
	{context.DeadlineExceeded, "no answer in time"},
}

// reason returns why something failed.
func reason(err error) string {
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	text := "failed"
	for _, r := range reasons {
		if errors.Is(err, r.kind) {
			text = r.text
			break
		}
	}
	if answer, ok := transport.Answer(err); ok {
		kind := strings.ToUpper(answer.Type)
		if kind != "" {
			kind = " " + known(errorTypes, kind, "{error type}")
		}
		return fmt.Sprintf("%s (HTTP %d%s)", text, answer.Status, kind)
	}
	return text
}
