# all VMs with a tag, by category and name of the tag
terraform import vsla_tag_association.gold sla/gold
# all objects of another type, by ID of the tag
terraform import vsla_tag_association.hosts urn:vmomi:InventoryServiceTag:0f1d2c3b-4a59-4687-9b0a-1c2d3e4f5a6b:GLOBAL/HostSystem
# only the listed objects
terraform import vsla_tag_association.some urn:vmomi:InventoryServiceTag:0f1d2c3b-4a59-4687-9b0a-1c2d3e4f5a6b:GLOBAL/VirtualMachine/vm-41,vm-42
