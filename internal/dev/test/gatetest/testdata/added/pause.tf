action "vsla_replication_pause" "db" {
  config {
    pairing_id     = "2f0d6a4e-7c1b-4b52-9f43-0f6b6a7c8d90"
    replication_id = "HmsGroup:GID-0b1c2d3e-4f50-4617-a829-3b4c5d6e7f80:e0000000-0000-4000-8000-000000000001"
  }
}

resource "terraform_data" "trigger" {
  lifecycle {
    action_trigger {
      events  = [after_create]
      actions = [action.vsla_replication_pause.db]
    }
  }
}
