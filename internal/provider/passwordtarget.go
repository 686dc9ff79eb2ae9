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

// passwordTargets lists the servers that receive each password or a token derived from it. vCenter's STS issues the
// token for vSAN Data Protection, and the replication appliance forwards the password for the remote site.
var passwordTargets = []struct{ password, server string }{
	{connect.Password, connect.Server},
	{connect.ProtectionPassword, connect.Server},
	{connect.ProtectionPassword, connect.ProtectionServer},
	{connect.ReplicationPassword, connect.ReplicationServer},
	{connect.ReplicationRemotePassword, connect.ReplicationServer},
}

// checkPasswordTargets adds an error for each argument that would send a password from the environment to a server
// other than the one set in the environment, or to a server whose certificate is not verified. Otherwise, planning an
// unreviewed configuration could leak the password.
func checkPasswordTargets(arguments []argument, env func(string) string, diags *diag.Diagnostics) {
	c := passwordCheck{arguments, env}
	var passwords []string
	reported := make(map[string]bool)
	for _, to := range passwordTargets {
		from := c.passwordFromEnv(to.password)
		if from == "" {
			continue
		}
		passwords = append(passwords, from)
		server := c.override(to.server)
		if server == nil || reported[to.server] || sameServer(envText(server.value), env(to.server)) {
			continue
		}
		reported[to.server] = true
		reason := "which specifies another server"
		if env(to.server) == "" {
			reason = "which is not set"
		}
		diags.AddAttributeError(server.path, "Password for Another Server", "The password from the environment ("+from+
			") is used only for the server from the environment ("+to.server+", "+reason+"), because a plan runs "+
			"before its configuration is reviewed. Remove "+server.path.String()+" and set "+to.server+", or set the "+
			"password in the configuration as well.")
	}
	if len(passwords) > 0 {
		c.checkVerified(passwords[0], diags)
	}
}

// passwordCheck compares the arguments with the environment.
type passwordCheck struct {
	arguments []argument
	env       func(string) string
}

// override returns the argument that overrides a variable. It returns nil if the argument is unset or unknown.
func (c passwordCheck) override(variable string) *argument {
	i := slices.IndexFunc(c.arguments, func(a argument) bool { return a.variable == variable })
	if i < 0 || c.arguments[i].value == nil || c.arguments[i].value.IsNull() || c.arguments[i].value.IsUnknown() {
		return nil
	}
	return &c.arguments[i]
}

// passwordFromEnv returns the variable whose value is used as the given password: the variable itself or, for vSAN Data
// Protection, the one of vCenter. It returns "" if the environment does not set the password.
func (c passwordCheck) passwordFromEnv(password string) string {
	isSet := func(variable string) bool {
		return slices.ContainsFunc(c.arguments, func(a argument) bool {
			return a.variable == variable && a.value != nil && !a.value.IsNull()
		})
	}
	if password == connect.ProtectionPassword && !isSet(password) && c.env(password) == "" {
		password = connect.Password
	}
	if isSet(password) || c.env(password) == "" {
		return ""
	}
	return password
}

// checkVerified adds an error for each argument that weakens the certificate verification set in the environment.
func (c passwordCheck) checkVerified(password string, diags *diag.Diagnostics) {
	const advice = " Remove the argument and set the environment variable, or set the passwords in the configuration."
	if a := c.override(connect.Insecure); a != nil && envText(a.value) == "true" && !isTrue(c.env(connect.Insecure)) {
		diags.AddAttributeError(
			a.path,
			"Password for an Unverified Server",
			"The password from the environment ("+password+
				") is used only for a server whose certificate is verified, unless "+connect.Insecure+" is true."+
				advice,
		)
	}
	caFile := c.env(connect.CAFile)
	if a := c.override(connect.CAFile); a != nil && caFile != "" && envText(a.value) != caFile {
		diags.AddAttributeError(
			a.path,
			"Password for Another Certificate Authority",
			"The password from the environment ("+password+
				") is used only for a server whose certificate is issued by an authority in "+connect.CAFile+
				", but ca_file specifies another file."+advice,
		)
	}
}

// isTrue reports whether a variable is true. It returns false for an invalid value, for which addInvalidVariables adds
// an error.
func isTrue(value string) bool {
	yes, err := strconv.ParseBool(strings.TrimSpace(value))
	return err == nil && yes
}

// sameServer reports whether two addresses have the same scheme, host and port.
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
