# The associations of VMs with the tags of a category.
list "vsla_tag_association" "tier" {
  provider = vsla
  limit    = 10000

  config {
    category_name = "tier"
    object_type   = "VirtualMachine"
  }
}
