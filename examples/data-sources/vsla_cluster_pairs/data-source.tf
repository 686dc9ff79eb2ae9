# The clusters to which the protection groups of a cluster can replicate.
data "vsla_cluster_pairs" "local" {
  cluster_id = "domain-c9"
}

output "pair_id" {
  value = data.vsla_cluster_pairs.local.ids["dr-cluster"]
}
