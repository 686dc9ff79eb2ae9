# terraform query -generate-config-out=replications.tf
list "vsla_replication" "all" {
  provider = vsla
  limit    = 1000

  config {
    pairing_id = "2f0d6a4e-7c1b-4b52-9f43-0f6b6a7c8d90"
  }
}
