# Replicates all VMs of a cluster that have the tag gold, with an RPO of 15 minutes. Membership follows the tag.
data "vsla_tag" "gold" {
  category_name = "sla"
  name          = "gold"
}

data "vsla_cluster_pairs" "local" {
  cluster_id = "domain-c9"
}

resource "vsla_protection_group" "gold" {
  cluster_id = "domain-c9"
  name       = "gold"
  tag_rules  = [{ tag_ids = [data.vsla_tag.gold.id], match = "all" }]

  replication = {
    cluster_pair_id = data.vsla_cluster_pairs.local.ids["dr-cluster"]
    rpo_minutes     = 15
    long_term = {
      daily = { hour = 2, keep_days = 7 }
    }
  }
  snapshot_policies = {
    hourly = { every_hours = 1, keep_days = 2 }
  }

  # A change of the rules must not remove more than 5 members.
  max_removes = 5
}
