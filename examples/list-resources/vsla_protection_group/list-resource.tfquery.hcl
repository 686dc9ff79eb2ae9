# terraform query -generate-config-out=groups.tf
list "vsla_protection_group" "all" {
  provider = vsla
  limit    = 1000

  config {
    cluster_id = "domain-c9"
  }
}
