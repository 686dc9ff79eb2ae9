output "gib" {
  value = provider::vsla::parse_size_gib("102400 MB") # 95.367431640625
}
