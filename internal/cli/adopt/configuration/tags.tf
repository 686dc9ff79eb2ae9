# The categories with their tags, and the tags of each object. To move a VM to another tier, change its tier in
# virtual_machines.json.

locals {
  categories       = jsondecode(file("${path.module}/categories.json"))
  virtual_machines = jsondecode(file("${path.module}/virtual_machines.json"))
  other_objects    = jsondecode(file("${path.module}/other_objects.json"))

  # What virtual_machines.json contains and nothing reads, such as a misspelled name.
  ignored = flatten([
    for name, vm in local.virtual_machines : [
      for key in concat(
        tolist(setsubtract(keys(vm), ["id", "tier", "tags", "replication"])),
        try(tolist(setsubtract(keys(vm.replication), concat(keys(local.replication_defaults), ["rpo_minutes"]))), []),
      ) : "${key} of ${name}"
    ]
  ])

  vm_tags = flatten([
    for vm in local.virtual_machines : concat(
      [for tier in compact([try(vm.tier, "")]) : { category = local.tier_category, tag = tier, object = vm.id }],
      [for category, tags in try(vm.tags, {}) : [for tag in tags : { category = category, tag = tag, object = vm.id }]],
    )
  ])
  other_tags = flatten([
    for o in local.other_objects : [for id in o.ids : { category = o.category, tag = o.tag, type = o.type, object = id }]
  ])

  # The keys are "category/tag" and, for other types than VMs, "category/tag/type". "/" in a name is written as "%2F" and
  # "%" as "%25", so that no two associations share a key.
  associations = {
    for t in concat([for t in local.vm_tags : merge(t, { type = "VirtualMachine" })], local.other_tags) : join("/", [
      for name in compact([t.category, t.tag, t.type == "VirtualMachine" ? "" : t.type]) :
      replace(replace(name, "%", "%25"), "/", "%2F")
    ]) => t...
  }
}

check "virtual_machines" {
  assert {
    condition     = length(local.ignored) == 0
    error_message = "virtual_machines.json contains names that are ignored: ${join(", ", local.ignored)}."
  }
}

resource "vsla_tag_category" "category" {
  for_each = local.categories

  name             = each.key
  description      = each.value.description
  cardinality      = each.value.cardinality
  associable_types = each.value.associable_types
}

resource "vsla_tags" "category" {
  for_each = local.categories

  category_id = vsla_tag_category.category[each.key].id
  tags        = try(each.value.tags, { for name, tier in local.tiers : name => tier.description })

  # A renamed tag keeps its id and its objects by its former name: { platinum = "gold" }
  renamed_from = try(local.renamed_from[each.key], null)
}

resource "vsla_tag_association" "tag" {
  for_each = local.associations

  tag_id      = vsla_tags.category[each.value[0].category].ids[each.value[0].tag]
  object_type = each.value[0].type
  object_ids  = sort(each.value[*].object)
}
