# by category and name
terraform import vsla_tag.gold tier/gold
# by ID
terraform import vsla_tag.gold urn:vmomi:InventoryServiceTag:0f1d2c3b-4a59-4687-9b0a-1c2d3e4f5a6b:GLOBAL
