// The provider's configuration: argument first, then the environment. Pure, so that every precedence is a row of a
// table.

package provider

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/ignored"
	"terraform-provider-vsla/internal/vr"
)

// The environment variables. The first four are the vsphere provider's own, so that one set serves both.
const (
	envServer   = "VSPHERE_SERVER"
	envUser     = "VSPHERE_USER"
	envPassword = "VSPHERE_PASSWORD"
	envInsecure = "VSPHERE_ALLOW_UNVERIFIED_SSL"
	envCAFile   = "VSLA_CA_FILE"
	envTimeout  = "VSLA_API_TIMEOUT_SECONDS"

	envReplicationServer         = "VSLA_REPLICATION_SERVER"
	envReplicationUser           = "VSLA_REPLICATION_USER"
	envReplicationPassword       = "VSLA_REPLICATION_PASSWORD" //nolint:gosec // the variable's name
	envReplicationRemoteUser     = "VSLA_REPLICATION_REMOTE_USER"
	envReplicationRemotePassword = "VSLA_REPLICATION_REMOTE_PASSWORD" //nolint:gosec // the variable's name

	envReplicationRequests = "VSLA_REPLICATION_REQUESTS_PER_MINUTE"
)

const (
	maxTimeoutSeconds    = 86_400
	maxRequestsPerMinute = 10_000
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
	s.Server = text("vsphere_server", envServer, m.Server, true)
	s.User = text("user", envUser, m.User, true)
	s.Password = text("password", envPassword, m.Password, true)
	s.CAFile = text("ca_file", envCAFile, m.CAFile, false)

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
	s.Server = text("server", envReplicationServer, true)
	s.User = text("user", envReplicationUser, true)
	s.Password = text("password", envReplicationPassword, true)
	s.RemoteUser = text("remote_user", envReplicationRemoteUser, false)
	s.RemotePassword = text("remote_password", envReplicationRemotePassword, false)
	requests, _ := given["requests_per_minute"].(types.Int64)
	requestsPerMinute(requests, env, &s, diags)
	return s
}

// requestsPerMinute reads the pace from the argument, or else from the environment.
func requestsPerMinute(
	v types.Int64, env func(string) string, s *connection.ReplicationSettings, diags *diag.Diagnostics,
) {
	raw := strings.TrimSpace(env(envReplicationRequests))
	switch {
	case v.IsUnknown():
		s.Unknown = append(s.Unknown, "replication.requests_per_minute")
	case !v.IsNull():
		s.RequestsPerMinute = int(v.ValueInt64())
	case raw != "":
		n, err := strconv.Atoi(raw)
		if err != nil || n < 0 || n > maxRequestsPerMinute {
			diags.AddAttributeError(
				path.Root("replication").AtName("requests_per_minute"),
				"Invalid Environment Variable",
				envReplicationRequests+" must be a whole number of requests from 0 to 10,000. Correct it, or set "+
					"requests_per_minute, which takes precedence.",
			)
			return
		}
		s.RequestsPerMinute = n
	}
}

func (m configModel) insecure(env func(string) string, diags *diag.Diagnostics) bool {
	raw := strings.TrimSpace(env(envInsecure))
	if !m.AllowUnverifiedSSL.IsNull() || raw == "" {
		return m.AllowUnverifiedSSL.ValueBool()
	}
	insecure, err := strconv.ParseBool(raw)
	if err != nil {
		diags.AddAttributeError(
			path.Root("allow_unverified_ssl"),
			"Invalid Environment Variable",
			envInsecure+" must be true or false (or 1 or 0), and it is something else. Correct it, or set "+
				"allow_unverified_ssl, which goes before it.",
		)
	}
	return insecure
}

func (m configModel) timeout(env func(string) string, diags *diag.Diagnostics) time.Duration {
	if !m.APITimeoutSeconds.IsNull() {
		return time.Duration(m.APITimeoutSeconds.ValueInt64()) * time.Second
	}
	raw := strings.TrimSpace(env(envTimeout))
	if raw == "" {
		return 0
	}
	seconds, err := strconv.ParseInt(raw, 10, 64)
	if err != nil || seconds < 1 || seconds > maxTimeoutSeconds {
		diags.AddAttributeError(
			path.Root("api_timeout_seconds"),
			"Invalid Environment Variable",
			envTimeout+" must be a whole number of seconds from 1 to 86,400. Correct it, or set api_timeout_seconds, which "+
				"goes before it.",
		)
		return 0
	}
	return time.Duration(seconds) * time.Second
}
