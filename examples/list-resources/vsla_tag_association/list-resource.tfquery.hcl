# The associations of the tags of a category, only of VMs.
list "vsla_tag_association" "tier" {
  provider = vsla
  limit    = 10000

  config {
    category_name = "tier"
    object_type   = "VirtualMachine"
  }
}
