package provider

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/connect"
	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/ignored"
)

// full is every environment variable at once.
var full = map[string]string{
	connect.Server: "env-server", connect.User: "env-user", connect.Password: "env-password",
	connect.Insecure: "true", connect.CAFile: "/env/ca.pem", connect.Timeout: "7",
}

func TestSettings_precedence(t *testing.T) {
	t.Parallel()
	arguments := configModel{
		Server:   types.StringValue("server"),
		User:     types.StringValue("user"),
		Password: types.StringValue("password"),
		AllowUnverifiedSSL: types.BoolValue(
			false,
		),
		CAFile:              types.StringValue("/ca.pem"),
		APITimeoutSeconds:   types.Int64Value(9),
		IgnoreTagCategories: types.ListValueMust(types.StringType, []attr.Value{types.StringValue("backup-*")}),
	}
	for name, test := range map[string]struct {
		config  configModel
		env     map[string]string
		want    connection.Settings
		ignored []string
	}{
		"nothing at all": {
			want: connection.Settings{
				Missing: []string{"vsphere_server (VSPHERE_SERVER)", "user (VSPHERE_USER)", "password (VSPHERE_PASSWORD)"},
			},
		},
		"environment": {
			env: full,
			want: connection.Settings{
				Server:   "env-server",
				User:     "env-user",
				Password: "env-password",
				Insecure: true,
				CAFile:   "/env/ca.pem",
				Timeout:  7 * time.Second,
			},
		},
		"arguments go before the environment": {
			config: arguments,
			env:    full,
			want: connection.Settings{
				Server:   "server",
				User:     "user",
				Password: "password",
				CAFile:   "/ca.pem",
				Timeout:  9 * time.Second,
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
			want: connection.Settings{
				User: "env-user", Password: "env-password", Insecure: true, CAFile: "/env/ca.pem",
				Unknown: []string{"vsphere_server", "api_timeout_seconds", "ignore_tag_categories"},
			},
		},
		"an empty argument is missing, whatever the environment has": {
			config: configModel{Password: types.StringValue("")},
			env:    full,
			want: connection.Settings{
				Server:   "env-server",
				User:     "env-user",
				Insecure: true,
				CAFile:   "/env/ca.pem",
				Timeout:  7 * time.Second,
				Missing:  []string{"password (VSPHERE_PASSWORD)"},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var diags diag.Diagnostics
			got := test.config.settings(func(name string) string { return test.env[name] }, &diags)
			if diags.HasError() {
				t.Fatal(diags)
			}
			if got.Server != test.want.Server || got.User != test.want.User || got.Password != test.want.Password ||
				got.Insecure != test.want.Insecure || got.CAFile != test.want.CAFile || got.Timeout != test.want.Timeout {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
			if !slices.Equal(got.Missing, test.want.Missing) || !slices.Equal(got.Unknown, test.want.Unknown) {
				t.Errorf(
					"missing %q and unknown %q, want %q and %q",
					got.Missing,
					got.Unknown,
					test.want.Missing,
					test.want.Unknown,
				)
			}
			if want := append([]string{ignored.Always}, test.ignored...); !slices.Equal(got.Ignored, want) {
				t.Errorf("ignored %q, want %q", got.Ignored, want)
			}
		})
	}
}

func TestSettings_badEnvironment(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, value string }{
		{connect.Insecure, "perhaps"}, {connect.Timeout, "0"}, {connect.Timeout, "soon"}, {connect.Timeout, "86401"},
	} {
		t.Run(test.name+"="+test.value, func(t *testing.T) {
			t.Parallel()
			var diags diag.Diagnostics
			configModel{}.settings(func(name string) string {
				if name == test.name {
					return test.value
				}
				return ""
			}, &diags)
			if diags.ErrorsCount() != 1 || !strings.Contains(diags[0].Detail(), test.name) {
				t.Errorf("want one error that names %s, got %v", test.name, diags)
			}
		})
	}
}

// TestSettings_replication: the nested argument follows the same rules as the others.
func TestSettings_replication(t *testing.T) {
	t.Parallel()
	kinds := map[string]attr.Type{
		"server": types.StringType, "user": types.StringType, "password": types.StringType,
		"remote_user": types.StringType, "remote_password": types.StringType, "requests_per_minute": types.Int64Type,
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
	for name, test := range map[string]struct {
		config configModel
		env    map[string]string
		want   connection.ReplicationSettings
	}{
		"nothing at all": {want: connection.ReplicationSettings{
			RequestsPerMinute: 45,
			Missing: []string{
				"replication.server (VSLA_REPLICATION_SERVER)",
				"replication.user (VSLA_REPLICATION_USER)",
				"replication.password (VSLA_REPLICATION_PASSWORD)",
			},
		}},
		"environment": {env: env, want: connection.ReplicationSettings{
			Server: "env-server", User: "env-user", Password: "env-password", RemoteUser: "env-remote",
			RemotePassword: "env-secret", RequestsPerMinute: 45,
		}},
		"arguments go before the environment": {
			config: configModel{
				Replication: given(map[string]attr.Value{
					"server":              types.StringValue("server"),
					"remote_user":         types.StringValue("remote"),
					"requests_per_minute": types.Int64Value(0),
				}),
			},
			env: env,
			want: connection.ReplicationSettings{
				Server:         "server",
				User:           "env-user",
				Password:       "env-password",
				RemoteUser:     "remote",
				RemotePassword: "env-secret",
			},
		},
		"the whole is unknown": {config: configModel{Replication: types.ObjectUnknown(kinds)}, env: env, want: connection.ReplicationSettings{RequestsPerMinute: 45, Unknown: []string{"replication"}}},
		"parts are unknown, and what concerns both": {
			config: configModel{
				CAFile:      types.StringUnknown(),
				Replication: given(map[string]attr.Value{"password": types.StringUnknown()}),
			},
			env: env,
			want: connection.ReplicationSettings{
				Server: "env-server", User: "env-user", RemoteUser: "env-remote", RemotePassword: "env-secret",
				RequestsPerMinute: 45,
				Unknown:           []string{"ca_file", "replication.password"},
			},
		},
		"a limit in the environment": {
			env: map[string]string{
				connect.ReplicationServer:   "s",
				connect.ReplicationUser:     "u",
				connect.ReplicationPassword: "p",
				connect.ReplicationRequests: " 600 ",
			},
			want: connection.ReplicationSettings{Server: "s", User: "u", Password: "p", RequestsPerMinute: 600},
		},
		"a limit of the argument": {
			config: configModel{Replication: given(map[string]attr.Value{"requests_per_minute": types.Int64Value(0)})},
			env: map[string]string{
				connect.ReplicationServer:   "s",
				connect.ReplicationUser:     "u",
				connect.ReplicationPassword: "p",
				connect.ReplicationRequests: "600",
			},
			want: connection.ReplicationSettings{Server: "s", User: "u", Password: "p"},
		},
	} {
		var diags diag.Diagnostics
		got := test.config.replication(func(variable string) string { return test.env[variable] }, &diags)
		if !reflect.DeepEqual(got, test.want) || diags.HasError() {
			t.Errorf("%s: %+v, want %+v; %v", name, got, test.want, diags)
		}
	}
	for _, raw := range []string{"many", "-1", "10001", "1.5"} {
		var diags diag.Diagnostics
		configModel{}.replication(func(variable string) string {
			return map[string]string{connect.ReplicationRequests: raw}[variable]
		}, &diags)
		if len(diags) != 1 || !strings.Contains(diags[0].Detail(), "VSLA_REPLICATION_REQUESTS_PER_MINUTE must be") {
			t.Errorf("%q: %v", raw, diags)
		}
	}
}
