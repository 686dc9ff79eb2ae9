# terraform apply -invoke=action.vsla_replication_link_test.metro
action "vsla_replication_link_test" "metro" {
  config {
    pairing_id = "2f0d6a4e-7c1b-4b52-9f43-0f6b6a7c8d90"
  }
}
