resource "vsla_tag_category" "tier" {
  name             = "tier"
  description      = "How much data a VM may lose"
  cardinality      = "SINGLE"
  associable_types = ["VirtualMachine"]
}
