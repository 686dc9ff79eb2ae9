package pairing_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/provider/kit/types/attribute"
)

func is(name, at string, check knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue("data.vsla_replication_pairing."+name, tfjsonpath.New(at), check)
}

func TestAccReplicationPairing(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 1, gateway.Switches{SelfPairing: true})
	id := knownvalue.StringExact(s.PairingID())
	text := knownvalue.StringExact
	site := func(name, id string) knownvalue.Check {
		return knownvalue.ObjectExact(map[string]knownvalue.Check{
			"vcenter_id":   text(id),
			"vcenter_name": text("vc." + name + ".lab"),
			"vcenter_url":  text("https://vc." + name + ".lab:443/sdk"),
			"status":       text("OK"),
			"vrms_id":      knownvalue.StringRegexp(attribute.UUID),
			"vrms_version": text("8.8.0.0"),
		})
	}
	s.Run(t,
		resource.TestStep{
			Config: s.Provider() + `
data "vsla_replication_pairing" "sites" {}
data "vsla_replication_pairing" "by_name" {
  remote_vcenter_name = data.vsla_replication_pairing.sites.remote.vcenter_name
}
data "vsla_replication_pairing" "by_vcenter" {
  remote_vcenter_id = data.vsla_replication_pairing.sites.remote.vcenter_id
}
data "vsla_replication_pairing" "itself" {
  remote_vcenter_id = data.vsla_replication_pairing.sites.local.vcenter_id
}
data "vsla_replication_pairing" "by_id" {
  id = data.vsla_replication_pairing.itself.id
}
`,
			ConfigStateChecks: []statecheck.StateCheck{
				is("sites", "id", id),
				is("sites", "local", site("protected", s.LocalVCenterID())),
				is("sites", "remote", site("recovery", s.RemoteVCenterID())),
				is("sites", "remote_vcenter_id", text(s.RemoteVCenterID())),
				is("sites", "remote_vcenter_name", text("vc.recovery.lab")),
				is("sites", "single_vcenter", knownvalue.Bool(false)),
				is("sites", "min_rpo_minutes", knownvalue.Null()),
				is("sites", "max_rpo_minutes", knownvalue.Null()),
				is("by_name", "id", id),
				is("by_vcenter", "id", id),
				is("by_id", "single_vcenter", knownvalue.Bool(true)),
			},
		},
		acctest.FailingStep(s.Provider()+`data "vsla_replication_pairing" "x" { remote_vcenter_name = "elsewhere" }`,
			`no pairing with "elsewhere"; existing pairings:`),
	)
}

func TestAccReplicationPairing_rpoLimits(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 1, gateway.Switches{Enhanced: true, Latest: gateway.Latest{Capabilities: true}})
	s.Run(t, resource.TestStep{
		Config: s.Provider() + `data "vsla_replication_pairing" "sites" {}`,
		ConfigStateChecks: []statecheck.StateCheck{
			is("sites", "min_rpo_minutes", knownvalue.Int64Exact(1)),
			is("sites", "max_rpo_minutes", knownvalue.Int64Exact(1440)),
		},
	})
}
