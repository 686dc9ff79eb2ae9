import {
  to = vsla_tag_association.gold
  identity = {
    tag_id      = "urn:vmomi:InventoryServiceTag:0f1d2c3b-4a59-4687-9b0a-1c2d3e4f5a6b:GLOBAL"
    object_type = "VirtualMachine"
  }
}
