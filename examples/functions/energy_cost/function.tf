# Electricity cost of 20 hosts in a year, at 0.25 per kilowatt-hour, if cooling adds half of their consumption.
output "cost_per_year" {
  value = provider::vsla::energy_cost({
    hosts          = 20
    kw_per_host    = 0.17
    price_per_kwh  = 0.25
    cooling_factor = 1.5
  }).cost_per_year
}
