package explain_test

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/resume"
	"terraform-provider-vsla/internal/snapservice"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vr"
	"terraform-provider-vsla/internal/vsphere"
)

func TestDetail(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"log in to a: refused": "Log in to a: refused.",
		"vCenter server: no":   "vCenter server: no.",
		"ends. ":               "Ends.",
	} {
		assert.Equal(t, want, explain.Detail(errors.New(text)))
	}
	missing := &transport.NameError{
		What:  "tag",
		Name:  "gld",
		Names: []string{"silver", "gold"},
		Err:   vsphere.ErrNotFound,
	}
	want := `Tag "gld": not found. Available: "gold", "silver".`
	assert.Equal(t, want, explain.Detail(missing))
}

func TestFailure(t *testing.T) {
	t.Parallel()
	refused := func(total int) error {
		return &vsphere.PartialError{
			Operation: "attach tag gold",
			Kind:      "objects",
			Total:     total,
			Refused:   []vsphere.Refusal{{ID: "vm-1"}},
		}
	}
	for name, test := range map[string]struct {
		failure explain.Failure
		want    string // prefix of the detail
	}{
		"rejected in part": {
			explain.Failure{Err: refused(3)},
			"vCenter rejected the objects below and applied the others, which are saved in state.",
		},
		"rejected altogether": {
			explain.Failure{Err: refused(1)},
			"vCenter rejected this request for all objects, so it changed nothing.",
		},
		"permission": {
			explain.Failure{Err: vsphere.ErrPermission, Privilege: "P"},
			"Permission denied, or no such object: vCenter returns the same error for both. Required privileges: P.",
		},
		"unknown host": {
			explain.Failure{Err: vsphere.ErrUnknownHost},
			"The name of vCenter cannot be resolved. Check vsphere_server (or VSPHERE_SERVER)",
		},
		"expired": {
			explain.Failure{Err: fmt.Errorf("%w: %w", vsphere.ErrCertificate,
				x509.CertificateInvalidError{Reason: x509.Expired})},
			"The certificate of vCenter has expired or is not yet valid. Renew it",
		},
		"wrong name": {
			explain.Failure{Err: fmt.Errorf("%w: %w", vr.ErrCertificate,
				x509.HostnameError{Certificate: &x509.Certificate{DNSNames: []string{"vr01", "vr02"}}})},
			"The certificate of the replication server does not contain the name in server in the provider's " +
				"replication argument (or VSLA_REPLICATION_SERVER). Use a name that it contains: vr01, vr02.",
		},
		"no name": {
			explain.Failure{Err: fmt.Errorf("%w: %w", snapservice.ErrCertificate, x509.HostnameError{})},
			"The certificate of the vSAN Data Protection appliance does not contain the name",
		},
		"unknown authority": {
			explain.Failure{Err: fmt.Errorf("%w: %w", vsphere.ErrCertificate, x509.UnknownAuthorityError{})},
			"The certificate of vCenter is not trusted, because its authority is unknown. Set ca_file ",
		},
		"vCenter of an appliance": {
			explain.Failure{Err: fmt.Errorf("%w: %w", snapservice.ErrVCenter, snapservice.ErrUnknownHost)},
			"The name of vCenter cannot be resolved. Check vsphere_server",
		},
		"refused": {
			explain.Failure{Err: fmt.Errorf("%w: %w", vr.ErrUnavailable,
				&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED})},
			"Nothing listens at the address of the replication server, which refuses the connection. Check the host " +
				"and the port in server in the provider's replication argument (or VSLA_REPLICATION_SERVER)",
		},
		"not a vCenter": {
			explain.Failure{Err: vsphere.ErrNotVCenter},
			"The server responds, but does not have the login API of vCenter.",
		},
		"services start": {
			explain.Failure{Err: vsphere.ErrNoOperation},
			"vCenter still rejects the operation after retries",
		},
		"too many sessions": {
			explain.Failure{Err: vsphere.ErrSessionLimit},
			"The user has reached vCenter's session limit.",
		},
		"login":             {explain.Failure{Err: vsphere.ErrLogin}, "vCenter rejected the user name or password."},
		"replication login": {explain.Failure{Err: vr.ErrLogin}, "The replication server rejected the user name"},
		"two kinds": {
			explain.Failure{Err: fmt.Errorf("%w: %w", vr.ErrRemote, vr.ErrRemoteLogin)},
			"The remote site rejected the user name or password.",
		},
		"rejected": {
			explain.Failure{Err: vsphere.ErrInvalid},
			"vCenter rejected the request for the reason below.",
		},
		"not rejected": {explain.Failure{Err: errors.New("busy")}, "The operation failed for the reason below."},
		"removed": {
			explain.Failure{Err: fmt.Errorf("gold: %w", resume.ErrRemoved)},
			"Another resource of this configuration managed the object.",
		},
	} {
		var diags diag.Diagnostics
		test.failure.AddTo(&diags)
		detail := diags[0].Detail()
		assert.True(t, strings.HasPrefix(detail, test.want), "%s: %q, want it to begin: %q", name, detail, test.want)
		assert.True(t, strings.HasSuffix(detail, "."), "%s: %q, want it to end with a full stop", name, detail)
	}
}
