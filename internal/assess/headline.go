package assess

import (
	"cmp"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/wording"
)

const maxHeadlined = 2

// Headline states how many promises hold, and of the worst ones why they do not. The worst ones come first.
func Headline(promises []*Assessment) string {
	n, hold := len(promises), 0
	for _, a := range promises {
		if a.Level == wording.Holds {
			hold++
		}
	}
	var b strings.Builder
	switch {
	case hold == n && n == 1:
		b.WriteString("The promise holds.")
	case hold == n:
		b.WriteString("All " + plan.Thousands(float64(n), 0) + " promises hold.")
	default:
		b.WriteString(plan.Thousands(float64(hold), 0) + " of " + wording.Count(n, "promise"))
		b.WriteString(map[bool]string{true: " holds.", false: " hold."}[n == 1])
	}
	for _, a := range promises[:min(n-hold, maxHeadlined)] {
		clause := map[wording.Level]string{
			wording.Misses: "does not", wording.AtRisk: "is at risk", wording.Unknown: "is not known",
		}[a.Level]
		b.WriteString(" " + wording.Capital(a.Title) + " " + clause)
		if a.Told.Short != "" {
			b.WriteString(": " + a.Told.Short)
		}
		b.WriteByte('.')
	}
	return b.String()
}

// NotCounted names the inputs whose absence may hide a miss; empty without one.
func NotCounted(promises []*Assessment) string {
	var labels []string
	for _, a := range promises {
		p, ok := As[*Promise](a)
		if !ok {
			continue
		}
		for _, name := range p.Plan.Result.NotCounted {
			label := cmp.Or(notCountedWords[name], strings.ToLower(wording.Label(name)))
			if !slices.Contains(labels, label) {
				labels = append(labels, label)
			}
		}
	}
	if len(labels) == 0 {
		return ""
	}
	return "Not in this verdict, because it was not given: " + quantity.List(labels, len(labels)) + "."
}

var notCountedWords = map[string]string{
	"free_gib": "the free space of the target", "write_mbps": "what the target writes",
	"overhead_seconds": "the overhead of a sync", "per_sync_mbps": "the rate of one sync",
	"throughput_basis": "how the throughput is known", "peak_factor": "the busiest time of the day",
	"source_read_mbps": "what the storage of the VMs reads",
}
