package replication

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"terraform-provider-vsla/internal/vr"
)

const (
	// requestsPerChange is the number of requests per create or update: one to configure the replication, one to read
	// its replicas, and a share of the list and poll requests.
	requestsPerChange = 4
	// changeSeconds is the usual time of a create or update without a request limit: its task ends before the third
	// poll.
	changeSeconds = 8
	// parallelism is the number of objects that Terraform changes at a time by default.
	parallelism = 10
	// firstWarnMinutes is the estimated duration in minutes that triggers the first warning. The threshold doubles
	// after each warning.
	firstWarnMinutes = 5
	// sampleSize is the number of VMs that are checked individually to detect site-wide limits. If one of them has an
	// unusual capability, the remaining VMs are also checked individually.
	sampleSize = 5
)

// changeCounter counts the replications that this run creates or changes. The zero value is ready to use.
type changeCounter struct {
	mu   sync.Mutex
	seen map[string]bool
	// unusual is true if one of the checked VMs has an unusual capability.
	unusual bool
}

func (c *changeCounter) recordCapability(can vr.Capability) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unusual = c.unusual || can.MinRPOMinutes > usualMinRPO || !can.AutoReplicate
}

// sampleComplete reports whether the replication with this number needs no individual check.
func (c *changeCounter) sampleComplete(number int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return number > sampleSize && !c.unusual
}

// add counts a replication once. It returns the number of replications so far.
func (c *changeCounter) add(key string) (number int, added bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen == nil {
		c.seen = make(map[string]bool)
	}
	added = !c.seen[key]
	c.seen[key] = true
	return len(c.seen), added
}

// countAndWarn counts a planned change and warns at each threshold of the estimated duration. It returns the number of
// changes so far.
func (c *changeCounter) countAndWarn(
	ctx context.Context, client *vr.Client, plan model, diags *diag.Diagnostics,
) (number int) {
	number, added := c.add(plan.workKey())
	tflog.Info(ctx, "Planning a replication", map[string]any{"vm_id": plan.VMID.ValueString(), "number": number})
	limit := client.RequestsPerMinute()
	minutes := warnMinutes(number, limit)
	if !added || minutes == 0 {
		return number
	}
	reason := fmt.Sprintf("%d changes x %d s / %d at a time = %d minutes. With -parallelism, Terraform changes more "+
		"at a time, as far as the appliance accepts the requests.", number, changeSeconds, parallelism, minutes)
	if limit > 0 {
		reason = fmt.Sprintf("%d changes x %d requests / %d requests per minute = %d minutes. The limit is "+
			"requests_per_minute in the provider's replication argument (VSLA_REPLICATION_REQUESTS_PER_MINUTE). "+
			"Increase it if the appliance allows more. -parallelism does not shorten this.",
			number, requestsPerChange, limit, minutes)
	}
	diags.AddWarning(
		fmt.Sprintf("Applying the Replications Takes More Than %d Minutes", minutes),
		"At least "+reason+" TF_LOG=INFO shows the progress. The initial syncs come after that.")
	return number
}

// secondsPerChange estimates the time per create or update. perMinute is the request limit, or 0.
func secondsPerChange(perMinute int) float64 {
	seconds := float64(changeSeconds) / parallelism
	if perMinute > 0 {
		seconds = max(seconds, requestsPerChange*time.Minute.Seconds()/float64(perMinute))
	}
	return seconds
}

// warnMinutes returns the warning threshold, in minutes, that the estimated duration reaches with this number of
// replications but not with one fewer. It returns 0 if there is no such threshold.
func warnMinutes(number, perMinute int) int {
	each := secondsPerChange(perMinute)
	before := float64(number - 1)
	reached := 0
	for limit := firstWarnMinutes; (before+1)*each >= float64(limit)*time.Minute.Seconds(); limit *= 2 {
		if before*each < float64(limit)*time.Minute.Seconds() {
			reached = limit
		}
	}
	return reached
}
