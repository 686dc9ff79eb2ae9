package explain

import (
	"errors"
	"strings"

	"terraform-provider-vsla/internal/snapservice"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vr"
	"terraform-provider-vsla/internal/vsphere"
)

// servers contains the names of the servers, their settings, and the kinds of errors that mean that there is no
// connection.
var servers = []struct {
	name, setting                         string
	unknownHost, certificate, unavailable error
}{
	{
		"vCenter",
		"vsphere_server (or VSPHERE_SERVER)",
		vsphere.ErrUnknownHost,
		vsphere.ErrCertificate,
		vsphere.ErrUnavailable,
	},
	{
		"the replication server",
		"server in the provider's replication argument (or VSLA_REPLICATION_SERVER)",
		vr.ErrUnknownHost,
		vr.ErrCertificate,
		vr.ErrUnavailable,
	},
	{
		"the vSAN Data Protection appliance",
		"server in the provider's data_protection argument (or VSLA_DATA_PROTECTION_SERVER)",
		snapservice.ErrUnknownHost,
		snapservice.ErrCertificate,
		snapservice.ErrUnavailable,
	},
}

func connectionAdvice(err error) string {
	for _, s := range servers {
		if errors.Is(err, snapservice.ErrVCenter) {
			s.name = servers[0].name
			s.setting = servers[0].setting
		}
		switch {
		case errors.Is(err, s.unknownHost):
			return "The name of " + s.name + " cannot be resolved. Check " + s.setting + " and the DNS of the " +
				"machine that runs Terraform."
		case errors.Is(err, s.unavailable) && transport.IsRefused(err):
			return "Nothing listens at the address of " + s.name + ", which refuses the connection. Check the host " +
				"and the port in " + s.setting + ", and that the server is running."
		case errors.Is(err, s.certificate):
			return certificateAdvice(s.name, s.setting, err)
		}
	}
	return ""
}

func certificateAdvice(name, setting string, err error) string {
	names, isWrongName := transport.NamesInCertificate(err)
	switch {
	case transport.IsExpired(err):
		return "The certificate of " + name + " has expired or is not yet valid. Renew it on the server, and check " +
			"the clock of the machine that runs Terraform."
	case isWrongName && len(names) > 0:
		return "The certificate of " + name + " does not contain the name in " + setting + ". Use a name that it " +
			"contains: " +
			strings.Join(names, ", ") + "."
	case isWrongName:
		return "The certificate of " + name + " does not contain the name in " + setting + ", nor any other. Replace " +
			"it on the server."
	default:
		return "The certificate of " + name + " is not trusted, because its authority is unknown. Set ca_file (or " +
			"VSLA_CA_FILE) to a PEM file with the certificate of this authority. vCenter offers its own at " +
			"https://VCENTER/certs/download.zip. For tests only, allow_unverified_ssl disables the check."
	}
}
