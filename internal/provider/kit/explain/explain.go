// Package explain converts errors from vCenter, vSphere Replication and vSAN Data Protection to diagnostics that
// include a remedy.
package explain

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-vsla/internal/plan/quantity"
)

// Failure describes a failed operation.
type Failure struct {
	// Summary is the diagnostic summary in title case, for example `Unable to Create Tag "gold"`.
	Summary string
	// Attribute is the path of the invalid argument, if any.
	Attribute *path.Path
	// Privilege is the required privilege, for example `Assign or Unassign vSphere Tag`. It can be empty.
	Privilege string
	// Alternative describes an alternative to the import that AlreadyExists suggests. It can be empty.
	Alternative string
	Err         error
}

// AddTo adds a diagnostic that contains the error and its remedy.
func (f Failure) AddTo(diags *diag.Diagnostics) {
	detail := f.advice() + "\n\n" + sentence(f.Err)
	if f.Attribute != nil {
		diags.AddAttributeError(*f.Attribute, f.Summary, detail)
		return
	}
	diags.AddError(f.Summary, detail)
}

// AddError adds a diagnostic for a failed operation. privilege is the required privilege and can be empty.
func AddError(diags *diag.Diagnostics, summary, privilege string, err error) {
	Failure{Summary: summary, Privilege: privilege, Err: err}.AddTo(diags)
}

// AddAttributeError adds a diagnostic for an operation that failed because of an argument. privilege can be empty.
func AddAttributeError(diags *diag.Diagnostics, at path.Path, summary, privilege string, err error) {
	Failure{Summary: summary, Attribute: &at, Privilege: privilege, Err: err}.AddTo(diags)
}

// sentence formats an error as a sentence. If a name was not found, it adds the existing names. An error that begins
// with a name such as vCenter is not capitalized.
func sentence(err error) string {
	s := strings.TrimRight(err.Error(), ". \n")
	r, n := utf8.DecodeRuneInString(s)
	if next, _ := utf8.DecodeRuneInString(s[n:]); unicode.IsUpper(next) {
		return s + "." + quantity.Existing(err)
	}
	return string(unicode.ToUpper(r)) + s[n:] + "." + quantity.Existing(err)
}

// Detail formats an error as a sentence, for use in a custom diagnostic.
func Detail(err error) string { return sentence(err) }
