// Package explain converts errors from vCenter, vSphere Replication and vSAN Data Protection to diagnostics that
// include a remedy.
package explain

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/provider/kit/destroying"
	"terraform-provider-vsla/internal/snapservice"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vr"
	"terraform-provider-vsla/internal/vsphere"
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

// servers contains the names of the servers, their settings, and the kinds of errors that mean that there is no
// connection.
var servers = []struct {
	name, setting                         string
	unknownHost, certificate, unavailable error
}{
	{
		"vCenter",
		"vsphere_server (or VSPHERE_SERVER)",
		vsphere.ErrUnknownHost,
		vsphere.ErrCertificate,
		vsphere.ErrUnavailable,
	},
	{
		"the replication server",
		"server in the provider's replication argument (or VSLA_REPLICATION_SERVER)",
		vr.ErrUnknownHost,
		vr.ErrCertificate,
		vr.ErrUnavailable,
	},
	{
		"the vSAN Data Protection appliance",
		"server in the provider's data_protection argument (or VSLA_DATA_PROTECTION_SERVER)",
		snapservice.ErrUnknownHost,
		snapservice.ErrCertificate,
		snapservice.ErrUnavailable,
	},
}

func connectionAdvice(err error) string {
	for _, s := range servers {
		if errors.Is(err, snapservice.ErrVCenter) {
			s.name = servers[0].name
			s.setting = servers[0].setting
		}
		switch {
		case errors.Is(err, s.unknownHost):
			return "The name of " + s.name + " cannot be resolved. Check " + s.setting + " and the DNS of the " +
				"machine that runs Terraform."
		case errors.Is(err, s.unavailable) && transport.IsRefused(err):
			return "Nothing listens at the address of " + s.name + ", which refuses the connection. Check the host " +
				"and the port in " + s.setting + ", and that the server is running."
		case errors.Is(err, s.certificate):
			return certificateAdvice(s.name, s.setting, err)
		}
	}
	return ""
}

func certificateAdvice(name, setting string, err error) string {
	names, isWrongName := transport.NamesInCertificate(err)
	switch {
	case transport.IsExpired(err):
		return "The certificate of " + name + " has expired or is not yet valid. Renew it on the server, and check " +
			"the clock of the machine that runs Terraform."
	case isWrongName && len(names) > 0:
		return "The certificate of " + name + " does not contain the name in " + setting + ". Use a name that it " +
			"contains: " +
			strings.Join(names, ", ") + "."
	case isWrongName:
		return "The certificate of " + name + " does not contain the name in " + setting + ", nor any other. Replace " +
			"it on the server."
	default:
		return "The certificate of " + name + " is not trusted, because its authority is unknown. Set ca_file (or " +
			"VSLA_CA_FILE) to a PEM file with the certificate of this authority. vCenter offers its own at " +
			"https://VCENTER/certs/download.zip. For tests only, allow_unverified_ssl disables the check."
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

// AdoptAdvice returns the alternative to an import of an existing object. equal is true if it has the planned settings.
func AdoptAdvice(noun string, equal bool) string {
	cause := ""
	if equal {
		cause = "It has the planned settings, so an interrupted create may have left it behind. "
	}
	return cause + "Alternatively, set adopt_existing = true to adopt the " + noun + ".\n\n"
}

// AlreadyExists adds a diagnostic for an object that already exists. It contains an import block for the object. It is
// an error, or a warning in a destroy, which must not depend on objects that it does not delete.
func (f Failure) AlreadyExists(diags *diag.Diagnostics, attribute path.Path, typeName, importID string) {
	add := diags.AddAttributeError
	if destroying.Now() {
		add = diags.AddAttributeWarning
	}
	add(attribute, f.Summary, "The object already exists and is not adopted automatically. "+
		f.importAdvice(typeName, importID))
}

// WarnTaken adds a warning to a plan for an object that already exists. It is no error, because a rename or a removal
// of the same apply can make way, and the plan of another resource does not show that in all orders.
func (f Failure) WarnTaken(diags *diag.Diagnostics, attribute path.Path, typeName, importID string) {
	diags.AddAttributeWarning(attribute, f.Summary, "The object already exists and is not adopted automatically, so "+
		"the apply fails unless it renames or removes the object first. If another resource does that, add "+
		"depends_on. "+
		f.importAdvice(typeName, importID))
}

// ExistsSincePlan adds an error for an object that was created after the plan, which cannot be adopted unseen.
func ExistsSincePlan(diags *diag.Diagnostics, attribute path.Path, title string) {
	diags.AddAttributeError(
		attribute,
		title+" Exists Since the Plan",
		"The object did not exist when the plan was made, so the plan did not show what adopting it changes. Nothing "+
			"was changed. Plan again.",
	)
}

// templates escapes what would be a template in a string of a configuration.
var templates = strings.NewReplacer("${", "$${", "%{", "%%{")

func (f Failure) importAdvice(typeName, importID string) string {
	return fmt.Sprintf("If this resource already manages it, do not import it, but remove create_before_destroy from "+
		"this resource and from resources that depend on it, because the object cannot exist twice. If the address "+
		"of the resource has changed, or another resource of this configuration manages the object, add a moved "+
		"block. Otherwise, import it. Replace NAME with the name of the resource and, with for_each or count, its "+
		"key:\n\n  import {\n    to = %s.NAME\n    id = %s\n  }\n\n%s%s",
		typeName, templates.Replace(strconv.Quote(importID)), f.Alternative, sentence(f.Err))
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
