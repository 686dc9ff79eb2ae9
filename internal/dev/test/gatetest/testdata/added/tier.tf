resource "terraform_data" "tier" {
  for_each = var.replication_rpo_minutes
  input    = each.value
}
