package provider

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/connect"
	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/transport"
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

type argument struct {
	variable string
	at       path.Path
	value    attr.Value // nil if the block is not set
}

// settings merges arguments and environment variables. It only records unknown and missing arguments, because not every
// operation needs a connection.
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
	replication, protection := m.replication(), m.dataProtection()
	all := slices.Concat(vcenter, shared, replication, protection)
	read, errs := connect.Read(func(variable string) string {
		i := slices.IndexFunc(all, func(a argument) bool { return a.variable == variable })
		switch {
		case i < 0:
			return "" // the argument is unknown
		case all[i].value == nil || all[i].value.IsNull():
			return env(variable)
		}
		return text(all[i].value)
	})
	report(errs, all, diags)
	confine(all, env, diags)
	s := connection.Settings{
		Settings: read, Ignored: ignored.Categories{ignored.Always},
		Unknown:            unknown(slices.Concat(vcenter, shared)),
		Missing:            missing(read.Missing(), vcenter),
		ReplicationUnknown: unknown(slices.Concat(shared, replication)),
		ReplicationMissing: missing(read.Replication.Missing(), replication),
	}
	if m.Replication.IsUnknown() {
		s.ReplicationUnknown = []string{"replication"}
	}
	s.ProtectionUnknown = unknown(slices.Concat(vcenter, shared, protection))
	s.ProtectionMissing = missing(read.ProtectionMissing(), slices.Concat(vcenter, protection))
	if m.DataProtection.IsUnknown() {
		s.ProtectionUnknown = []string{"data_protection"}
	}
	if m.RequestsPerSecond.IsUnknown() {
		s.Unknown = append(s.Unknown, "requests_per_second")
	}
	s.RequestsPerSecond = float64(m.RequestsPerSecond.ValueInt64())
	m.ignore(&s)
	return s
}

func (m configModel) replication() []argument {
	if m.Replication.IsUnknown() {
		return nil
	}
	return block("replication", m.Replication, [][2]string{
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
	return block("data_protection", m.DataProtection, [][2]string{
		{connect.ProtectionServer, "server"},
		{connect.ProtectionUser, "user"},
		{connect.ProtectionPassword, "password"},
	})
}

func block(name string, given types.Object, names [][2]string) []argument {
	all := make([]argument, 0, len(names))
	for _, a := range names {
		all = append(all, argument{a[0], path.Root(name).AtName(a[1]), given.Attributes()[a[1]]})
	}
	return all
}

func (m configModel) ignore(s *connection.Settings) {
	const name = "ignore_tag_categories"
	if m.IgnoreTagCategories.IsUnknown() {
		s.Unknown = append(s.Unknown, name)
	}
	for _, e := range m.IgnoreTagCategories.Elements() {
		switch v, ok := e.(types.String); {
		case e.IsUnknown():
			s.Unknown = append(s.Unknown, name)
		case ok:
			s.Ignored = append(s.Ignored, v.ValueString())
		}
	}
}

// text formats a value like an environment variable. It returns "" for an unknown value.
func text(value attr.Value) string {
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

func unknown(arguments []argument) []string {
	var names []string
	for _, a := range arguments {
		if a.value != nil && a.value.IsUnknown() {
			names = append(names, a.at.String())
		}
	}
	return names
}

func missing(variables []string, arguments []argument) []string {
	var names []string
	for _, a := range arguments {
		if slices.Contains(variables, a.variable) && (a.value == nil || !a.value.IsUnknown()) {
			names = append(names, a.at.String()+" ("+a.variable+")")
		}
	}
	return names
}

// report adds a diagnostic for each invalid environment variable. Arguments have their own validators.
func report(errs []error, arguments []argument, diags *diag.Diagnostics) {
	for _, err := range errs {
		for _, a := range arguments {
			if invalid, ok := errors.AsType[*connect.InvalidError](err); ok && invalid.Variable == a.variable {
				diags.AddAttributeError(a.at, "Invalid Environment Variable",
					err.Error()+". Correct it, or set "+a.at.String()+", which takes precedence.")
			}
		}
	}
}

// sentTo lists the servers that receive a password or a token derived from it: vCenter's STS issues the token for vSAN
// Data Protection, and the replication appliance forwards the password of the remote site.
var sentTo = []struct{ password, server string }{
	{connect.Password, connect.Server},
	{connect.ProtectionPassword, connect.Server},
	{connect.ProtectionPassword, connect.ProtectionServer},
	{connect.ReplicationPassword, connect.ReplicationServer},
	{connect.ReplicationRemotePassword, connect.ReplicationServer},
}

// confine adds an error for each argument that would send a password from the environment to a server other than the
// one in the environment, or to an unverified server. A plan runs before its configuration is reviewed.
func confine(arguments []argument, env func(string) string, diags *diag.Diagnostics) {
	c := confined{arguments, env}
	var passwords []string
	refused := make(map[string]bool)
	for _, to := range sentTo {
		from, server := c.inherited(to.password), c.given(to.server)
		if from == "" {
			continue
		}
		passwords = append(passwords, from)
		if server == nil || refused[to.server] || sameServer(text(server.value), env(to.server)) {
			continue
		}
		refused[to.server] = true
		is := "which names another server"
		if env(to.server) == "" {
			is = "which is not set"
		}
		diags.AddAttributeError(server.at, "Password for Another Server", "A password from the environment ("+from+
			") goes only to the server from the environment ("+to.server+", "+is+"), because a plan runs before its "+
			"configuration is reviewed. Leave "+server.at.String()+" out and set "+to.server+", or give the password by its "+
			"argument as well.")
	}
	if len(passwords) > 0 {
		c.verified(passwords[0], diags)
	}
}

type confined struct {
	arguments []argument
	env       func(string) string
}

// given returns the argument that overrides a variable, or nil if it is not set or unknown.
func (c confined) given(variable string) *argument {
	i := slices.IndexFunc(c.arguments, func(a argument) bool { return a.variable == variable })
	if i < 0 || c.arguments[i].value == nil || c.arguments[i].value.IsNull() || c.arguments[i].value.IsUnknown() {
		return nil
	}
	return &c.arguments[i]
}

func (c confined) inherited(password string) string {
	own := func(variable string) bool {
		return slices.ContainsFunc(c.arguments, func(a argument) bool {
			return a.variable == variable && a.value != nil && !a.value.IsNull()
		})
	}
	if password == connect.ProtectionPassword && !own(password) && c.env(password) == "" {
		password = connect.Password
	}
	if own(password) || c.env(password) == "" {
		return ""
	}
	return password
}

func (c confined) verified(password string, diags *diag.Diagnostics) {
	const advice = " Leave the argument out and set the variable, or give the passwords by their arguments."
	if a := c.given(connect.Insecure); a != nil && text(a.value) == "true" && !truth(c.env(connect.Insecure)) {
		diags.AddAttributeError(a.at, "Password for an Unverified Server", "A password from the environment ("+password+
			") goes only to a server whose certificate is verified, unless "+connect.Insecure+" is true."+advice)
	}
	if a := c.given(connect.CAFile); a != nil && c.env(connect.CAFile) != "" && text(a.value) != c.env(connect.CAFile) {
		diags.AddAttributeError(a.at, "Password for Another Authority", "A password from the environment ("+password+
			") goes only to a server that the authorities of "+connect.CAFile+" confirm; ca_file names others."+advice)
	}
}

// truth reports whether a variable is true. It ignores invalid values, because report adds an error for them.
func truth(value string) bool {
	yes, err := strconv.ParseBool(strings.TrimSpace(value))
	return err == nil && yes
}

func sameServer(a, b string) bool {
	first, errA := transport.ParseAddress("server", a, "")
	second, errB := transport.ParseAddress("server", b, "")
	if errA != nil || errB != nil {
		return a == b
	}
	return origin(first) == origin(second)
}

func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"https": "443", "http": "80"}[u.Scheme]
	}
	return u.Scheme + "://" + strings.ToLower(u.Hostname()) + ":" + port
}
