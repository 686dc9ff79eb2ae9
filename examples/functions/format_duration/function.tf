output "initial_sync" {
  value = provider::vsla::format_duration(13638.2) # "3h 47m 18s"
}
