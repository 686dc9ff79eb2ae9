output "mbps" {
  value = provider::vsla::parse_rate_mbps("112.625 MB/s") # 901
}
