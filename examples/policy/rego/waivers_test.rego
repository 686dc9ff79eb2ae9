# Unit tests of waivers on an at-risk plan: validity, code, and an approver other than the author.
package vsla_test

import data.vsla

# Each case changes the waiver and the settings. The waiver expires on 31 December, 40 days after 21 November.
waiver_cases := {
	"granted": {"warned": {"at_risk"}},
	"no day": {"gate": {"today": "someday"}, "denied": {"at_risk", "settings"}},
	"null days": {"gate": {"max_waiver_days": null}, "denied": {"settings"}, "warned": {"at_risk"}},
	"as long as allowed": {"gate": {"max_waiver_days": 40}, "warned": {"at_risk"}},
	"a day longer": {"gate": {"max_waiver_days": 39}, "denied": {"at_risk", "settings"}},
	"until 2099": {"waiver": {"expires": "2099-12-31"}, "denied": {"at_risk", "settings"}},
	"until 2099, allowed for as long": {
		"waiver": {"expires": "2099-12-31"},
		"gate": {"max_waiver_days": 36500},
		"denied": {"at_risk", "settings"},
	},
	"no approvers": {"gate": {"approvers": []}, "denied": {"at_risk", "settings"}},
	"approved by a stranger": {"waiver": {"approved_by": "alice"}, "denied": {"at_risk", "settings"}},
	"approved by its author": {"gate": {"author": "Capacity Board"}, "denied": {"at_risk", "settings"}},
	"written by another person": {"gate": {"author": "alice"}, "warned": {"at_risk"}},
	"on main": {"gate": {"author": ""}, "warned": {"at_risk"}},
	"misspelt code": {"waiver": {"code": "at-risk"}, "denied": {"at_risk", "settings"}},
	"another address": {
		"waiver": {"address": "data.vsla_vmotion_estimate.move"},
		"denied": {"at_risk"},
		"warned": {"waiver"},
	},
	"expired": {"gate": {"today": "2027-01-01"}, "denied": {"at_risk"}, "warned": {"waiver"}},
}

settings_of(c) := object.union(waiving([changed], "2026-11-21"), object.get(c, "gate", {})) if {
	changed := object.union(waiver, object.get(c, "waiver", {}))
}

wrongly_denied contains name if {
	some name, c in waiver_cases
	g := settings_of(c)
	codes(with_values(at_risk), g) != object.get(c, "denied", set())
}

wrongly_warned contains name if {
	some name, c in waiver_cases
	g := settings_of(c)
	found := {w.code | some w in vsla.warn with input as with_values(at_risk) with data.gate as g} - {"unbounded"}
	found != object.get(c, "warned", set())
}

# Two tests, because OPA limits the time of each test.
test_waivers_deny if wrongly_denied == set()

test_waivers_warn if wrongly_warned == set()

test_waiver_that_is_not_needed if {
	g := waiving([waiver], "2026-11-21")
	{w.code | some w in vsla.warn with input as good with data.gate as g} - {"unbounded"} == {"waiver"}
}
