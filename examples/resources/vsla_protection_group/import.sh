terraform import vsla_protection_group.gold domain-c15/name:gold
