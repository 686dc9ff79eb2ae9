# The settings of the gate: data.gate, from settings.yaml and today.json. Anything that is not understood is an error,
# so that a misspelled key does not turn off a rule.
package vsla.settings

import data.vsla.arguments
import data.vsla.calculators

default gate := {}

gate := data.gate if is_object(data.gate)

expected := items("expected")

# Complete rules: in a partial rule, looking up one key would search all items again.
expected_by := expectations

expectations[item.address] contains item if some item in expected

waivers := items("waivers")

promises := items("promises")

# The RPOs, in minutes, that the settings promise for an address.
promised(address) := {rpo | some name in data.vsla.plan.names_of(address); some rpo in promised_rpos[name]}

promised_rpos := promised_to

promised_to[item.address] contains item.rpo_minutes if {
	some item in promises
	is_number(item.rpo_minutes)
}

vmotion_links := items("vmotion_links")

removals := items("removals")

# Who may approve a waiver.
approvers := {name | some name in items("approvers")}

# The provider's addresses in private registries, in addition to the public ones.
providers := {name | some name in items("providers")}

# Blocks that may use a provider configuration other than the default, by configuration key, such as vsla.dr.
default provider_configs := {}

provider_configs := gate.provider_configs if sound_provider_configs

sound_provider_configs if {
	is_object(gate.provider_configs)
	every _, blocks in gate.provider_configs {
		is_array(blocks)
	}
}

problems contains "provider_configs must be a map of address lists by provider configuration key, such as vsla.dr" if {
	"provider_configs" in object.keys(gate)
	not sound_provider_configs
}

# Whether inputs that could flatter a verdict must be bounded.
bounds_required if gate.require_bounds == true

# The maximum number of days until a waiver expires. The settings cannot allow more than longest_waiver_days.
default max_waiver_days := 90

max_waiver_days := gate.max_waiver_days if sound_waiver_days

longest_waiver_days := 366

default items(_) := []

items(key) := gate[key] if is_array(gate[key])

# The share of a target's free space that replicas must leave, in percent. With the default, an otherwise empty
# datastore stays below 85% usage, where vCenter's datastore usage alarm turns red.
default min_headroom_percent := 15

min_headroom_percent := gate.min_headroom_percent if percentage(gate.min_headroom_percent)

# Both in percent, and undefined if not set: the share of its known time that a vsla_replication_history must be within
# the RPO, and the share of unknown time in a period above which the gate warns.
min_compliance_percent := gate.min_compliance_percent if percentage(gate.min_compliance_percent)

max_unknown_percent := gate.max_unknown_percent if percentage(gate.max_unknown_percent)

optional_percentages := {"min_compliance_percent", "max_unknown_percent"}

percentages := {"min_headroom_percent"} | optional_percentages

percentage(value) if {
	is_number(value)
	value >= 0
	value <= 100
}

problems contains sprintf("%s must be a number from 0 to 100", [key]) if {
	some key in percentages
	key in object.keys(gate)
	not percentage(gate[key])
}

# The maximum number of VMs without a tier and a replication; undefined if not set.
max_uncovered := gate.max_uncovered if sound_uncovered

sound_uncovered if {
	is_number(gate.max_uncovered)
	gate.max_uncovered >= 0
}

problems contains "max_uncovered must be a number, 0 or more" if {
	"max_uncovered" in object.keys(gate)
	not sound_uncovered
}

# Codes that can be waived for a limited time. All other problems must be fixed.
waivable := {
	"at_risk",
	"disk_excluded",
	"exhausts_before",
	"guard_off",
	"locks",
	"low_compliance",
	"low_headroom",
	"no_result",
	"not_measured",
	"period_broken",
	"protection_removed",
	"resync",
	"runs_a_program",
	"snapshots_deleted",
	"tags_changed",
	"tags_removed",
	"uncovered",
	"weaker_than_tier",
}

problems contains "data.gate is missing: pass settings.yaml with --data" if gate == {}

problems contains sprintf("%q is not a setting", [key]) if {
	some key in (object.keys(gate) - ((lists | percentages) | {"today", "author", "max_waiver_days", "max_uncovered", "require_bounds", "provider_configs", "unverified_outputs"}))
}

lists := {"expected", "waivers", "promises", "removals", "vmotion_links", "approvers", "providers"}

problems contains sprintf("%s must be a list", [key]) if {
	some key in lists
	key in object.keys(gate)
	not is_array(gate[key])
}

problems contains "expected names no result, so a plan without results would pass" if {
	gate != {}
	count(expected) == 0
}

problems contains sprintf("expected[%d] must be {address, type for an output, bounds (optional)}", [i]) if {
	some i, item in expected
	not sound_expected(item)
}

sound_expected(item) if {
	text(item.address)
	sound_type(item)
	every key, value in object.remove(item, ["address", "type"]) {
		sound_spec(key, value)
	}
}

# min_NAME and max_NAME are numbers, equal has values by name, and covers is the address of an association. Any other
# name is a map whose elements, by key or "*", have their own bounds.
sound_spec(key, value) if sound_bound(key, value)

sound_spec("holds_months", value) if {
	is_number(value)
	value > 0
}

sound_spec("covers", value) if regex.match(association, value)

sound_spec(key, value) if {
	is_element_map(key, value)
	every spec in value {
		is_object(spec)
		every name, bound in spec {
			sound_element(name, bound)
		}
	}
}

sound_element(key, value) if sound_bound(key, value)

sound_element("covers", value) if regex.match(association, value)

association := `^(module\..+\.)?vsla_tag_association\.`

sound_bound(key, value) if {
	is_bound(key)
	is_number(value)
}

# A name that the type does not have as an input or result is misspelled.
problems contains sprintf("expected[%d]: %s has no %s", [i, type, name]) if {
	some i, item in expected
	type := type_of(item)
	fields := plan_fields(type)
	some name in named(item)
	not name in fields
}

type_of(item) := item.type if is_output(item.address)

type_of(item) := data.vsla.plan.type_of(item.address) if not is_output(item.address)

plan_fields(type) := {name | some name, _ in arguments.resources[type]} if arguments.resources[type]

plan_fields(type) := (object.keys(calculator.inputs) | object.keys(calculator.results)) | ends if {
	calculator := calculators.calculators[type]
	ends := {concat("", [field, "."]) | some field, _ in calculator.ranges}
}

problems contains sprintf("expected[%d]: %s applies only to data.vsla_sla_plan", [i, key]) if {
	some i, item in expected
	some key in ({"holds_months", "covers"} & object.keys(item))
	not data.vsla.plan.type_of(item.address) == "vsla_sla_plan"
}

# The names that an entry of `expected` uses. Names in map elements are "groups.vm_count".
named(item) := names_in(item, "") | {name |
	some field, specs in item
	is_element_map(field, specs)
	some spec in specs
	some name in names_in(spec, concat("", [field, "."]))
}

names_in(spec, prefix) := ({concat("", [prefix, substring(key, 4, -1)]) |
	some key, _ in spec
	is_bound(key)
} | {concat("", [prefix, name]) |
	some name, _ in spec.equal
}) | {concat("", [prefix, field]) |
	some field, specs in spec
	is_element_map(field, specs)
}

sound_bound("equal", value) if is_object(value)

is_bound(key) if regex.match(`^(min|max)(_.+)?$`, key)

is_element_map(key, value) if {
	not key in {"address", "type", "equal"}
	not is_bound(key)
	is_object(value)
}

problems contains sprintf("%s must be true or false", [key]) if {
	some key in {"require_bounds", "unverified_outputs"}
	key in object.keys(gate)
	not is_boolean(gate[key])
}

# An expression can construct any object, so an output proves nothing.
problems contains sprintf("expected[%d]: %s is not evidence: use the data source, or set unverified_outputs", [i, name]) if {
	some i, item in expected
	is_output(item.address)
	not gate.unverified_outputs == true
	name := item.address
}

problems contains sprintf("max_waiver_days must be a number from 1 to %d", [longest_waiver_days]) if {
	"max_waiver_days" in object.keys(gate)
	not sound_waiver_days
}

sound_waiver_days if {
	is_number(gate.max_waiver_days)
	gate.max_waiver_days >= 1
	gate.max_waiver_days <= longest_waiver_days
}

problems contains sprintf("%s must be a list of names", [key]) if {
	some key in {"approvers", "providers"}
	some item in items(key)
	not text(item)
}

sound_type(item) if {
	not is_output(item.address)
	not "type" in object.keys(item)
}

sound_type(item) if {
	is_output(item.address)
	item.type in (data.vsla.plan.judged | data.vsla.plan.judged_on_request)
	not "max_rpo_minutes" in object.keys(item) # a function result does not contain its inputs
}

is_output(address) if startswith(address, "output.")

problems contains sprintf("promises[%d] must be {address, rpo_minutes}", [i]) if {
	some i, item in promises
	not sound_promise(item)
}

sound_promise(item) if {
	object.keys(item) == {"address", "rpo_minutes"}
	text(item.address)
	is_number(item.rpo_minutes)
}

problems contains sprintf("removals[%d] must be {address, max_removes of 0 or more}", [i]) if {
	some i, item in removals
	not sound_removal(item)
}

sound_removal(item) if {
	object.keys(item) == {"address", "max_removes"}
	text(item.address)
	is_number(item.max_removes)
	item.max_removes >= 0
}

problems contains sprintf("vmotion_links[%d] must be {address, concurrent_migrations of 1 or more}", [i]) if {
	some i, item in vmotion_links
	not sound_link(item)
}

sound_link(item) if {
	object.keys(item) == {"address", "concurrent_migrations"}
	text(item.address)
	is_number(item.concurrent_migrations)
	item.concurrent_migrations >= 1
}

problems contains sprintf("waivers[%d] must be {%s}, all strings, with expires a date such as 2027-01-31", [i, keys]) if {
	some i, waiver in waivers
	not sound_waiver(waiver)
	keys := concat(", ", ["name", "address", "code", "reason", "approved_by", "expires"])
}

problems contains sprintf("waivers[%d]: %q cannot be waived, only %s", [i, waiver.code, allowed]) if {
	some i, waiver in waivers
	sound_waiver(waiver)
	not waiver.code in waivable
	allowed := concat(", ", sort(waivable))
}

problems contains sprintf("two waivers have the name %q", [waiver.name]) if {
	some i, waiver in waivers
	some j, other in waivers
	i < j
	waiver.name == other.name
}

problems contains sprintf("waivers[%d]: %q is not in approvers", [i, waiver.approved_by]) if {
	some i, waiver in waivers
	sound_waiver(waiver)
	not waiver.approved_by in approvers
}

problems contains sprintf("waivers[%d]: %q is the author of this change and cannot approve it", [i, name]) if {
	some i, waiver in waivers
	sound_waiver(waiver)
	not independent(waiver)
	name := waiver.approved_by
}

problems contains sprintf("waivers[%d] expires more than %d days from today", [i, max_waiver_days]) if {
	some i, waiver in waivers
	sound_waiver(waiver)
	day_known
	not short(waiver)
}

problems contains "author must be a string" if {
	"author" in object.keys(gate)
	not is_string(gate.author)
}

# If the pipeline sets no author, as on the main branch, there is nothing to compare.
independent(_) if object.get(gate, "author", "") == ""

independent(waiver) if {
	is_string(gate.author)
	lower(trim_space(gate.author)) != lower(trim_space(waiver.approved_by))
}

short(waiver) if days(waiver.expires) - days(gate.today) <= max_waiver_days

# Days since 1970-01-01.
days(day) := time.parse_ns("2006-01-02", day) / (((24 * 3600) * 1000) * 1000000)

problems contains "waivers need today's date in data.gate.today, such as 2026-11-21" if {
	count(waivers) > 0
	not day_known
}

day_known if date(gate.today)

sound_waiver(waiver) if {
	keys := {"name", "address", "code", "reason", "approved_by", "expires"}
	object.keys(waiver) == keys
	every key in keys {
		text(waiver[key])
	}
	date(waiver.expires)
}

expired(waiver) if {
	sound_waiver(waiver)
	date(gate.today)
	gate.today > waiver.expires
}

# A waiver is in force up to and including its expiry date.
in_force(waiver) if {
	sound_waiver(waiver)
	waiver.code in waivable
	date(gate.today)
	gate.today <= waiver.expires
	waiver.approved_by in approvers
	independent(waiver)
	short(waiver)
}

text(value) if {
	is_string(value)
	trim_space(value) != ""
}

date(value) if {
	regex.match(`^[0-9]{4}-[0-9]{2}-[0-9]{2}$`, value)
	is_number(time.parse_ns("2006-01-02", value))
}
