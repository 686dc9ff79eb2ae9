// Package explain turns errors of vCenter, vSphere Replication and vSAN Data Protection into diagnostics with a
// remedy.
package explain

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vsphere"
)

// Failure is a failed operation to report.
type Failure struct {
	// Summary is the summary in title case, for example `Unable to Create Tag "gold"`.
	Summary string
	// Attribute is the path of the faulty argument, if any.
	Attribute *path.Path
	// Privilege is the required privilege, for example `Assign or Unassign vSphere Tag`. It may be empty.
	Privilege string
	// Instead is an alternative to importing, for AlreadyExists. It may be empty.
	Instead string
	Err     error
}

// AddTo adds a diagnostic with the remedy and the error.
func (f Failure) AddTo(diags *diag.Diagnostics) {
	detail := f.advice() + "\n\n" + sentence(f.Err)
	if f.Attribute != nil {
		diags.AddAttributeError(*f.Attribute, f.Summary, detail)
		return
	}
	diags.AddError(f.Summary, detail)
}

// AddError adds a diagnostic for a failed operation that requires a privilege.
func AddError(diags *diag.Diagnostics, summary, privilege string, err error) {
	Failure{Summary: summary, Privilege: privilege, Err: err}.AddTo(diags)
}

// AddAttributeError adds a diagnostic for a failed operation to an argument. privilege may be empty.
func AddAttributeError(diags *diag.Diagnostics, at path.Path, summary, privilege string, err error) {
	Failure{Summary: summary, Attribute: &at, Privilege: privilege, Err: err}.AddTo(diags)
}

// adviser is an error with a remedy of its own.
type adviser interface {
	error
	Advice() string
}

func (f Failure) advice() string {
	if own, ok := errors.AsType[adviser](f.Err); ok {
		return own.Advice()
	}
	if partial := partialAdvice(f.Err); partial != "" {
		return partial
	}
	if errors.Is(f.Err, vsphere.ErrPermission) && f.Privilege != "" {
		return noPermission + " The operation needs the privilege: " + f.Privilege + "."
	}
	for _, table := range [][]row{replicationAdvice, protectionAdvice, advice} {
		for _, r := range table {
			if errors.Is(f.Err, r.kind) {
				return r.advice
			}
		}
	}
	return "vCenter rejected the request for the reason below."
}

// partialAdvice returns the remedy for a partially rejected bulk call, or "" for other errors.
func partialAdvice(err error) string {
	var partial *vsphere.PartialError
	switch {
	case !errors.As(err, &partial):
		return ""
	case partial.All():
		return "vCenter rejected the request for all objects and changed nothing. Correct the cause and apply again."
	default:
		return "vCenter rejected the objects below and applied the others, which are saved in state. Correct the cause " +
			"and apply again."
	}
}

// row maps a kind of error to a remedy. The first match wins.
type row struct {
	kind   error
	advice string
}

const noPermission = "Permission denied, or no such object: vCenter returns the same error for both."

var advice = []row{
	{
		context.Canceled, "The operation was canceled. Completed changes are saved in state; the next plan shows the " +
			"remaining ones.",
	},
	{
		vsphere.ErrPasswordExpired,
		"The password of the account has expired. Set a new one in vCenter and in the provider (vsphere_password or " +
			"VSPHERE_PASSWORD). The provider does not retry the login in this run, because vCenter locks accounts after " +
			"five failures.",
	},
	{vsphere.ErrLogin, "vCenter rejected the user name or password. Check user and password of the provider, or " +
		"VSPHERE_USER and VSPHERE_PASSWORD. The provider does not retry the login in this run, because vCenter locks " +
		"accounts after five failures."},
	{
		vsphere.ErrCertificate,
		"The certificate of vCenter is not trusted. Set ca_file (or VSLA_CA_FILE) to a PEM file with the certificate of " +
			"its authority; allow_unverified_ssl disables the check.",
	},
	{vsphere.ErrPermission, noPermission},
	{
		vsphere.ErrObjectGone,
		"vCenter has no such object. Check the id, and that the provider is connected to the right vCenter.",
	},
	{
		vsphere.ErrUnknownHost,
		"The name of the vCenter server cannot be resolved. Check vsphere_server (or VSPHERE_SERVER) and the DNS of " +
			"the machine that runs Terraform.",
	},
	{
		vsphere.ErrNotVCenter,
		"The server responds, but has no vCenter login. Check vsphere_server (or VSPHERE_SERVER): it must be the host of " +
			"a vCenter, without a path.",
	},
	{vsphere.ErrNoOperation, "vCenter does not support the operation, even after retries: its services are starting, " +
		"or its release is too old. State is unchanged. Apply again when the vCenter services are running."},
	{
		vsphere.ErrSessionLimit,
		"The user has reached vCenter's session limit. Idle sessions end after at most 120 minutes. Wait, end some of " +
			"them, or use a separate account for Terraform.",
	},
	{
		vsphere.ErrLimited,
		"vCenter still throttles requests after retries. Set requests_per_second to a lower number, or wait for other " +
			"clients to finish.",
	},
	{
		vsphere.ErrUncertain,
		"vCenter did not respond, so it is unknown whether the change was made. The next plan shows it; a longer " +
			"api_timeout_seconds may help.",
	},
	{vsphere.ErrUnavailable, "vCenter could not be reached or returned no usable response, even after retries. Check " +
		"the server and its load, and apply again."},
	{
		transport.ErrTooLarge,
		"The server's response is too large. Check that the address is correct; a smaller inventory or a narrower query " +
			"returns smaller responses.",
	},
	{vsphere.ErrSession, "vCenter closes every new session immediately. Check the session limits of the user."},
	{
		vsphere.ErrNotFound,
		"There is no such object in vCenter. Check the name or id, and that the provider connects to the " +
			"vCenter that has it.",
	},
	{
		vsphere.ErrAmbiguous,
		"Several objects have this name. Use the id or a full inventory path. If linked vCenters each created a tag or " +
			"category with the same name, rename or delete one of them.",
	},
}

// sentence formats an error as a sentence, followed by the existing names if a name was not found. It keeps the case
// of names such as vCenter.
func sentence(err error) string {
	s := strings.TrimRight(err.Error(), ". \n")
	r, n := utf8.DecodeRuneInString(s)
	if next, _ := utf8.DecodeRuneInString(s[n:]); unicode.IsUpper(next) {
		return s + "." + quantity.Existing(err)
	}
	return string(unicode.ToUpper(r)) + s[n:] + "." + quantity.Existing(err)
}

// Detail formats an error as a sentence for a custom diagnostic.
func Detail(err error) string { return sentence(err) }

// AlreadyExists adds a diagnostic for a name conflict, with an import block for the existing object.
func (f Failure) AlreadyExists(diags *diag.Diagnostics, attribute path.Path, typeName, importID string) {
	diags.AddAttributeError(
		attribute,
		f.Summary,
		"An object with this name already exists and is not adopted automatically. To manage it with this resource, "+
			"import it:\n\n  import {\n    to = "+typeName+".NAME\n    id = "+strconv.Quote(importID)+"\n  }\n\n"+
			f.Instead+sentence(f.Err),
	)
}
