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
		config           configModel
		env              map[string]string
		want             connect.Settings
		unknown, missing []string
		ignored          []string
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
			env:     full,
			want:    changed(func(s *connect.Settings) { s.Server, s.Timeout = "", 0 }),
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
		test.want.Protection.User, test.want.Protection.Password = test.want.User, test.want.Password
		require.Equal(t, test.want, got.Settings, name)
		assert.False(t, diags.HasError(), "%s: got %+v and %v, want %+v and no error", name, got.Settings, diags,
			test.want)
		require.Equal(t, test.missing, got.Missing, name)
		assert.Equal(t, test.unknown, got.Unknown, name)
		assert.Equal(t, append(ignored.Categories{ignored.Always}, test.ignored...), got.Ignored, name)
	}
}

func TestSettings_badEnvironment(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ variable, value, want string }{
		{connect.Insecure, "perhaps", "allow_unverified_ssl"},
		{connect.Timeout, "0", "api_timeout_seconds"},
		{connect.Timeout, "soon", "api_timeout_seconds"},
		{connect.Timeout, "86401", "api_timeout_seconds"},
		{connect.ReplicationRequests, "many", "replication.requests_per_minute"},
		{connect.ReplicationRequests, "-1", "replication.requests_per_minute"},
		{connect.ReplicationRequests, "10001", "replication.requests_per_minute"},
		{connect.ReplicationRequests, "1.5", "replication.requests_per_minute"},
	} {
		var diags diag.Diagnostics
		configModel{}.settings(func(name string) string {
			return map[string]string{test.variable: test.value}[name]
		}, &diags)
		at, ok := diag.DiagnosticWithPath(nil), false
		if len(diags) == 1 {
			at, ok = diags[0].(diag.DiagnosticWithPath)
		}
		require.True(t, ok, "%s=%s: got %v, want one error at %s", test.variable, test.value, diags, test.want)
		assert.Equal(t, test.want, at.Path().String(), "%s=%s", test.variable, test.value)
		assert.True(t, strings.HasPrefix(at.Detail(), test.variable+" must be "),
			"%s=%s: got %v, want one error at %s", test.variable, test.value, diags, test.want)
	}
}

func TestSettings_replication(t *testing.T) {
	t.Parallel()
	kinds := map[string]attr.Type{
		"server":              types.StringType,
		"user":                types.StringType,
		"password":            types.StringType,
		"remote_user":         types.StringType,
		"remote_password":     types.StringType,
		"requests_per_minute": types.Int64Type,
	}
	given := func(values map[string]attr.Value) types.Object {
		all := map[string]attr.Value{"requests_per_minute": types.Int64Null()}
		for name := range kinds {
			if name != "requests_per_minute" {
				all[name] = types.StringNull()
			}
		}
		maps.Copy(all, values)
		return types.ObjectValueMust(kinds, all)
	}
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
		config           configModel
		env              map[string]string
		want             connect.Replication
		unknown, missing []string
	}{
		"nothing at all": {
			want: connect.Replication{RequestsPerMinute: 45},
			missing: []string{
				"replication.server (VSLA_REPLICATION_SERVER)", "replication.user (VSLA_REPLICATION_USER)",
				"replication.password (VSLA_REPLICATION_PASSWORD)",
			},
		},
		"environment": {env: env, want: fromEnvironment},
		"arguments go before the environment": {
			config: configModel{Replication: given(map[string]attr.Value{
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
			config:  configModel{Replication: types.ObjectUnknown(kinds)},
			env:     env,
			want:    connect.Replication{RequestsPerMinute: 45},
			unknown: []string{"replication"},
		},
		"parts are unknown, and what concerns both": {
			config: configModel{
				CAFile:      types.StringUnknown(),
				Replication: given(map[string]attr.Value{"password": types.StringUnknown()}),
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
			config: configModel{Replication: given(map[string]attr.Value{"requests_per_minute": types.Int64Value(0)})},
			env:    required,
			want:   connect.Replication{Server: "s", User: "u", Password: "p"},
		},
	} {
		var diags diag.Diagnostics
		got := test.config.settings(func(variable string) string { return test.env[variable] }, &diags)
		require.Equal(t, test.want, got.Replication, name)
		assert.False(t, diags.HasError(),
			"%s: got %+v and %v, want %+v and no error", name, got.Replication, diags, test.want)
		require.Equal(t, test.missing, got.ReplicationMissing, name)
		assert.Equal(t, test.unknown, got.ReplicationUnknown, name)
	}
}

func object(values map[string]string, names ...string) types.Object {
	kinds, all := make(map[string]attr.Type), make(map[string]attr.Value)
	for _, name := range names {
		kinds[name], all[name] = types.StringType, types.StringNull()
		if value, given := values[name]; given {
			all[name] = types.StringValue(value)
		}
	}
	return types.ObjectValueMust(kinds, all)
}

func ofReplication(values map[string]string) types.Object {
	return object(values, "server", "user", "password", "remote_user", "remote_password", "requests_per_minute")
}

func ofProtection(values map[string]string) types.Object {
	return object(values, "server", "user", "password")
}

// TestConfine verifies that a password from the environment is sent only to the server set in the environment, and only
// with the certificate verification set there.
func TestConfine(t *testing.T) {
	t.Parallel()
	var (
		vcenter = map[string]string{connect.Server: "VC.corp.example", connect.Password: "p"}
		other   = types.StringValue("vc.evil.example")
	)
	with := func(base map[string]string, more ...string) map[string]string {
		all := make(map[string]string)
		maps.Copy(all, base)
		for i := 0; i < len(more); i += 2 {
			all[more[i]] = more[i+1]
		}
		return all
	}
	for name, test := range map[string]struct {
		env    map[string]string
		config configModel
		want   []string
	}{
		"the same server, in other words": {
			vcenter, configModel{Server: types.StringValue("https://vc.corp.example:443/sdk")}, nil,
		},
		"another vCenter": {
			vcenter,
			configModel{Server: other},
			[]string{"vsphere_server"},
		},
		"another port": {
			vcenter,
			configModel{Server: types.StringValue("vc.corp.example:8443")},
			[]string{"vsphere_server"},
		},
		"no server in environment": {
			map[string]string{connect.Password: "p"},
			configModel{Server: other},
			[]string{"vsphere_server"},
		},
		"its own password as well": {vcenter, configModel{Server: other, Password: types.StringValue("q")}, nil},
		"a server that is unknown": {vcenter, configModel{Server: types.StringUnknown()}, nil},
		"no password anywhere":     {with(nil, connect.Server, "a"), configModel{Server: other}, nil},
		"unverified": {
			vcenter,
			configModel{AllowUnverifiedSSL: types.BoolValue(true)},
			[]string{"allow_unverified_ssl"},
		},
		"unverified in environment": {
			with(vcenter, connect.Insecure, "1"),
			configModel{AllowUnverifiedSSL: types.BoolValue(true)},
			nil,
		},
		"verified":     {vcenter, configModel{AllowUnverifiedSSL: types.BoolValue(false)}, nil},
		"an authority": {vcenter, configModel{CAFile: types.StringValue("ca.pem")}, nil},
		"another authority": {
			with(vcenter, connect.CAFile, "/corp.pem"),
			configModel{CAFile: types.StringValue("ca.pem")},
			[]string{"ca_file"},
		},
		"another replication appliance": {
			map[string]string{connect.ReplicationServer: "vr", connect.ReplicationPassword: "p"},
			configModel{Replication: ofReplication(map[string]string{"server": "evil"})},
			[]string{"replication.server"},
		},
		"the password of the remote site": {
			map[string]string{connect.ReplicationServer: "vr", connect.ReplicationRemotePassword: "p"},
			configModel{Replication: ofReplication(map[string]string{"server": "evil", "password": "q"})},
			[]string{"replication.server"},
		},
		"both passwords of its own": {
			map[string]string{connect.ReplicationServer: "vr", connect.ReplicationPassword: "p"},
			configModel{Replication: ofReplication(map[string]string{"server": "other", "password": "q"})},
			nil,
		},
		"an unverified replication appliance": {
			map[string]string{connect.ReplicationServer: "vr", connect.ReplicationRemotePassword: "p"},
			configModel{AllowUnverifiedSSL: types.BoolValue(true)},
			[]string{"allow_unverified_ssl"},
		},
		"the token of vCenter's password": {
			vcenter,
			configModel{DataProtection: ofProtection(map[string]string{"server": "evil"})},
			[]string{"data_protection.server"},
		},
		"another appliance of vSAN Data Protection": {
			map[string]string{connect.ProtectionServer: "snap", connect.ProtectionPassword: "p"},
			configModel{DataProtection: ofProtection(map[string]string{"server": "evil"})},
			[]string{"data_protection.server"},
		},
		"another STS": {
			with(nil, connect.Server, "vc", connect.ProtectionServer, "snap", connect.ProtectionPassword, "p"),
			configModel{Server: other, Password: types.StringValue("q")},
			[]string{"vsphere_server"},
		},
		"an appliance with its own password": {
			vcenter,
			configModel{DataProtection: ofProtection(map[string]string{"server": "snap", "password": "q"})},
			nil,
		},
	} {
		var diags diag.Diagnostics
		test.config.settings(func(variable string) string { return test.env[variable] }, &diags)
		var got []string
		for _, d := range diags {
			if at, ok := d.(diag.DiagnosticWithPath); ok {
				got = append(got, at.Path().String())
			}
		}
		assert.Equal(t, test.want, got, "%v, %v", name, diags)
	}
}
