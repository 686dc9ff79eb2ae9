package assess

import "slices"

var scheduleRules = []Rule{
	{
		"A sync starts at most one configured RPO after the previous one, so a recovery point is at most as old as " +
			"the configured RPO and the next sync together. Concurrent syncs share the link equally.",
		rpoGuide,
	},
	{"There are no violations of the configured RPO while a sync takes at most half of it.", rpoGuide},
}

var rpoRules = append(slices.Clip(scheduleRules), Rule{
	"A published test only requires that the changes of one cycle can be sent within the RPO. It does not decide the " +
		"verdict.",
	"VMware performance blog on vSphere Replication 6.0",
})

var rules = map[string][]Rule{
	"replication": rpoRules,
	"plan":        scheduleRules,
	"vmotion": {{
		"Memory is copied in rounds until the rest fits in the switchover. A migration requires 250 Mbit/s and at " +
			"most 150 ms RTT.",
		"vSphere 6.5 documentation, vMotion networking requirements; Broadcom KB 2106949",
	}},
	"migration": {{
		"Each migration uses slots of its hosts, network adapters and datastores.",
		"vSphere 6.7 documentation, limits on simultaneous migrations",
	}},
}

const rpoGuide = "vSphere Replication documentation, How the Recovery Point Objective Affects Replication Scheduling " +
	"(5.5 to 9.0)"
