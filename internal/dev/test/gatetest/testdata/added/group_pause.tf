action "vsla_protection_group_pause" "gold" {
  config {
    cluster_id          = "domain-c9"
    protection_group_id = "5f2c1a88-1d1f-4d1c-9c55-0a4d3c2b1a00"
  }
}

resource "terraform_data" "trigger" {
  lifecycle {
    action_trigger {
      events  = [after_create]
      actions = [action.vsla_protection_group_pause.gold]
    }
  }
}
