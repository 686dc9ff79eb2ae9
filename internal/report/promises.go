// What results promise, how sure that is, and what would make them hold.

package report

const estimateType = "vsla_replication_estimate"

// inputOr returns an input, or its default.
func (in *instance) inputOr(name string) float64 {
	if v, ok := in.number(name); ok {
		return v
	}
	v, _ := inputField(in.kind, name).Default.(float64)
	return v
}

func rpoPromise(in *instance) string {
	text := "RPO " + in.format("rpo_minutes")
	if n, ok := in.number("vm_count"); ok {
		text += ", " + count(int(n), "VM")
	}
	if _, ok := in.number("total_gib"); ok {
		text += ", " + in.format("total_gib")
	}
	return text
}

// changeAssumption returns an estimate's assumption about the change of the busiest cycle.
func changeAssumption(in *instance) string {
	switch in.text("change_assumption") {
	case "whole_day":
		return "worst case: a day's change in one cycle"
	case "peak_factor":
		return "change at " + in.format("peak_factor") + " times the daily mean"
	case "curve":
		return "by the change curve"
	}
	return ""
}

func scheduleRuns(in *instance) string {
	n, _ := in.number("runs_simulated")
	text := in.format("within_rpo_percent") + " of the time at least, in " + count(int(n), "run")
	if assumed := scheduleAssumption(in); assumed != "" {
		text += ", " + assumed
	}
	return text
}

func estimateOptions(in *instance) []string {
	var options []string
	if _, ok := in.number("throughput_violation_free_mbps"); ok {
		options = append(options, "provide "+in.format("throughput_violation_free_mbps")+
			" (now "+in.format("throughput_mbps")+")")
	}
	if _, ok := in.number("min_rpo_minutes"); ok {
		options = append(options, "promise an RPO of "+in.format("min_rpo_minutes"))
	}
	if n, ok := in.number("max_vm_count"); ok && n > 0 {
		options = append(options, "replicate "+count(int(n), "VM")+" at most")
	}
	if len(options) == 0 {
		options = append(options, "reduce the change or the overhead of a sync")
	}
	return options
}

func scheduleOptions(in *instance) []string {
	var options []string
	if need, ok := in.number("throughput_for_target_mbps"); ok {
		if given, flat := in.number("throughput_mbps"); !flat || need > given {
			options = append(options, "provide "+in.format("throughput_for_target_mbps"))
		}
	}
	return append(options, "promise longer RPOs")
}
