# A module for each site, and an estimate for each tier in it.

variable "sites" {
  type    = map(number)
  default = { north = 7000, south = 900 }
}

module "site" {
  source          = "./site"
  for_each        = var.sites
  throughput_mbps = each.value
}

output "verdicts" {
  value = { for name, site in module.site : name => site.verdicts }
}
