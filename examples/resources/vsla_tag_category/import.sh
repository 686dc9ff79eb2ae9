# by name
terraform import vsla_tag_category.tier tier
# by ID
terraform import vsla_tag_category.tier urn:vmomi:InventoryServiceCategory:0f1d2c3b-4a59-4687-9b0a-1c2d3e4f5a6b:GLOBAL
