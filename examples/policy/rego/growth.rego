# What several estimates ask of a link together, and how long a verdict of today lasts.
package vsla.verdict

import data.vsla.calculators
import data.vsla.plan
import data.vsla.settings

# --- estimates that name the same link: each of them is judged alone on it

links[label] contains s if {
	some s in subjects
	s.type == "vsla_replication_estimate"
	s.inputs
	is_string(s.values.link)
	label := link_label(s.values.link)
	label != ""
}

# Spaces and case do not make another link.
link_label(text) := lower(regex.replace(trim_space(text), `\s+`, " "))

shared[label] := {"use": use, "cycles": cycles} if {
	some label, estimates in links
	count(estimates) > 1
	count({s.values.throughput_mbps | some s in estimates}) == 1
	every s in estimates {
		is_number(s.values.throughput_mbps)
		is_number(s.values.daily_link_use_percent)
		is_number(s.values.rpo_used_percent)
	}
	use := sum([s.values.daily_link_use_percent | some s in estimates])
	cycles := sum([s.values.rpo_used_percent | some s in estimates])
}

link_address(label) := sprintf("link.%s", [label])

problems contains problem("unknown", link_address(label), says) if {
	some label, estimates in links
	count(estimates) > 1
	not shared[label]
	says := "has estimates with different throughputs, or without figures, that cannot be added up"
}

problems contains problem("link_exceeded", link_address(label), says) if {
	some label, load in shared
	max([load.use, load.cycles]) > 100
	figures := [floor(load.use), floor(load.cycles)]
	says := sprintf("carries less than its estimates need together: %v %% of a day, %v %% of the RPOs", figures)
}

problems contains problem("at_risk", link_address(label), says) if {
	some label, load in shared
	load.use <= 100
	load.cycles <= 100
	load.cycles > 50
	says := sprintf("is at risk: the cycles of its estimates take %v %% of the RPOs together", [floor(load.cycles)])
}

# --- how long it lasts: holds_months

# What ends the verdict of today: an estimate that meets its RPO until it is at risk, one that is at risk until it
# misses.
lasts(s) := s.values.months_until_at_risk if {
	s.type == "vsla_replication_estimate"
	s.values.verdict == "meets"
}

lasts(s) := s.values.months_until_miss if {
	s.type == "vsla_replication_estimate"
	s.values.verdict == "at_risk"
}

lasts(s) := s.values.months_until_full if {
	s.type == "vsla_replica_storage"
	is_boolean(s.values.fits)
}

horizons contains {"subject": s, "months": item.holds_months} if {
	some item in settings.expected
	is_number(item.holds_months)
	item.holds_months > 0
	some s in subjects
	s.inputs
	plan.means(item.address, s.address)
}

problems contains problem("exhausts_before", h.subject.address, says) if {
	some h in horizons
	is_number(lasts(h.subject))
	lasts(h.subject) < h.months
	says := sprintf("holds for %v months; the settings ask for %v", [floor(lasts(h.subject)), h.months])
}

problems contains problem("unknown", h.subject.address, says) if {
	some h in horizons
	not foreseen(h)
	asks := "growth_percent_per_year and horizon_months"
	says := sprintf("does not show whether it holds for %v months: give %s", [h.months, asks])
}

foreseen(h) if {
	is_number(h.subject.values.growth_percent_per_year)
	horizon := given(h.subject.values, "horizon_months", standard_horizon(h.subject.type))
	is_number(horizon)
	horizon >= h.months
	lasts(h.subject) == null
}

foreseen(h) if {
	is_number(h.subject.values.growth_percent_per_year)
	is_number(lasts(h.subject))
}

# It is denied as it is.
foreseen(h) if h.subject.values.verdict == "misses"

standard_horizon(type) := calculators.calculators[type].inputs.horizon_months
