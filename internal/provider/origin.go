package provider

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-vsla/internal/connect"
	"terraform-provider-vsla/internal/transport"
)

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

// inherited returns the variable that provides a password, or "" if there is none or an argument overrides it.
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

// verified adds an error if arguments weaken the verification of servers.
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

// truth reports whether a variable is true. Invalid values are reported elsewhere.
func truth(value string) bool {
	yes, err := strconv.ParseBool(strings.TrimSpace(value))
	return err == nil && yes
}

// sameServer reports whether two addresses have the same scheme, host and port.
func sameServer(a, b string) bool {
	first, errA := transport.Address("server", a, "")
	second, errB := transport.Address("server", b, "")
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
