import {
  to = vsla_protection_group.gold
  id = "domain-c15/name:gold"
}
