package provider

import (
	"maps"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/connect"
)

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

// TestConfine verifies that a password from the environment is sent only to the server in the environment, with its
// verification settings.
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
		"another vCenter":           {vcenter, configModel{Server: other}, []string{"vsphere_server"}},
		"another port":              {vcenter, configModel{Server: types.StringValue("vc.corp.example:8443")}, []string{"vsphere_server"}},
		"no server in environment":  {map[string]string{connect.Password: "p"}, configModel{Server: other}, []string{"vsphere_server"}},
		"its own password as well":  {vcenter, configModel{Server: other, Password: types.StringValue("q")}, nil},
		"a server that is unknown":  {vcenter, configModel{Server: types.StringUnknown()}, nil},
		"no password anywhere":      {with(nil, connect.Server, "a"), configModel{Server: other}, nil},
		"unverified":                {vcenter, configModel{AllowUnverifiedSSL: types.BoolValue(true)}, []string{"allow_unverified_ssl"}},
		"unverified in environment": {with(vcenter, connect.Insecure, "1"), configModel{AllowUnverifiedSSL: types.BoolValue(true)}, nil},
		"verified":                  {vcenter, configModel{AllowUnverifiedSSL: types.BoolValue(false)}, nil},
		"an authority":              {vcenter, configModel{CAFile: types.StringValue("ca.pem")}, nil},
		"another authority": {
			with(vcenter, connect.CAFile, "/corp.pem"), configModel{CAFile: types.StringValue("ca.pem")}, []string{"ca_file"},
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
			vcenter, configModel{DataProtection: ofProtection(map[string]string{"server": "snap", "password": "q"})}, nil,
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
