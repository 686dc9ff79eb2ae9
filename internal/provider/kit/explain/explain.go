// Package explain words failures of vCenter and of vSphere Replication: one table from kinds of errors to what a user
// can do.
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

	"terraform-provider-vsla/internal/provider/kit/tagledger"
	"terraform-provider-vsla/internal/vsphere"
)

// Failure is an error of vCenter's on its way to the user.
type Failure struct {
	// Summary in title case: `Unable to Create Tag "gold"`.
	Summary string
	// Attribute is the argument to blame; nil when none is.
	Attribute *path.Path
	// Privilege is what the call needs, for example `Assign or Unassign vSphere Tag`; may be empty.
	Privilege string
	Err       error
}

// AddTo appends the failure as one diagnostic: what went wrong, what to do, and the chain of errors behind it.
func (f Failure) AddTo(diags *diag.Diagnostics) {
	detail := f.advice() + "\n\n" + sentence(f.Err)
	if f.Attribute != nil {
		diags.AddAttributeError(*f.Attribute, f.Summary, detail)
		return
	}
	diags.AddError(f.Summary, detail)
}

func (f Failure) advice() string {
	err := f.Err
	if advice := replicationAdvice(err); advice != "" {
		return advice
	}
	if advice := taggingAdvice(err); advice != "" {
		return advice
	}
	switch {
	case errors.Is(err, context.Canceled):
		return "The operation was cancelled. State holds what was done before; the next plan shows what is left."
	case errors.Is(err, vsphere.ErrLogin):
		return "vCenter does not accept the user or the password. Check user and password of the provider, or VSPHERE_USER and VSPHERE_PASSWORD."
	case errors.Is(err, vsphere.ErrCertificate):
		return "The certificate of vCenter is not trusted. Set ca_file (or VSLA_CA_FILE) to a PEM file with the certificate of its authority; allow_unverified_ssl turns the check off."
	case errors.Is(err, vsphere.ErrPermission):
		advice := "vCenter refuses this to the user, or the object does not exist: it gives the same answer to both."
		if f.Privilege != "" {
			advice += " The privilege needed is: " + f.Privilege + "."
		}
		return advice
	case errors.Is(err, vsphere.ErrUnknownHost):
		return "The name of the vCenter server cannot be resolved. Check vsphere_server (or VSPHERE_SERVER) and the DNS of the " +
			"machine that runs Terraform."
	case errors.Is(err, vsphere.ErrLimited):
		return "vCenter refuses further requests for now, also after waiting. Set requests_per_second to a lower number, or wait " +
			"for other clients to finish."
	case errors.Is(err, vsphere.ErrUncertain):
		return "No answer came, so it is not known whether vCenter did it. The next plan finds out; a longer api_timeout_seconds may help."
	case errors.Is(err, vsphere.ErrUnavailable):
		return "vCenter could not be reached or gave no usable answer, also when the request was repeated. Check the server and its load, and apply again."
	case errors.Is(err, vsphere.ErrSession):
		return "vCenter ends each new session at once. Check the session limits of the user."
	case errors.Is(err, vsphere.ErrNotFound):
		return "There is no such object in vCenter. Check the name or id, and that the provider speaks to the vCenter that has it."
	case errors.Is(err, vsphere.ErrAmbiguous):
		return "Several objects have this name. Use the id, or a full inventory path."
	default:
		return "vCenter refused the request. Its reason is below."
	}
}

// taggingAdvice is what to do about a bulk call that was not carried out for all; empty for other errors.
func taggingAdvice(err error) string {
	var (
		bare    *tagledger.BareError
		kept    *tagledger.KeptError
		partial *vsphere.PartialError
	)
	switch {
	case errors.As(err, &bare):
		return "The tag to attach was rejected after the former one had been detached, and attaching that again failed as well. " +
			"The next plan shows what is missing; correct the cause and apply again."
	case errors.As(err, &kept):
		return "Another resource of this apply could not tag these objects, so they keep the tag that they had. " +
			"Correct what that resource reports and apply again."
	case errors.As(err, &partial) && partial.All():
		return "vCenter rejected the request for all of them, so it changed nothing. Correct the cause and apply again."
	case errors.As(err, &partial):
		return "vCenter rejected those that are named below and applied the rest, which state records. " +
			"Correct the cause and apply again."
	}
	return ""
}

// sentence returns an error a capital letter and a full stop.
func sentence(err error) string {
	s := strings.TrimRight(err.Error(), ". \n")
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:] + "."
}

// Detail returns an error as a sentence, for a diagnostic with a wording of its own.
func Detail(err error) string { return sentence(err) }

// AlreadyExists appends the failure of a create whose name is taken, with the import block that adopts what is there.
func (f Failure) AlreadyExists(diags *diag.Diagnostics, attribute path.Path, typeName, importID string) {
	diags.AddAttributeError(
		attribute,
		f.Summary,
		"An object of this name exists already, and it is not taken over silently. "+
			"To manage it with this resource, import it:\n\n"+
			"  import {\n    to = "+typeName+".NAME\n    id = "+strconv.Quote(importID)+"\n  }\n\n"+sentence(f.Err),
	)
}
