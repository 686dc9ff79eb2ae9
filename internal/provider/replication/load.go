package replication

import (
	"context"
	"fmt"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"terraform-provider-vsla/internal/vr"
)

const (
	// requestsPerChange is the number of requests per create or update: one to configure, one for replicas, and a
	// share of lists and polls.
	requestsPerChange = 4
	// longMinutes is the duration for the first warning. Each further warning doubles it.
	longMinutes = 5
	// sampled is the number of VMs that are always checked individually, because site-wide limits affect all VMs. If
	// one of them has an unusual capability, all following VMs are checked, too.
	sampled = 5
)

// load counts the replications that this run creates or changes. The zero value is ready for use.
type load struct {
	mu   sync.Mutex
	seen map[string]bool
	// unusual reports whether a checked VM supports less than usual.
	unusual bool
}

// compare records the capability of a VM.
func (l *load) compare(can vr.Capability) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unusual = l.unusual || can.MinRPOMinutes > leastCommonRPO || !can.AutoReplicate
}

// samples reports whether the VM with this number can skip the individual check.
func (l *load) samples(number int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return number > sampled && !l.unusual
}

// add counts a replication once and returns its number.
func (l *load) add(key string) (number int, added bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.seen == nil {
		l.seen = make(map[string]bool)
	}
	added = !l.seen[key]
	l.seen[key] = true
	return len(l.seen), added
}

// long returns the duration in minutes for which a warning is due, or 0.
func long(number, perMinute int) int {
	if perMinute == 0 {
		return 0
	}
	reached := 0
	for limit := longMinutes; number*requestsPerChange >= limit*perMinute; limit *= 2 {
		if (number-1)*requestsPerChange < limit*perMinute {
			reached = limit
		}
	}
	return reached
}

// report logs the planned replication and warns if applying the plan will take long.
func (l *load) report(ctx context.Context, c *vr.Client, plan model, diags *diag.Diagnostics) (number int) {
	number, added := l.add(plan.workKey())
	tflog.Info(ctx, "Planning a replication", map[string]any{"vm_id": plan.VMID.ValueString(), "number": number})
	minutes := long(number, c.RequestsPerMinute())
	if !added || minutes == 0 {
		return number
	}
	diags.AddWarning(
		fmt.Sprintf("Applying the Replications Takes More Than %d Minutes", minutes),
		fmt.Sprintf("At least %d replications are to be created or changed. That takes about %d requests to the gateway, "+
			"and "+
			"requests_per_minute of the provider's argument replication allows %d a minute. TF_LOG=INFO shows the progress. "+
			"Where the appliance allows more, raise requests_per_minute or VSLA_REPLICATION_REQUESTS_PER_MINUTE.",
			number, number*requestsPerChange, c.RequestsPerMinute()),
	)
	return number
}
