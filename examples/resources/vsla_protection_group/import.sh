terraform import vsla_protection_group.gold domain-c9/name:gold
