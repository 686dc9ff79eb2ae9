data "vsla_replication_pairing" "sites" {}

# The appliance's last measurement of the link between all mapped clusters.
data "vsla_replication_link" "metro" {
  pairing_id = data.vsla_replication_pairing.sites.id
}

output "link" {
  value = data.vsla_replication_link.metro.summary
}
