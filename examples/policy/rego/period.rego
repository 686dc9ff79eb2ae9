# Judges measurements over a period: data.vsla_sla_compliance with lookback_hours, and data.vsla_replication_history if
# the settings have min_compliance_percent or expect it.
package vsla.verdict

import data.vsla.plan
import data.vsla.settings

# --- tiers over a period: data.vsla_sla_compliance

# Periods by tier; empty without lookback_hours.
periods(s) := given(s.values, "periods", {})

# Tiers whose periods make the result noncompliant.
bad_periods(s) := [name | some name, p in periods(s); p.verdict in {"broken", "unknown"}]

# Every tier with a promised compliance_percent has a period, and no verdict contradicts its figures.
periods_sound(s) if {
	is_object(periods(s))
	every name, tier in given(s.values, "tiers", {}) {
		promise_measured(s, name, tier)
	}
	every _, p in periods(s) {
		period_sound(p)
	}
}

promise_measured(_, _, tier) if plan.value(tier, "compliance_percent") == null

promise_measured(s, name, tier) if periods(s)[name].promised_compliance_percent == tier.compliance_percent

period_sound(p) if {
	p.verdict == "kept"
	p.unknown_vm_count == 0
	percentage(p.compliance_percent)
	p.compliance_percent >= p.promised_compliance_percent
	is_number(p.promised_compliance_percent)
	known_enough(p)
}

# The known time must be enough to keep the promise. Up to 5% of each VM's time may be unknown.
known_enough(p) if {
	all_minutes := p.known_minutes + p.unknown_minutes
	100 * (p.known_minutes - p.violation_minutes) >= (0.95 * all_minutes) * p.promised_compliance_percent
}

period_sound(p) if {
	p.verdict == "broken"
	is_number(p.compliance_percent)
	p.compliance_percent < p.promised_compliance_percent
}

period_sound(p) if {
	p.verdict == "unknown"
	is_number(p.promised_compliance_percent)
}

period_sound(p) if {
	p.verdict == "not_promised"
	p.promised_compliance_percent == null
}

period_sound(p) if {
	p.verdict == "no_vms"
	p.vm_count == 0
}

problems contains problem("period_broken", s.address, says) if {
	some s in subjects
	s.type == "vsla_sla_compliance"
	some name, p in periods(s)
	p.compliance_percent < p.promised_compliance_percent
	is_number(p.compliance_percent)
	figures := [name, p.compliance_percent, p.promised_compliance_percent]
	says := sprintf("has a VM of tier %s that was within its RPO for only %v%% of the known time; the tier promises %v%%", figures)
}

problems contains problem("not_measured", s.address, says) if {
	some s in subjects
	s.type == "vsla_sla_compliance"
	some name, p in periods(s)
	p.verdict == "unknown"
	says := sprintf("cannot judge the period of tier %s: too little is known about %v VMs", [name, p.unknown_vm_count])
}

# --- data.vsla_replication_history

sound(s) if {
	s.type == "vsla_replication_history"
	times_known(s.values.total)
	s.values.total.known_minutes == 0
	s.values.total.compliance_percent == null
}

sound(s) if {
	s.type == "vsla_replication_history"
	times_known(s.values.total)
	s.values.total.known_minutes > 0
	percentage(s.values.total.compliance_percent)
}

times_known(total) if {
	is_number(total.known_minutes)
	is_number(total.unknown_minutes)
}

problems contains problem("low_compliance", s.address, says) if {
	some s in subjects
	s.type == "vsla_replication_history"
	sound(s)
	is_number(s.values.total.compliance_percent)
	s.values.total.compliance_percent < settings.min_compliance_percent
	figures := [s.values.total.compliance_percent, settings.min_compliance_percent]
	says := sprintf("was within the RPO for %v%% of the known time; the settings require %v%%", figures)
}

problems contains problem("not_measured", s.address, "has no known time in its period") if {
	some s in subjects
	s.type == "vsla_replication_history"
	sound(s)
	s.values.total.compliance_percent == null
}

# --- warning about unknown time

# The figures of each period by tier. A history has a single period, whose name is empty.
measured(s) := periods(s) if s.type == "vsla_sla_compliance"

measured(s) := {"": s.values.total} if s.type == "vsla_replication_history"

unknown_time contains {"code": "unknown_time", "address": s.address, "msg": message} if {
	some s in subjects
	some name, p in measured(s)
	all_minutes := p.known_minutes + p.unknown_minutes
	all_minutes > 0
	share := (100 * p.unknown_minutes) / all_minutes
	share > settings.max_unknown_percent
	whose := [sprintf(" of tier %s", [tier]) | some tier in [name]; tier != ""]
	figures := [s.address, ceil(share), concat("", whose), settings.max_unknown_percent]
	message := sprintf("%s: %v%% of the period%s is not known; the settings warn above %v%%", figures)
}
