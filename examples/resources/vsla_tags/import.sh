# all tags of a category, by the name of the category (the next apply deletes tags that the configuration does not list)
terraform import vsla_tags.tier tier
# by the ID of the category
terraform import vsla_tags.tier urn:vmomi:InventoryServiceCategory:0f1d2c3b-4a59-4687-9b0a-1c2d3e4f5a6b:GLOBAL
