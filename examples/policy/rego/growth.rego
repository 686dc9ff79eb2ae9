# How long the promises and the target space of a data.vsla_sla_plan last (holds_months in the settings).
package vsla.verdict

import data.vsla.calculators
import data.vsla.plan
import data.vsla.settings

# When growth ends today's state: a kept promise becomes at risk, a promise at risk is missed, or a target is full. Null
# means after the horizon.
lasting contains {"subject": s, "what": what, "ends": ends, "asked": item.holds_months} if {
	some item in settings.expected
	is_number(item.holds_months)
	some s in subjects
	s.type == "vsla_sla_plan"
	plan.means(item.address, s.address)
	some what, ends in object.union(promises_end(s), targets_end(s))
}

promises_end(s) := {sprintf("the promise of tier %s", [tier]): object.get(promise, until[promise.verdict], "missing") |
	some tier, promise in s.values.promises
}

targets_end(s) := {sprintf("free space on target %s", [name]): object.get(target, "months_until_full", "missing") |
	some name, target in s.values.targets
}

until := {"meets": "months_until_at_risk", "at_risk": "months_until_miss"}

problems contains problem("exhausts_before", l.subject.address, says) if {
	some l in lasting
	is_number(l.ends)
	l.ends < l.asked
	says := sprintf("keeps %s for %v months; the settings require %v", [l.what, floor(l.ends), l.asked])
}

problems contains problem("unknown", l.subject.address, says) if {
	some l in lasting
	not foreseen(l.subject.values, l)
	asks := "growth_percent_per_year and horizon_months"
	says := sprintf("does not show whether it keeps %s for %v months: set %s", [l.what, l.asked, asks])
}

foreseen(values, l) if {
	is_number(values.growth_percent_per_year)
	is_number(l.ends)
}

foreseen(values, l) if {
	is_number(values.growth_percent_per_year)
	l.ends == null
	horizon := given(values, "horizon_months", calculators.calculators.vsla_sla_plan.inputs.horizon_months)
	is_number(horizon)
	horizon >= l.asked
}
