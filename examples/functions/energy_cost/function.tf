# What 20 hosts cost in electricity in a year, at 0.25 for a kilowatt-hour, when cooling takes half as much as they do.
output "cost_per_year" {
  value = provider::vsla::energy_cost({
    hosts          = 20
    kw_per_host    = 0.17
    price_per_kwh  = 0.25
    cooling_factor = 1.5
  }).cost_per_year
}
