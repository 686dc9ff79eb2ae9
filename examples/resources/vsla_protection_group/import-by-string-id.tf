import {
  to = vsla_protection_group.gold
  id = "domain-c9/name:gold"
}
