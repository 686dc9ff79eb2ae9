package link_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/gateway"
)

const address = "data.vsla_replication_link.x"

func config(s *acctest.Sites, more string) string {
	return fmt.Sprintf("%sdata \"vsla_replication_link\" \"x\" {\n  pairing_id = %q\n  %s\n}\n",
		s.Provider(), s.PairingID(), more)
}

// TestAccLink verifies that known units are converted, that unknown ones are shown but not used, and that the oldest
// and worst of the selected mappings counts.
func TestAccLink(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 2, gateway.Switches{Latest: gateway.Latest{Mappings: true}})
	clusters := s.Protected.Clusters()
	target := s.Recovery.Clusters()[0].ID
	ago := func(d time.Duration) int64 { return s.Now().Add(-d).UnixMilli() }
	twoDaysAgo := time.UnixMilli(ago(48 * time.Hour)).UTC().Format(time.RFC3339)
	s.SetMappings(
		gateway.Mapping{
			Source:          clusters[0].ID,
			Target:          target,
			Throughput:      2,
			ThroughputUnits: "Gbps",
			Latency:         5,
			LatencyUnits:    "ms",
			Status:          "OK",
			TestedAt:        ago(48 * time.Hour),
		},
		gateway.Mapping{
			Source:          clusters[1].ID,
			Target:          target,
			Throughput:      940,
			ThroughputUnits: "MBIT_PER_SEC",
			Latency:         7,
			LatencyUnits:    "ms",
			Status:          "OK",
			TestedAt:        ago(24 * time.Hour),
		},
	)
	is := resource.TestCheckResourceAttr
	s.Run(
		t,
		resource.TestStep{
			Config: config(s, `source_cluster_id = "`+clusters[0].ID+`"`),
			Check: resource.ComposeAggregateTestCheckFunc(
				is(address, "mappings.#", "1"),
				is(address, "min_throughput_mbps", "2000"), // 2 Gbit/s
				is(address, "max_latency_ms", "5"),
				is(address, "assumed.0", `The throughput unit "Gbps" has its usual meaning.`),
				acctest.CheckNear(address, "age_days", 2, 0.01),
				is(address, "measured_at", twoDaysAgo),
				is(address, "summary", "1 replication mapping: throughput at least 2000 Mbit/s, measured 2 days ago."),
				is(address, "mappings.0.status", "OK"),
				is(address, "mappings.0.measured_at", twoDaysAgo),
				is(address, "mappings.0.reported_latency", "5 ms"),
				is(address, "mappings.0.source_cluster_name", clusters[0].Name),
				is(address, "mappings.0.target_cluster_name", s.Recovery.Clusters()[0].Name),
			),
		},
		resource.TestStep{
			Config: config(s, ""),
			Check: resource.ComposeAggregateTestCheckFunc(
				is(address, "mappings.#", "2"),
				resource.TestCheckNoResourceAttr(address, "min_throughput_mbps"),
				is(address, "max_latency_ms", "7"),
				is(
					address,
					"mappings.0.reported_throughput",
					"940 MBIT_PER_SEC",
				), // sorted by ID: domain-c16, domain-c9
			),
		},
		acctest.FailingStep(
			config(s, `target_cluster_id = "domain-c999"`),
			`no replication mapping.*existing mappings`,
		),
	)
}

func TestAccLink_notOffered(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 2, gateway.Switches{})
	s.Run(t, acctest.FailingStep(config(s, ""), `[Tt]he release of vSphere Replication does not offer this`))
}
