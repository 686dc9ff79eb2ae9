# by category and name of the tag, for its virtual machines
terraform import vsla_tag_association.gold sla/gold
# by ID of the tag, for another object type
terraform import vsla_tag_association.hosts urn:vmomi:InventoryServiceTag:0f1d2c3b-4a59-4687-9b0a-1c2d3e4f5a6b:GLOBAL/HostSystem
# only some of the objects with the tag (the other objects are not managed)
terraform import vsla_tag_association.some urn:vmomi:InventoryServiceTag:0f1d2c3b-4a59-4687-9b0a-1c2d3e4f5a6b:GLOBAL/VirtualMachine/vm-41,vm-42
