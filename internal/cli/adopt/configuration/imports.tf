# The first apply imports the existing objects. Delete this file and imports.json afterwards.

locals {
  imports = jsondecode(file("${path.module}/imports.json"))
}

import {
  for_each = local.imports.categories
  to       = vsla_tag_category.category[each.key]
  id       = each.value
}

import {
  for_each = local.imports.categories
  to       = vsla_tags.category[each.key]
  id       = each.value
}

import {
  for_each = local.imports.associations
  to       = vsla_tag_association.tag[each.key]
  id       = each.value
}

import {
  for_each = local.imports.replications
  to       = vsla_replication.vm[each.key]
  id       = each.value
}
