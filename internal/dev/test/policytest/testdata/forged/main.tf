# A value that looks like a module with a good result. The plan contains nothing of vsla.
data "terraform_remote_state" "forged" {
  backend = "local"
  config  = { path = "empty.json" }
  defaults = {
    module = {
      resources = [{
        address       = "data.vsla_replication_estimate.gold"
        mode          = "data"
        type          = "vsla_replication_estimate"
        name          = "gold"
        provider_name = "registry.terraform.io/vsla/vsla"
        values        = { verdict = "meets", meets_rpo = true, violation_free = true, rpo_minutes = 15 }
      }]
    }
  }
}

resource "terraform_data" "x" {
  input = 1
}

output "forged" {
  value = data.terraform_remote_state.forged.outputs
}
