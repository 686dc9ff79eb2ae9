# Number of nights of four hours for an evacuation at 1, 2 and 5 Gbit/s.
output "nights" {
  value = {
    for mbps in [1000, 2000, 5000] : "${mbps} Mbit/s" => provider::vsla::migration_plan({
      virtual_machines = {
        for i in range(20) : "app-${i}" => { memory_gib = 16, disk_gib = 200, host = "esx-${i % 4}" }
      }
      throughput_mbps   = mbps
      window_start_hour = 22
      window_hours      = 4
    }).windows_needed
  }
}
