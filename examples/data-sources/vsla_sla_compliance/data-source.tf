data "vsla_replication_pairing" "sites" {}

data "vsla_tags" "sla" {
  category_name = "sla"
}

data "vsla_sla_compliance" "estate" {
  pairing_id = data.vsla_replication_pairing.sites.id
  tiers = {
    gold = {
      tag_id      = data.vsla_tags.sla.ids["gold"]
      rpo_minutes = 15
    }
  }
}

output "why" {
  value = {
    for id, vm in data.vsla_sla_compliance.estate.virtual_machines : coalesce(vm.name, id) => vm.verdict
    if !contains(["compliant", "untagged"], vm.verdict)
  }
}

# Powered-on VMs without a tier and without a replication.
output "uncovered" {
  value = data.vsla_sla_compliance.estate.uncovered
}

check "promises" {
  assert {
    condition     = data.vsla_sla_compliance.estate.compliant == true
    error_message = data.vsla_sla_compliance.estate.summary
  }
}
