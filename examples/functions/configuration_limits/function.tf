output "hosts" {
  value = provider::vsla::configuration_limits({
    product = "vcenter"
    version = "6.5"
  }).limits["hosts"] # 2000
}
