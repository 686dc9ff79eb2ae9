package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/connect"
)

// TestConfine verifies that a password from the environment is sent only to the server set in the environment, and only
// with the certificate verification set there.
func TestConfine(t *testing.T) {
	t.Parallel()
	vcenter := map[string]string{connect.Server: "VC.corp.example", connect.Password: "p"}
	other := types.StringValue("vc.evil.example")
	evilReplication := replicationTypes.given(map[string]attr.Value{"server": types.StringValue("evil")})
	ownReplication := replicationTypes.given(map[string]attr.Value{
		"server":   types.StringValue("other"),
		"password": types.StringValue("q"),
	})
	evilProtection := protectionTypes.given(map[string]attr.Value{"server": types.StringValue("evil")})
	ownProtection := protectionTypes.given(map[string]attr.Value{
		"server":   types.StringValue("snap"),
		"password": types.StringValue("q"),
	})
	for name, test := range map[string]struct {
		env    map[string]string
		config configModel
		want   []string
	}{
		"the same server, in other words": {
			env:    vcenter,
			config: configModel{Server: types.StringValue("https://vc.corp.example:443/sdk")},
		},
		"another vCenter": {
			env:    vcenter,
			config: configModel{Server: other},
			want:   []string{"vsphere_server"},
		},
		"another port": {
			env:    vcenter,
			config: configModel{Server: types.StringValue("vc.corp.example:8443")},
			want:   []string{"vsphere_server"},
		},
		"no server in environment": {
			env:    map[string]string{connect.Password: "p"},
			config: configModel{Server: other},
			want:   []string{"vsphere_server"},
		},
		"its own password as well": {
			env:    vcenter,
			config: configModel{Server: other, Password: types.StringValue("q")},
		},
		"a server that is unknown": {
			env:    vcenter,
			config: configModel{Server: types.StringUnknown()},
		},
		"no password anywhere": {
			env:    map[string]string{connect.Server: "a"},
			config: configModel{Server: other},
		},
		"unverified": {
			env:    vcenter,
			config: configModel{AllowUnverifiedSSL: types.BoolValue(true)},
			want:   []string{"allow_unverified_ssl"},
		},
		"unverified in environment": {
			env: map[string]string{
				connect.Server:   "VC.corp.example",
				connect.Password: "p",
				connect.Insecure: "1",
			},
			config: configModel{AllowUnverifiedSSL: types.BoolValue(true)},
		},
		"verified": {
			env:    vcenter,
			config: configModel{AllowUnverifiedSSL: types.BoolValue(false)},
		},
		"an authority": {
			env:    vcenter,
			config: configModel{CAFile: types.StringValue("ca.pem")},
		},
		"another authority": {
			env: map[string]string{
				connect.Server:   "VC.corp.example",
				connect.Password: "p",
				connect.CAFile:   "/corp.pem",
			},
			config: configModel{CAFile: types.StringValue("ca.pem")},
			want:   []string{"ca_file"},
		},
		"another replication appliance": {
			env:    map[string]string{connect.ReplicationServer: "vr", connect.ReplicationPassword: "p"},
			config: configModel{Replication: evilReplication},
			want:   []string{"replication.server"},
		},
		"the password of the remote site": {
			env:    map[string]string{connect.ReplicationServer: "vr", connect.ReplicationRemotePassword: "p"},
			config: configModel{Replication: ownReplication},
			want:   []string{"replication.server"},
		},
		"both passwords of its own": {
			env:    map[string]string{connect.ReplicationServer: "vr", connect.ReplicationPassword: "p"},
			config: configModel{Replication: ownReplication},
		},
		"an unverified replication appliance": {
			env:    map[string]string{connect.ReplicationServer: "vr", connect.ReplicationRemotePassword: "p"},
			config: configModel{AllowUnverifiedSSL: types.BoolValue(true)},
			want:   []string{"allow_unverified_ssl"},
		},
		"the token of vCenter's password": {
			env:    vcenter,
			config: configModel{DataProtection: evilProtection},
			want:   []string{"data_protection.server"},
		},
		"another appliance of vSAN Data Protection": {
			env:    map[string]string{connect.ProtectionServer: "snap", connect.ProtectionPassword: "p"},
			config: configModel{DataProtection: evilProtection},
			want:   []string{"data_protection.server"},
		},
		"another STS": {
			env: map[string]string{
				connect.Server:             "vc",
				connect.ProtectionServer:   "snap",
				connect.ProtectionPassword: "p",
			},
			config: configModel{Server: other, Password: types.StringValue("q")},
			want:   []string{"vsphere_server"},
		},
		"an appliance with its own password": {
			env:    vcenter,
			config: configModel{DataProtection: ownProtection},
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
