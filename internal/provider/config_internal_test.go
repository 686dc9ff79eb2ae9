package provider

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/connect"
	"terraform-provider-vsla/internal/vr"
	"terraform-provider-vsla/internal/vsphere/ignored"
)

// full has a value for each variable of vCenter.
var full = map[string]string{
	connect.Server:   "env-server",
	connect.User:     "env-user",
	connect.Password: "env-password",
	connect.Insecure: "true",
	connect.CAFile:   "/env/ca.pem",
	connect.Timeout:  "7",
}

func TestSettings_precedence(t *testing.T) {
	t.Parallel()
	fromEnvironment := connect.Settings{
		Server:   "env-server",
		User:     "env-user",
		Password: "env-password",
		Insecure: true,
		CAFile:   "/env/ca.pem",
		Timeout:  7 * time.Second,
	}
	changed := func(change func(*connect.Settings)) connect.Settings {
		s := fromEnvironment
		change(&s)
		return s
	}
	for name, test := range map[string]struct {
		config  configModel
		env     map[string]string
		want    connect.Settings
		unknown []string
		missing []string
		ignored []string
	}{
		"nothing at all": {
			missing: []string{"vsphere_server (VSPHERE_SERVER)", "user (VSPHERE_USER)", "password (VSPHERE_PASSWORD)"},
		},
		"environment": {env: full, want: fromEnvironment},
		"arguments go before the environment": {
			config: configModel{
				Server:              types.StringValue("server"),
				User:                types.StringValue("user"),
				Password:            types.StringValue("password"),
				AllowUnverifiedSSL:  types.BoolValue(false),
				CAFile:              types.StringValue("/ca.pem"),
				APITimeoutSeconds:   types.Int64Value(9),
				RequestsPerSecond:   types.Int64Value(40),
				IgnoreTagCategories: types.ListValueMust(types.StringType, []attr.Value{types.StringValue("backup-*")}),
			},
			env: full,
			want: connect.Settings{
				Server:            "server",
				User:              "user",
				Password:          "password",
				CAFile:            "/ca.pem",
				Timeout:           9 * time.Second,
				RequestsPerSecond: 40,
			},
			ignored: []string{"backup-*"},
		},
		"unknown arguments are not replaced by the environment": {
			config: configModel{
				Server:              types.StringUnknown(),
				APITimeoutSeconds:   types.Int64Unknown(),
				IgnoreTagCategories: types.ListUnknown(types.StringType),
			},
			env: full,
			want: changed(func(s *connect.Settings) {
				s.Server = ""
				s.Timeout = 0
			}),
			unknown: []string{"vsphere_server", "api_timeout_seconds", "ignore_tag_categories"},
		},
		"an empty argument is missing, whatever the environment has": {
			config:  configModel{Password: types.StringValue("")},
			env:     full,
			want:    changed(func(s *connect.Settings) { s.Password = "" }),
			missing: []string{"password (VSPHERE_PASSWORD)"},
		},
	} {
		var diags diag.Diagnostics
		got := test.config.settings(func(name string) string { return test.env[name] }, &diags)
		test.want.Replication.RequestsPerMinute = vr.DefaultRequestsPerMinute
		// By default, vSAN Data Protection uses the vCenter user and password.
		test.want.Protection.User = test.want.User
		test.want.Protection.Password = test.want.Password
		require.Equal(t, test.want, got.Settings, name)
		assert.False(t, diags.HasError(), "%s: %v", name, diags)
		require.Equal(t, test.missing, got.Missing, name)
		assert.Equal(t, test.unknown, got.Unknown, name)
		assert.Equal(t, append(ignored.Categories{ignored.Always}, test.ignored...), got.Ignored, name)
	}
}

func TestSettings_badEnvironment(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		variable string
		argument string
		values   []string
	}{
		{
			variable: connect.Insecure,
			argument: "allow_unverified_ssl",
			values:   []string{"perhaps"},
		},
		{
			variable: connect.Timeout,
			argument: "api_timeout_seconds",
			values:   []string{"0", "soon", "86401"},
		},
		{
			variable: connect.ReplicationRequests,
			argument: "replication.requests_per_minute",
			values:   []string{"many", "-1", "10001", "1.5"},
		},
	} {
		for _, value := range test.values {
			env := map[string]string{test.variable: value}
			var diags diag.Diagnostics
			configModel{}.settings(func(name string) string { return env[name] }, &diags)
			got := onlyDiagnostic(t, diags)
			assert.Equal(t, test.argument, got.Path().String(), env)
			assert.True(t, strings.HasPrefix(got.Detail(), test.variable+" must be "), "%v: %v", env, got)
		}
	}
}

// onlyDiagnostic returns the only diagnostic, which must be at an attribute.
func onlyDiagnostic(t *testing.T, diags diag.Diagnostics) diag.DiagnosticWithPath {
	t.Helper()
	require.Len(t, diags, 1)
	only, ok := diags[0].(diag.DiagnosticWithPath)
	require.True(t, ok, "%v has no path", diags[0])
	return only
}

// blockTypes contains the types of the attributes of a block.
type blockTypes map[string]attr.Type

var replicationTypes = blockTypes{
	"server":              types.StringType,
	"user":                types.StringType,
	"password":            types.StringType,
	"remote_user":         types.StringType,
	"remote_password":     types.StringType,
	"requests_per_minute": types.Int64Type,
}

var protectionTypes = blockTypes{
	"server":   types.StringType,
	"user":     types.StringType,
	"password": types.StringType,
}

// given returns a block with these values. Its other attributes are null.
func (b blockTypes) given(values map[string]attr.Value) types.Object {
	all := make(map[string]attr.Value, len(b))
	for name, kind := range b {
		if kind == types.Int64Type {
			all[name] = types.Int64Null()
		} else {
			all[name] = types.StringNull()
		}
	}
	maps.Copy(all, values)
	return types.ObjectValueMust(b, all)
}

func TestSettings_replication(t *testing.T) {
	t.Parallel()
	env := map[string]string{
		connect.ReplicationServer:         "env-server",
		connect.ReplicationUser:           "env-user",
		connect.ReplicationPassword:       "env-password",
		connect.ReplicationRemoteUser:     "env-remote",
		connect.ReplicationRemotePassword: "env-secret",
	}
	fromEnvironment := connect.Replication{
		Server:            "env-server",
		User:              "env-user",
		Password:          "env-password",
		RemoteUser:        "env-remote",
		RemotePassword:    "env-secret",
		RequestsPerMinute: 45,
	}
	required := map[string]string{
		connect.ReplicationServer:   "s",
		connect.ReplicationUser:     "u",
		connect.ReplicationPassword: "p",
		connect.ReplicationRequests: " 600 ",
	}
	for name, test := range map[string]struct {
		config  configModel
		env     map[string]string
		want    connect.Replication
		unknown []string
		missing []string
	}{
		"nothing at all": {
			want: connect.Replication{RequestsPerMinute: 45},
			missing: []string{
				"replication.server (VSLA_REPLICATION_SERVER)",
				"replication.user (VSLA_REPLICATION_USER)",
				"replication.password (VSLA_REPLICATION_PASSWORD)",
			},
		},
		"environment": {env: env, want: fromEnvironment},
		"arguments go before the environment": {
			config: configModel{Replication: replicationTypes.given(map[string]attr.Value{
				"server":              types.StringValue("server"),
				"remote_user":         types.StringValue("remote"),
				"password":            types.StringValue("password"),
				"remote_password":     types.StringValue("secret"),
				"requests_per_minute": types.Int64Value(0),
			})},
			env: env,
			want: connect.Replication{
				Server:         "server",
				User:           "env-user",
				Password:       "password",
				RemoteUser:     "remote",
				RemotePassword: "secret",
			},
		},
		"the whole is unknown": {
			config:  configModel{Replication: types.ObjectUnknown(replicationTypes)},
			env:     env,
			want:    connect.Replication{RequestsPerMinute: 45},
			unknown: []string{"replication"},
		},
		"parts are unknown, and what concerns both": {
			config: configModel{
				CAFile: types.StringUnknown(),
				Replication: replicationTypes.given(map[string]attr.Value{
					"password": types.StringUnknown(),
				}),
			},
			env: env,
			want: connect.Replication{
				Server:            "env-server",
				User:              "env-user",
				RemoteUser:        "env-remote",
				RemotePassword:    "env-secret",
				RequestsPerMinute: 45,
			},
			unknown: []string{"ca_file", "replication.password"},
		},
		"a limit in the environment": {
			env:  required,
			want: connect.Replication{Server: "s", User: "u", Password: "p", RequestsPerMinute: 600},
		},
		"a limit of the argument": {
			config: configModel{Replication: replicationTypes.given(map[string]attr.Value{
				"requests_per_minute": types.Int64Value(0),
			})},
			env:  required,
			want: connect.Replication{Server: "s", User: "u", Password: "p"},
		},
	} {
		var diags diag.Diagnostics
		got := test.config.settings(func(variable string) string { return test.env[variable] }, &diags)
		require.Equal(t, test.want, got.Replication, name)
		assert.False(t, diags.HasError(), "%s: %v", name, diags)
		require.Equal(t, test.missing, got.ReplicationMissing, name)
		assert.Equal(t, test.unknown, got.ReplicationUnknown, name)
	}
}
