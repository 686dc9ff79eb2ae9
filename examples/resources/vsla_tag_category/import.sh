# by name
terraform import vsla_tag_category.tier tier
# by ID
terraform import vsla_tag_category.tier urn:vmomi:InventoryServiceCategory:5b9c1f3e-6a52-4d4e-9f6c-2f8f2f1f9d11:GLOBAL
