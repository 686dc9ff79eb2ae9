# The only pairing of the appliance. If there are several, set id, remote_vcenter_id or remote_vcenter_name.
data "vsla_replication_pairing" "sites" {}

output "sites_are_well" {
  value = alltrue([for site in ["local", "remote"] : data.vsla_replication_pairing.sites[site].status == "OK"])
}
