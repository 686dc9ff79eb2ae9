package weaker

const (
	descriptive = "describes the object, and protects nothing"
	waitTime    = "bounds how long Terraform waits"
	placement   = "the copy is in another place; its space is that of vsla_replica_storage"
	atCreation  = "decides about an object that is created"
	membership  = "removes and replaces show what it takes away"
	retention   = "the period of a policy is judged as a whole"
)

// Arguments contains the rule for each argument by resource and path, for example "point_in_time.days". Paths omit the
// keys of maps and the indexes of lists.
var Arguments = map[string]map[string]Rule{
	"vsla_replication": {
		"auto_replicate_new_disks":         protection(Disabled, "stops if a disk is added to its VM"),
		"destroy_when_managed_by_recovery": guard(Enabled, "can be destroyed while a recovery solution manages it"),
		"disk_format":                      never("the same data in another format"),
		"disks":                            otherRule("a disk without settings is replicated"),
		"disks.disk_format":                never("the same data in another format"),
		"disks.enabled":                    otherRule("disk_excluded"),
		"disks.seed_path":                  otherRule("resync: it replaces the replication"),
		"disks.storage_policy_id":          protection(Changed, "stores a disk with another storage policy"),
		"disks.target_datastore_id":        never(placement),
		"enhanced_replication":             protection(Disabled, "no longer uses enhanced replication"),
		"force_local_destroy":              guard(Enabled, "can be destroyed at only one site"),
		"network_compression":              never("a matter of the link and the processor"),
		"network_encryption":               protection(Disabled, "sends its data unencrypted"),
		"pairing_id":                       otherRule("replications are compared by VM and pairing"),
		"paused":                           otherRule("weaker_than_tier, whatever was before"),
		"point_in_time":                    protection(Unset, "no longer keeps points in time"),
		"point_in_time.days":               protection(Decrease, "keeps points in time for fewer days"),
		"point_in_time.instances_per_day":  protection(Decrease, "keeps fewer points in time"),
		"quiesce_guest":                    protection(Disabled, "no longer quiesces the guest for recovery points"),
		"replicate_vm_data_sets":           protection(Disabled, "no longer replicates the VM's data sets"),
		"retain_replica_disks_on_destroy":  guard(Disabled, "deletes its replica disks when it is destroyed"),
		"rpo_minutes":                      protection(Increase, "has a longer RPO"),
		"skip_capability_check":            guard(Enabled, "no longer checks whether replication supports its VM"),
		"target_datastore_id":              never(placement),
		"target_replication_server_id":     never("another server receives the same data"),
		"target_storage_policy_id":         protection(Changed, "stores its copy with another storage policy"),
		"timeouts":                         never(waitTime).withNested(),
		"vm_id":                            otherRule("replications are compared by VM and pairing"),
		"wait_for_initial_sync":            never(waitTime),
	},
	"vsla_protection_group": {
		"cluster_id":                  otherRule("protection_removed: it replaces the group"),
		"delete_snapshots_on_destroy": guard(Enabled, "deletes its snapshots when it is destroyed"),
		"lock_confirmation":           never("confirms locked"),
		"locked":                      otherRule("locks"),
		"max_removes":                 guard(LimitRaised, "allows more members to be removed"),
		"name":                        never(descriptive),
		"paused":                      otherRule("protection_removed, whatever was before"),
		"replication":                 otherRule("protection_removed"),
		"replication.cluster_pair_id": protection(Changed, "replicates to another cluster"),
		"replication.keep_last":       protection(Decrease, "keeps fewer latest replicas"),
		"replication.long_term":       otherRule(retention).withNested(),
		"replication.rpo_minutes":     protection(Increase, "has a longer RPO"),

		"replication.target_datastore_id": never(placement),
		"replication.use_replica_seeds":   never(atCreation),
		"snapshot_policies":               otherRule(retention).withNested(),
		"tag_rules":                       otherRule(membership).withNested(),
		"timeouts":                        never(waitTime).withNested(),
		"vm_ids":                          otherRule(membership),
		"vm_name_patterns":                otherRule(membership),
	},
	"vsla_tag": {
		"adopt_existing": never(atCreation),
		"category_id":    tags(Changed, "is in another category"),
		"description":    never(descriptive),
		"force_destroy":  guard(Enabled, "can be deleted while it is attached to objects"),
		"name":           tags(Changed, "is renamed: lookups by name fail"),
	},
	"vsla_tag_category": {
		"adopt_existing":   never(atCreation),
		"associable_types": tags(ElementRemoved, "applies to fewer object types"),
		"cardinality":      tags(Changed, "allows a different number of its tags per object"),
		"description":      never(descriptive),
		"force_destroy":    guard(Enabled, "can be deleted while its tags are attached to objects"),
		"name":             tags(Changed, "is renamed: lookups by name fail"),
	},
	"vsla_tags": {
		"adopt_existing": never(atCreation),
		"category_id":    tags(Changed, "moves its tags to another category"),
		"force_destroy":  guard(Enabled, "can delete tags that are attached to objects"),
		"renamed_from":   otherRule("tags_changed"),
		"tags":           otherRule("tags_removed; a description protects nothing"),
	},
	"vsla_tag_association": {
		"object_ids":  otherRule(membership),
		"object_type": tags(Changed, "is for another object type"),
		"ownership":   otherRule(membership),
		"tag_id":      otherRule("tags_removed: it replaces the association"),
	},
	"vsla_object_tags": {
		"object_id":   tags(Changed, "tags another object"),
		"object_type": tags(Changed, "is for another object type"),
		"ownership":   otherRule(membership),
		"tag_ids":     otherRule(membership),
	},
}
