# Terraform or OpenTofu 1.12 and later
import {
  to = vsla_protection_group.gold
  identity = {
    cluster_id          = "domain-c9"
    protection_group_id = "5f2c1a88-1d1f-4d1c-9c55-0a4d3c2b1a00"
  }
}
