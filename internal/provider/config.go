// The provider's configuration: argument first, then the environment. Pure, so that every precedence is a row of a
// table.

package provider

import (
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/connect"
	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/ignored"
	"terraform-provider-vsla/internal/vr"
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
}

// settings merges arguments and environment. Unknown arguments are noted, not refused, and so is what is missing: only
// the call that needs them fails.
func (m configModel) settings(env func(string) string, diags *diag.Diagnostics) connection.Settings {
	s := connection.Settings{Ignored: ignored.Categories{ignored.Always}, Timeout: 0}
	unknown := func(name string, v attr.Value) bool {
		if v.IsUnknown() {
			s.Unknown = append(s.Unknown, name)
		}
		return v.IsUnknown()
	}
	text := func(name, variable string, v types.String, required bool) string {
		if unknown(name, v) {
			return ""
		}
		value := v.ValueString()
		if v.IsNull() {
			value = env(variable)
		}
		if required && value == "" {
			s.Missing = append(s.Missing, name+" ("+variable+")")
		}
		return value
	}
	s.Server = text("vsphere_server", connect.Server, m.Server, true)
	s.User = text("user", connect.User, m.User, true)
	s.Password = text("password", connect.Password, m.Password, true)
	s.CAFile = text("ca_file", connect.CAFile, m.CAFile, false)

	if !unknown("allow_unverified_ssl", m.AllowUnverifiedSSL) {
		s.Insecure = m.insecure(env, diags)
	}
	if !unknown("api_timeout_seconds", m.APITimeoutSeconds) {
		s.Timeout = m.timeout(env, diags)
	}
	if !unknown("requests_per_second", m.RequestsPerSecond) {
		s.RequestsPerSecond = float64(m.RequestsPerSecond.ValueInt64())
	}
	if !unknown("ignore_tag_categories", m.IgnoreTagCategories) {
		for _, e := range m.IgnoreTagCategories.Elements() {
			if v, ok := e.(types.String); ok && !unknown("ignore_tag_categories", v) {
				s.Ignored = append(s.Ignored, v.ValueString())
			}
		}
	}
	s.Replication = m.replication(env, diags)
	return s
}

// replication merges the nested argument with its environment, by the same rules.
func (m configModel) replication(env func(string) string, diags *diag.Diagnostics) connection.ReplicationSettings {
	s := connection.ReplicationSettings{RequestsPerMinute: vr.DefaultRequestsPerMinute}
	if m.Replication.IsUnknown() {
		s.Unknown = []string{"replication"}
		return s
	}
	// These concern both connections.
	for name, v := range map[string]attr.Value{
		"ca_file":              m.CAFile,
		"allow_unverified_ssl": m.AllowUnverifiedSSL,
		"api_timeout_seconds":  m.APITimeoutSeconds,
	} {
		if v.IsUnknown() {
			s.Unknown = append(s.Unknown, name)
		}
	}
	slices.Sort(s.Unknown)
	given := m.Replication.Attributes()
	text := func(name, variable string, required bool) string {
		v, ok := given[name].(types.String)
		if ok && v.IsUnknown() {
			s.Unknown = append(s.Unknown, "replication."+name)
			return ""
		}
		value := v.ValueString()
		if !ok || v.IsNull() {
			value = env(variable)
		}
		if required && value == "" {
			s.Missing = append(s.Missing, "replication."+name+" ("+variable+")")
		}
		return value
	}
	s.Server = text("server", connect.ReplicationServer, true)
	s.User = text("user", connect.ReplicationUser, true)
	s.Password = text("password", connect.ReplicationPassword, true)
	s.RemoteUser = text("remote_user", connect.ReplicationRemoteUser, false)
	s.RemotePassword = text("remote_password", connect.ReplicationRemotePassword, false)
	requests, _ := given["requests_per_minute"].(types.Int64)
	requestsPerMinute(requests, env, &s, diags)
	return s
}

// requestsPerMinute reads the pace from the argument, or else from the environment.
func requestsPerMinute(
	v types.Int64, env func(string) string, s *connection.ReplicationSettings, diags *diag.Diagnostics,
) {
	switch {
	case v.IsUnknown():
		s.Unknown = append(s.Unknown, "replication.requests_per_minute")
	case !v.IsNull():
		s.RequestsPerMinute = int(v.ValueInt64())
	default:
		n, err := connect.ParseRequests(env(connect.ReplicationRequests), s.RequestsPerMinute)
		if err != nil {
			diags.AddAttributeError(
				path.Root("replication").AtName("requests_per_minute"),
				"Invalid Environment Variable",
				err.Error()+". Correct it, or set requests_per_minute, which takes precedence.",
			)
			return
		}
		s.RequestsPerMinute = n
	}
}

func (m configModel) insecure(env func(string) string, diags *diag.Diagnostics) bool {
	if !m.AllowUnverifiedSSL.IsNull() {
		return m.AllowUnverifiedSSL.ValueBool()
	}
	insecure, err := connect.ParseInsecure(env(connect.Insecure))
	if err != nil {
		diags.AddAttributeError(
			path.Root("allow_unverified_ssl"),
			"Invalid Environment Variable",
			err.Error()+". Correct it, or set allow_unverified_ssl, which takes precedence.",
		)
	}
	return insecure
}

func (m configModel) timeout(env func(string) string, diags *diag.Diagnostics) time.Duration {
	if !m.APITimeoutSeconds.IsNull() {
		return time.Duration(m.APITimeoutSeconds.ValueInt64()) * time.Second
	}
	limit, err := connect.ParseTimeout(env(connect.Timeout))
	if err != nil {
		diags.AddAttributeError(
			path.Root("api_timeout_seconds"),
			"Invalid Environment Variable",
			err.Error()+". Correct it, or set api_timeout_seconds, which takes precedence.",
		)
	}
	return limit
}
