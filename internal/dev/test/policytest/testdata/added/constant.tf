output "gold_spread" {
  value = { verdict = "meets", meets_rpo = true, violation_free = true, total_gib = 1500 }
}
