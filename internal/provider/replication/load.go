// How much work for the gateway a plan amounts to.

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
	// requestsPerChange is the number of requests that a create or a change takes during apply: one to send it, one for
	// its replicas, and its share of listings, of polls and of lists of VMs.
	requestsPerChange = 4
	// longMinutes is the first duration that is worth a warning; the next ones are twice as long each.
	longMinutes = 5
	// sampled is how many VMs of a plan are always checked one by one, for limits that all VMs of a site share. When
	// one of those that are checked allows less than usual, so are all that follow.
	sampled = 5
)

// load counts the replications that this run of Terraform creates or changes. The zero value is ready for use.
type load struct {
	mu   sync.Mutex
	seen map[string]bool
	// unusual: a VM allows less than VMs usually do, so others may as well.
	unusual bool
}

// compare notes what replication can do with one of the VMs.
func (l *load) compare(can vr.Capability) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unusual = l.unusual || can.MinRPOMinutes > leastCommonRPO || !can.AutoReplicate
}

// samples reports whether the check of the first VMs stands for this one, by its number.
func (l *load) samples(number int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return number > sampled && !l.unusual
}

// add counts a replication, once, and returns its number.
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

// long returns the duration that the number of replications has just reached, in minutes; 0 for none worth a warning.
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

// report logs the progress of the plan, and warns when applying it takes long.
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
