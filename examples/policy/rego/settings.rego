# What the gate is told beside the plan: data.gate, from settings.yaml and today.json. What cannot be understood is refused,
# so that a misspelt key does not switch a rule off.
package vsla.settings

default gate := {}

gate := data.gate if is_object(data.gate)

expected := items("expected")

waivers := items("waivers")

promises := items("promises")

vmotion_links := items("vmotion_links")

default items(_) := []

items(key) := gate[key] if is_array(gate[key])

# What may be waived, each for a time. All else has to be put right.
waivable := {"at_risk", "no_result", "protection_removed"}

problems contains "there is no data.gate: give settings.yaml with --data" if gate == {}

problems contains sprintf("%q is not a setting", [key]) if {
	some key in (object.keys(gate) - {"expected", "waivers", "promises", "vmotion_links", "today"})
}

problems contains sprintf("%s has to be a list", [key]) if {
	some key in {"expected", "waivers", "promises", "vmotion_links"}
	key in object.keys(gate)
	not is_array(gate[key])
}

problems contains "expected names no result: then a plan without any would pass" if count(expected) == 0

problems contains sprintf("expected[%d] is not {address, type for an output, max_rpo_minutes (optional)}", [i]) if {
	some i, item in expected
	not sound_expected(item)
}

sound_expected(item) if {
	text(item.address)
	count(object.keys(item) - {"address", "type", "max_rpo_minutes"}) == 0
	is_number(object.get(item, "max_rpo_minutes", 1))
	sound_type(item)
}

sound_type(item) if {
	not is_output(item.address)
	not "type" in object.keys(item)
}

sound_type(item) if {
	is_output(item.address)
	item.type in data.vsla.plan.judged
	not "max_rpo_minutes" in object.keys(item) # a function's result does not say what it was asked
}

is_output(address) if startswith(address, "output.")

problems contains sprintf("promises[%d] is not {address, rpo_minutes}", [i]) if {
	some i, item in promises
	not sound_promise(item)
}

sound_promise(item) if {
	object.keys(item) == {"address", "rpo_minutes"}
	text(item.address)
	is_number(item.rpo_minutes)
}

problems contains sprintf("vmotion_links[%d] is not {address, concurrent_migrations of 1 or more}", [i]) if {
	some i, item in vmotion_links
	not sound_link(item)
}

sound_link(item) if {
	object.keys(item) == {"address", "concurrent_migrations"}
	text(item.address)
	is_number(item.concurrent_migrations)
	item.concurrent_migrations >= 1
}

problems contains sprintf("waivers[%d] is not {name, address, code, reason, approved_by, expires}, each a text, expires a date such as 2027-01-31", [i]) if {
	some i, waiver in waivers
	not sound_waiver(waiver)
}

problems contains sprintf("waivers[%d]: %q cannot be waived, only %s", [i, waiver.code, concat(", ", sort(waivable))]) if {
	some i, waiver in waivers
	sound_waiver(waiver)
	not waiver.code in waivable
}

problems contains sprintf("two waivers have the name %q", [waiver.name]) if {
	some i, waiver in waivers
	some j, other in waivers
	i < j
	waiver.name == other.name
}

problems contains "there are waivers, and data.gate.today does not say which day it is (a date such as 2026-11-21)" if {
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

# A waiver holds up to and including the day that it names.
in_force(waiver) if {
	sound_waiver(waiver)
	waiver.code in waivable
	date(gate.today)
	gate.today <= waiver.expires
}

text(value) if {
	is_string(value)
	trim_space(value) != ""
}

date(value) if {
	regex.match(`^[0-9]{4}-[0-9]{2}-[0-9]{2}$`, value)
	is_number(time.parse_ns("2006-01-02", value))
}
