package provider

import (
	"errors"
	"slices"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/connect"
	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/vsphere/ignored"
)

type configModel struct {
	Server              types.String `tfsdk:"vsphere_server"`
	User                types.String `tfsdk:"user"`
	Password            types.String `tfsdk:"password"`
	AllowUnverifiedSSL  types.Bool   `tfsdk:"allow_unverified_ssl"`
	CAFile              types.String `tfsdk:"ca_file"`
	APITimeoutSeconds   types.Int64  `tfsdk:"api_timeout_seconds"`
	RequestsPerSecond   types.Int64  `tfsdk:"requests_per_second"`
	IgnoreTagCategories types.List   `tfsdk:"ignore_tag_categories"`
	Replication         types.Object `tfsdk:"replication"`
	DataProtection      types.Object `tfsdk:"data_protection"`
}

// argument is an argument of the provider block and the environment variable that replaces it.
type argument struct {
	variable string
	path     path.Path
	value    attr.Value // nil if the block is not set
}

// settings reads the arguments and environment variables. It records unknown and missing arguments but does not report
// them yet, because not every operation needs a connection.
func (m configModel) settings(env func(string) string, diags *diag.Diagnostics) connection.Settings {
	vcenter := []argument{
		{connect.Server, path.Root("vsphere_server"), m.Server},
		{connect.User, path.Root("user"), m.User},
		{connect.Password, path.Root("password"), m.Password},
	}
	shared := []argument{
		{connect.CAFile, path.Root("ca_file"), m.CAFile},
		{connect.Insecure, path.Root("allow_unverified_ssl"), m.AllowUnverifiedSSL},
		{connect.Timeout, path.Root("api_timeout_seconds"), m.APITimeoutSeconds},
	}
	replication := m.replication()
	protection := m.dataProtection()
	all := slices.Concat(vcenter, shared, replication, protection)
	read, errs := connect.Read(func(variable string) string {
		i := slices.IndexFunc(all, func(a argument) bool { return a.variable == variable })
		switch {
		case i < 0:
			return "" // the argument is unknown
		case all[i].value == nil || all[i].value.IsNull():
			return env(variable)
		}
		return envText(all[i].value)
	})
	addInvalidVariables(errs, all, diags)
	checkPasswordTargets(all, env, diags)
	s := connection.Settings{
		Settings:           read,
		Ignored:            ignored.Categories{ignored.Always},
		Unknown:            unknownNames(slices.Concat(vcenter, shared)),
		Missing:            missingNames(read.Missing(), vcenter),
		ReplicationUnknown: unknownNames(slices.Concat(shared, replication)),
		ReplicationMissing: missingNames(read.Replication.Missing(), replication),
	}
	if m.Replication.IsUnknown() {
		s.ReplicationUnknown = []string{"replication"}
	}
	checkRemotePassword(s, diags)
	s.ProtectionUnknown = unknownNames(slices.Concat(vcenter, shared, protection))
	s.ProtectionMissing = missingNames(read.ProtectionMissing(), slices.Concat(vcenter, protection))
	if m.DataProtection.IsUnknown() {
		s.ProtectionUnknown = []string{"data_protection"}
	}
	if m.RequestsPerSecond.IsUnknown() {
		s.Unknown = append(s.Unknown, "requests_per_second")
	}
	s.RequestsPerSecond = float64(m.RequestsPerSecond.ValueInt64())
	m.setIgnored(&s)
	return s
}

// checkRemotePassword adds an error for a remote user without a password, whose login would count as a failure.
func checkRemotePassword(s connection.Settings, diags *diag.Diagnostics) {
	isIncomplete := s.Replication.RemoteUser != "" && s.Replication.RemotePassword == ""
	if len(s.ReplicationUnknown) == 0 && isIncomplete {
		diags.AddAttributeError(path.Root("replication").AtName("remote_password"), "Remote Password Is Empty",
			"replication.remote_user is set, but not its password. Set replication.remote_password or "+
				connect.ReplicationRemotePassword+", or remove the user if all pairings connect a vCenter to itself.")
	}
}

func (m configModel) replication() []argument {
	if m.Replication.IsUnknown() {
		return nil
	}
	return blockArguments("replication", m.Replication, [][2]string{
		{connect.ReplicationServer, "server"},
		{connect.ReplicationUser, "user"},
		{connect.ReplicationPassword, "password"},
		{connect.ReplicationRemoteUser, "remote_user"},
		{connect.ReplicationRemotePassword, "remote_password"},
		{connect.ReplicationRequests, "requests_per_minute"},
	})
}

func (m configModel) dataProtection() []argument {
	if m.DataProtection.IsUnknown() {
		return nil
	}
	return blockArguments("data_protection", m.DataProtection, [][2]string{
		{connect.ProtectionServer, "server"},
		{connect.ProtectionUser, "user"},
		{connect.ProtectionPassword, "password"},
	})
}

func blockArguments(name string, object types.Object, names [][2]string) []argument {
	all := make([]argument, 0, len(names))
	for _, a := range names {
		all = append(all, argument{a[0], path.Root(name).AtName(a[1]), object.Attributes()[a[1]]})
	}
	return all
}

func (m configModel) setIgnored(s *connection.Settings) {
	const name = "ignore_tag_categories"
	if m.IgnoreTagCategories.IsUnknown() {
		s.Unknown = append(s.Unknown, name)
	}
	for _, e := range m.IgnoreTagCategories.Elements() {
		if e.IsUnknown() {
			s.Unknown = append(s.Unknown, name)
			continue
		}
		if v, ok := e.(types.String); ok {
			s.Ignored = append(s.Ignored, v.ValueString())
		}
	}
}

// envText formats a value as it would appear in an environment variable. It returns "" for an unknown value.
func envText(value attr.Value) string {
	switch v := value.(type) {
	case types.String:
		return v.ValueString()
	case types.Bool:
		if !v.IsUnknown() {
			return strconv.FormatBool(v.ValueBool())
		}
	case types.Int64:
		if !v.IsUnknown() {
			return strconv.FormatInt(v.ValueInt64(), 10)
		}
	}
	return ""
}

func unknownNames(arguments []argument) []string {
	var names []string
	for _, a := range arguments {
		if a.value != nil && a.value.IsUnknown() {
			names = append(names, a.path.String())
		}
	}
	return names
}

// missingNames returns the names of the arguments for the missing variables. It leaves out unknown arguments.
func missingNames(variables []string, arguments []argument) []string {
	var names []string
	for _, a := range arguments {
		if slices.Contains(variables, a.variable) && (a.value == nil || !a.value.IsUnknown()) {
			names = append(names, a.path.String()+" ("+a.variable+")")
		}
	}
	return names
}

// addInvalidVariables adds a diagnostic for each invalid environment variable. Arguments are validated separately.
func addInvalidVariables(errs []error, arguments []argument, diags *diag.Diagnostics) {
	for _, err := range errs {
		for _, a := range arguments {
			if invalid, ok := errors.AsType[*connect.InvalidError](err); ok && invalid.Variable == a.variable {
				diags.AddAttributeError(a.path, "Invalid Environment Variable",
					err.Error()+". Correct it, or set "+a.path.String()+", which takes precedence.")
			}
		}
	}
}
