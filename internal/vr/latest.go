package vr

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// ErrNotOffered is returned by operations of later releases. It is decided by the response, not by the version.
var ErrNotOffered = errors.New("the release of vSphere Replication does not offer this")

func notOffered(err error) error {
	if errors.Is(err, ErrNotFound) {
		return ErrNotOffered
	}
	return err
}

// Mapping is a pair of compute resources at the two sites, with the result of the last test between them.
type Mapping struct {
	SourceID   string
	SourceName string
	TargetID   string
	TargetName string
	// Status is OK, IN_PROGRESS, WARNING, ERROR or NA. Later releases may add values.
	Status string
	// TestedAt is the end of the last test, or zero.
	TestedAt time.Time
	// Throughput and Latency are the least throughput and the greatest latency. They are nil if they were not measured.
	// The API lists no values for their units.
	Throughput                    *int64
	Latency                       *int64
	ThroughputUnits, LatencyUnits string
}

const mappingsTemplate = "/pairings/{pairing_id}/vrs/{vr_id}/replication-mappings"

// Mappings lists the replication mappings of a management server, sorted by ID. Errors: ErrNotOffered.
func (c *Client) Mappings(ctx context.Context, pairing, vrms string) ([]Mapping, error) {
	type wire struct {
		SourceID        string `json:"source_object_id"`
		SourceName      string `json:"source_object_name"`
		TargetID        string `json:"target_object_id"`
		TargetName      string `json:"target_object_name"`
		Status          string `json:"connection_status"`
		TestedAt        int64  `json:"test_completion_time"`
		Throughput      *int64 `json:"min_throughput"`
		Latency         *int64 `json:"max_latency"`
		ThroughputUnits string `json:"throughput_units"`
		LatencyUnits    string `json:"latency_units"`
	}
	r := request{template: mappingsTemplate, ids: []string{pairing, vrms}, pairing: pairing}
	all, err := sortedList(ctx, c, r, "", func(w wire) string { return w.SourceID + " " + w.TargetID },
		func(w wire) Mapping {
			return Mapping{
				SourceID:        w.SourceID,
				SourceName:      w.SourceName,
				TargetID:        w.TargetID,
				TargetName:      w.TargetName,
				Status:          cmp.Or(w.Status, "NA"),
				TestedAt:        fromMillis(w.TestedAt),
				Throughput:      w.Throughput,
				Latency:         w.Latency,
				ThroughputUnits: w.ThroughputUnits,
				LatencyUnits:    w.LatencyUnits,
			}
		})
	return all, notOffered(err)
}

// TestMappings starts a test of the given mappings. The throughput test loads the network and the CPUs of the hosts.
// Errors: ErrNotOffered, ErrUncertain.
func (c *Client) TestMappings(
	ctx context.Context, pairing, vrms string, mappings []Mapping, throughput bool,
) (Task, error) {
	type pair struct {
		SourceID string `json:"source_object_id"`
		TargetID string `json:"target_object_id"`
	}
	pairs := make([]pair, 0, len(mappings))
	for _, m := range mappings {
		pairs = append(pairs, pair{m.SourceID, m.TargetID})
	}
	task, err := c.startTask(ctx, request{
		method:   http.MethodPost,
		template: mappingsTemplate + "/actions/run-tests",
		ids:      []string{pairing, vrms},
		pairing:  pairing,
		body:     map[string]any{"replication_mappings_specs": pairs, "run_throughput_test": throughput},
	}, pairing)
	return task, notOffered(err)
}

// RPOLimits are the least and the greatest RPO in minutes. 0 means that the release does not report it.
type RPOLimits struct{ MinMinutes, MaxMinutes int64 }

// RPOLimits reads the limits of a pairing. If the release does not report them, both are 0. The result is cached.
func (c *Client) RPOLimits(ctx context.Context, pairing string) (RPOLimits, error) {
	return c.rpoLimits.Get(ctx, pairing, func(ctx context.Context) (RPOLimits, error) {
		var w struct {
			Min int64 `json:"min_rpo"`
			Max int64 `json:"max_rpo"`
		}
		err := c.call(ctx, request{
			method:   http.MethodGet,
			template: "/pairings/{pairing_id}/replication-capabilities",
			ids:      []string{pairing},
			pairing:  pairing,
		}, &w)
		if errors.Is(err, ErrNotFound) {
			err = nil
		}
		return RPOLimits{MinMinutes: w.Min, MaxMinutes: w.Max}, err
	})
}

// HasTestImage reports whether a test recovery of the replication is active. Only the recovery site knows. It returns
// false if the release does not report it.
func (c *Client) HasTestImage(ctx context.Context, pairing, id string) (bool, error) {
	var w struct {
		Test bool `json:"test_bubble_image"`
	}
	err := c.call(ctx, request{
		method:   http.MethodGet,
		template: replicationTemplate + "/active-image",
		ids:      []string{pairing, id},
		pairing:  pairing,
		query:    url.Values{},
	}, &w)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return w.Test, err
}

// HasObject reports whether an object ID, such as "ClusterComputeResource:domain-c9:<vCenter>", is the given full ID or
// has the given managed object ID. An empty ID matches any object.
func HasObject(objectID, wanted string) bool {
	return wanted == "" || strings.EqualFold(objectID, wanted) || MOIDOf(objectID) == wanted
}
