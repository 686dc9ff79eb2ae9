package gateway

import (
	"net/http"
	"slices"
	"strings"
)

// Mapping is a pair of compute resources at the two sites with its last test. A zero Throughput means that it was not
// measured.
type Mapping struct {
	// Source and Target are managed object IDs of clusters at the protected and the recovery site.
	Source          string
	Target          string
	Throughput      int64
	ThroughputUnits string
	Latency         int64
	LatencyUnits    string
	// Status is OK, IN_PROGRESS, WARNING, ERROR or NA. TestedAt is the end of the last test, in milliseconds.
	Status   string
	TestedAt int64
}

// SetMappings sets the replication mappings. Without a call, there is one between the first clusters of the two sites,
// which has not been tested.
func (g *Gateway) SetMappings(mappings ...Mapping) {
	defer g.lock()()
	g.mappings = mappings
}

func (g *Gateway) allMappings() []Mapping {
	if g.mappings == nil {
		sources := g.local.vc.Clusters()
		targets := g.remote.vc.Clusters()
		if len(sources) == 0 || len(targets) == 0 {
			return nil
		}
		g.mappings = []Mapping{{Source: sources[0].ID, Target: targets[0].ID, Status: "NA"}}
	}
	return g.mappings
}

type mappingInfo struct {
	SourceID        string `json:"source_object_id"`
	TargetID        string `json:"target_object_id"`
	SourceName      string `json:"source_object_name"`
	TargetName      string `json:"target_object_name"`
	TestedAt        int64  `json:"test_completion_time,omitempty"`
	Status          string `json:"connection_status"`
	Latency         *int64 `json:"max_latency,omitempty"`
	LatencyUnits    string `json:"latency_units,omitempty"`
	Throughput      *int64 `json:"min_throughput,omitempty"`
	ThroughputUnits string `json:"throughput_units,omitempty"`
}

func clusterID(s *site, moid string) string { return "ClusterComputeResource:" + moid + ":" + s.vcID }

func (s *site) clusterName(moid string) string {
	for _, c := range s.vc.Clusters() {
		if c.ID == moid {
			return c.Name
		}
	}
	return moid
}

func (g *Gateway) listMappings(c *call) {
	if !g.offered(c, g.config.Switches.Latest.Mappings) {
		return
	}
	list := []mappingInfo{}
	for _, m := range g.allMappings() {
		info := mappingInfo{
			SourceID:        clusterID(g.local, m.Source),
			TargetID:        clusterID(g.remote, m.Target),
			SourceName:      g.local.clusterName(m.Source),
			TargetName:      g.remote.clusterName(m.Target),
			TestedAt:        m.TestedAt,
			Status:          m.Status,
			LatencyUnits:    m.LatencyUnits,
			ThroughputUnits: m.ThroughputUnits,
		}
		if m.TestedAt != 0 {
			info.Latency = &m.Latency
		}
		if m.Throughput != 0 {
			info.Throughput = &m.Throughput
		}
		list = append(list, info)
	}
	writePage(g, c, list, nil)
}

// testMappings measures 5 ms and, if asked, the rate of the link.
func (g *Gateway) testMappings(c *call) {
	if !g.offered(c, g.config.Switches.Latest.Mappings) {
		return
	}
	var spec struct {
		Mappings []struct {
			Source string `json:"source_object_id"`
			Target string `json:"target_object_id"`
		} `json:"replication_mappings_specs"`
		Throughput bool `json:"run_throughput_test"`
	}
	if !g.decodeBody(c, &spec) {
		return
	}
	all := g.allMappings()
	var tested []int
	for _, wanted := range spec.Mappings {
		found := false
		for i, m := range all {
			if wanted.Source == clusterID(g.local, m.Source) && wanted.Target == clusterID(g.remote, m.Target) {
				tested = append(tested, i)
				found = true
			}
		}
		if !found {
			g.writeBadRequest(c, "there is no mapping of "+wanted.Source+" and "+wanted.Target)
			return
		}
	}
	for i := range all {
		if len(spec.Mappings) == 0 {
			tested = append(tested, i)
		}
	}
	g.writeTask(c, g.newTask("runReplicationMappingsTests", "", "", nil, func(_ *task, _ TaskRule) {
		for _, i := range tested {
			m := &g.mappings[i]
			m.Status = "OK"
			m.TestedAt = millis(g.engine.Now())
			m.Latency = 5
			m.LatencyUnits = "ms"
			if spec.Throughput {
				m.Throughput = int64(g.config.Link * 8 / 1e6)
				m.ThroughputUnits = "Mbps"
			}
		}
	}, func() {}))
}

type replicationCapabilities struct {
	MinRPO         int32 `json:"min_rpo"`
	MaxRPO         int32 `json:"max_rpo"`
	ThroughputTest bool  `json:"throughput_test_supported"`
	Meta           *meta `json:"_meta,omitempty"`
}

func (g *Gateway) replicationCapabilities(c *call) {
	if !g.offered(c, g.config.Switches.Latest.Capabilities) {
		return
	}
	k := DefaultCapability()
	if id := c.r.URL.Query().Get("vm_id"); id != "" {
		m, ok := g.local.vc.VMState(moidOf(id))
		if !ok {
			g.writeStatus(c, http.StatusNotFound)
			return
		}
		k = g.capabilityOf(g.local, m)
	} else if g.config.Switches.Enhanced {
		k.MinRPOMinutes = 1
	}
	g.writeJSON(c, http.StatusOK, replicationCapabilities{
		MinRPO:         k.MinRPOMinutes,
		MaxRPO:         1440,
		ThroughputTest: g.config.Switches.Latest.Mappings,
		Meta:           &meta{Errors: []metaError{}},
	})
}

// SetActiveImage sets whether the VM has the image of a test recovery.
func (g *Gateway) SetActiveImage(vm string, active bool) bool {
	return g.withReplication(vm, func(r *replication) { r.activeImage = active })
}

type imageInfo struct {
	ID   string `json:"id"`
	Test bool   `json:"test_bubble_image"`
	Meta *meta  `json:"_meta,omitempty"`
}

func (g *Gateway) activeImage(c *call) {
	if !g.offered(c, g.config.Switches.Latest.ActiveImage) {
		return
	}
	r := g.replicationOf(c)
	switch {
	case r == nil:
	case !r.activeImage:
		g.writeStatus(c, http.StatusNotFound)
	default:
		g.writeJSON(c, http.StatusOK, imageInfo{
			ID:   strings.Replace(r.id, "GID", "IMAGE", 1),
			Test: true,
			Meta: &meta{Errors: []metaError{}},
		})
	}
}

// offered answers with 404 if the revision lacks the operation.
func (g *Gateway) offered(c *call, offered bool) bool {
	if !offered {
		g.writeStatus(c, http.StatusNotFound)
	}
	return offered
}

// Mappings returns the replication mappings.
func (g *Gateway) Mappings() []Mapping {
	defer g.lock()()
	return slices.Clone(g.allMappings())
}
