# The links for the configuration that the test adds to this file.

terraform {
  required_providers {
    vsla = {
      source = "vsla/vsla"
    }
  }
}

# 31.5 % of 2,000 is 630 Mbit/s.
data "vsla_link_throughput" "thin" {
  bandwidth_mbps     = 2000
  efficiency_percent = 31.5
}

data "vsla_link_throughput" "fat" {
  bandwidth_mbps     = 10000
  efficiency_percent = 70
}

output "links" {
  value = [data.vsla_link_throughput.thin.throughput_mbps, data.vsla_link_throughput.fat.throughput_mbps]
}
