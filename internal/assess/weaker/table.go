// Rules for all arguments of all resources.

package weaker

// Reasons that several arguments share.
const (
	notProtection = "describes the object, and protects nothing"
	onlyTime      = "bounds how long Terraform waits"
	place         = "the copy is in another place; its space is that of vsla_replica_storage"
	whenCreated   = "decides about an object that is created"
	byRemoves     = "removes and replaces show what it takes away"
	byPeriod      = "the period of a policy is judged as a whole"
)

// Arguments contains the rule for each argument by resource and path, for example "point_in_time.days". Paths omit the
// keys of maps and the indexes of lists.
var Arguments = map[string]map[string]Rule{
	"vsla_replication": {
		"auto_replicate_new_disks":         protection(Off, "stops when a disk is added to its VM"),
		"destroy_when_managed_by_recovery": guard(On, "can be destroyed while a recovery solution manages it"),
		"disk_format":                      nobody("the same data in another format"),
		"disks":                            elsewhere("a disk without settings is replicated"),
		"disks.disk_format":                nobody("the same data in another format"),
		"disks.enabled":                    elsewhere("disk_excluded"),
		"disks.seed_path":                  elsewhere("resync: it replaces the replication"),
		"disks.storage_policy_id":          protection(Changed, "stores a disk with another storage policy"),
		"disks.target_datastore_id":        nobody(place),
		"enhanced_replication":             protection(Off, "no longer uses enhanced replication"),
		"force_local_destroy":              guard(On, "can be destroyed at only one site"),
		"network_compression":              nobody("a matter of the link and the processor"),
		"network_encryption":               protection(Off, "sends its data unencrypted"),
		"pairing_id":                       elsewhere("replications are compared by VM and pairing"),
		"paused":                           elsewhere("weaker_than_tier, whatever was before"),
		"point_in_time":                    protection(Gone, "no longer keeps points in time"),
		"point_in_time.days":               protection(Less, "keeps points in time for fewer days"),
		"point_in_time.instances_per_day":  protection(Less, "keeps fewer points in time"),
		"quiesce_guest":                    protection(Off, "no longer quiesces the guest for recovery points"),
		"replicate_vm_data_sets":           protection(Off, "no longer replicates the VM's data sets"),
		"retain_replica_disks_on_destroy":  guard(Off, "deletes its replica disks when it is destroyed"),
		"rpo_minutes":                      protection(More, "has a longer RPO"),
		"skip_capability_check":            guard(On, "no longer checks what replication supports for its VM"),
		"target_datastore_id":              nobody(place),
		"target_replication_server_id":     nobody("another server receives the same data"),
		"target_storage_policy_id":         protection(Changed, "stores its copy with another storage policy"),
		"timeouts":                         nobody(onlyTime).whole(),
		"vm_id":                            elsewhere("replications are compared by VM and pairing"),
		"wait_for_initial_sync":            nobody(onlyTime),
	},
	"vsla_protection_group": {
		"cluster_id":                  elsewhere("protection_removed: it replaces the group"),
		"delete_snapshots_on_destroy": guard(On, "deletes its snapshots when it is destroyed"),
		"lock_confirmation":           nobody("confirms locked"),
		"locked":                      elsewhere("locks"),
		"max_removes":                 guard(Unbounded, "allows more members to be removed"),
		"name":                        nobody(notProtection),
		"paused":                      elsewhere("protection_removed, whatever was before"),
		"replication":                 elsewhere("protection_removed"),
		"replication.cluster_pair_id": protection(Changed, "replicates to another cluster"),
		"replication.keep_last":       protection(Less, "keeps fewer latest replicas"),
		"replication.long_term":       elsewhere(byPeriod).whole(),
		"replication.rpo_minutes":     protection(More, "has a longer RPO"),

		"replication.target_datastore_id": nobody(place),
		"replication.use_replica_seeds":   nobody(whenCreated),
		"snapshot_policies":               elsewhere(byPeriod).whole(),
		"tag_rules":                       elsewhere(byRemoves).whole(),
		"timeouts":                        nobody(onlyTime).whole(),
		"vm_ids":                          elsewhere(byRemoves),
		"vm_name_patterns":                elsewhere(byRemoves),
	},
	"vsla_tag": {
		"adopt_existing": nobody(whenCreated),
		"category_id":    tags(Changed, "is in another category"),
		"description":    nobody(notProtection),
		"force_destroy":  guard(On, "can be deleted while objects have it"),
		"name":           tags(Changed, "is renamed: anything that looks it up by name no longer finds it"),
	},
	"vsla_tag_category": {
		"adopt_existing":   nobody(whenCreated),
		"associable_types": tags(Fewer, "applies to fewer object types"),
		"cardinality":      tags(Changed, "changes how many of its tags an object can have"),
		"description":      nobody(notProtection),
		"force_destroy":    guard(On, "can be deleted while objects have its tags"),
		"name":             tags(Changed, "is renamed: anything that looks it up by name no longer finds it"),
	},
	"vsla_tags": {
		"adopt_existing": nobody(whenCreated),
		"category_id":    tags(Changed, "has its tags in another category"),
		"force_destroy":  guard(On, "can delete tags while objects have them"),
		"renamed_from":   elsewhere("tags_changed"),
		"tags":           elsewhere("tags_removed; a description protects nothing"),
	},
	"vsla_tag_association": {
		"object_ids":  elsewhere(byRemoves),
		"object_type": tags(Changed, "is for another object type"),
		"ownership":   elsewhere(byRemoves),
		"tag_id":      elsewhere("tags_removed: it replaces the association"),
	},
	"vsla_object_tags": {
		"object_id":   tags(Changed, "tags another object"),
		"object_type": tags(Changed, "is for another object type"),
		"ownership":   elsewhere(byRemoves),
		"tag_ids":     elsewhere(byRemoves),
	},
}
