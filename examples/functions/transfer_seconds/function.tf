output "seconds" {
  value = provider::vsla::transfer_seconds(1500, 901) # 14,300.7 seconds
}
