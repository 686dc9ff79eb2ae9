package clusterpairs_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/fault"
	lab "terraform-provider-vsla/internal/dev/lab/snapservice"
)

func TestAccClusterPairs(t *testing.T) {
	t.Parallel()
	p := acctest.StartProtection(t, acctest.ProtectionConfig{})
	config := p.Provider() + fmt.Sprintf("data \"vsla_cluster_pairs\" \"here\" {\n  cluster_id = %q\n}\n", p.Cluster(0))
	is := func(attribute, want string) resource.TestCheckFunc {
		return resource.TestCheckResourceAttr("data.vsla_cluster_pairs.here", attribute, want)
	}
	pair := "pairs." + lab.PairID(p.Cluster(0))
	disturbed := fmt.Sprintf(`{"items": [{"cluster_pair": "pair-1", "info": {
  "local_cluster": {"site": "site-1", "vcenter": "vc-1", "cluster": %q, "cluster_name": "C0"},
  "peer_cluster": {"site": "site-2", "vcenter": "vc-2", "cluster": "domain-c1", "cluster_name": "C1"},
  "connection_status": "WARNING",
  "connection_warnings": [{"messages": [{"id": "x", "default_message": "The link is slow.", "args": []}]}]
}}]}`, p.Cluster(0))
	p.Run(t,
		resource.TestStep{
			Config: config,
			Check: resource.ComposeAggregateTestCheckFunc(
				is("pairs.%", "1"),
				is("ids."+lab.PeerCluster, lab.PairID(p.Cluster(0))),
				is(pair+".licence_mode", "OPERATIONAL"),
				is(pair+".peer_cluster_id", "domain-c99"),
				is(pair+".peer_cluster_name", lab.PeerCluster),
				is(pair+".peer_site_id", lab.PeerSite),
				is(pair+".peer_vcenter_id", "e0000000-0000-4000-8000-00000000ffff"),
				is(pair+".status", "OK"),
				is(pair+".reasons.#", "0"),
			),
		},
		acctest.After(func() {
			p.Traffic().Break(fault.Rule{Kind: "pairs", Status: http.StatusOK, Body: disturbed})
		}, resource.TestStep{
			Config: config,
			Check: resource.ComposeAggregateTestCheckFunc(
				is("pairs.pair-1.status", "WARNING"),
				is("pairs.pair-1.reasons.0", "The link is slow."),
			),
		}),
	)
}
