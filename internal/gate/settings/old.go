package settings

import "go.yaml.in/yaml/v3"

// replacements contains the line to write in place of a key of former settings.
var replacements = map[string]string{
	"gate": "write its content without `gate:`",
	"expected": "write `promises: { gold: { rpo_minutes: 15, tag: sla/gold, " +
		"min_daily_change_percent: 2 } }`",
	"removals":               "write `changes: { max_removes: 2 }`",
	"require_bounds":         "delete the line: bounds are always required",
	"approvers":              "write `changes: { approvers: [capacity-board] }`",
	"max_waiver_days":        "write `changes: { max_waiver_days: 90 }`",
	"min_headroom_percent":   "write `targets: { dr: { min_headroom_percent: 20 } }`",
	"vmotion_links":          "write `results: { vsla_link_throughput: { min_throughput_mbps: 1000 } }`",
	"max_uncovered":          "write `results: { vsla_sla_compliance: { max_uncovered: 0 } }`",
	"min_compliance_percent": "write `results: { vsla_replication_history: { min_compliance_percent: 99 } }`",
	"max_unknown_percent":    "delete the line",
	"unverified_outputs":     "delete the line: an output is never accepted as a result",
	"today":                  "delete the line: use --today",
	"author":                 "delete the line: use --author",
}

// refuseTiers refuses a tiers file, which the commands that plan read.
func (s *Settings) refuseTiers() {
	if line, given := s.lines["tiers"]; given && s.lines["promises"] == 0 {
		s.problem(line, "this is a tiers file, as `vsla review --tiers` reads it, and not the settings of the gate; "+
			"`vsla gate --init PLAN.json` writes those")
	}
}

// refuseOld refuses the former settings, which named addresses, with the line to write.
func (s *Settings) refuseOld(root *yaml.Node) {
	if len(root.Content) == 0 || root.Content[0].Kind != yaml.MappingNode {
		if len(root.Content) > 0 {
			s.problem(root.Content[0].Line, "the settings must be a map with `promises`")
		}
		return
	}
	pairs := root.Content[0].Content
	for i := 0; i+1 < len(pairs); i += 2 {
		name, value := pairs[i], pairs[i+1]
		if name.Value == "gate" && value.Kind == yaml.MappingNode {
			for j := 0; j+1 < len(value.Content); j += 2 {
				s.refuseKey(value.Content[j])
			}
		}
		if name.Value == "promises" && value.Kind == yaml.SequenceNode {
			s.problem(name.Line, "promises are by tier now: write `promises: { gold: { rpo_minutes: 15 } }`")
			continue
		}
		s.refuseKey(name)
	}
	if len(s.Problems) > 0 {
		s.problem(0, "these are settings of a former version; `vsla gate --init PLAN.json` writes the new ones")
	}
}

func (s *Settings) refuseKey(name *yaml.Node) {
	if write, ok := replacements[name.Value]; ok {
		s.problem(name.Line, "%s is no setting any more: %s", name.Value, write)
	}
}
