# What carries the tags of one category, VMs only.
list "vsla_tag_association" "tier" {
  provider = vsla
  limit    = 10000

  config {
    category_name = "tier"
    object_type   = "VirtualMachine"
  }
}
