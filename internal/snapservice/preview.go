package snapservice

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"terraform-provider-vsla/internal/transport"
)

// Candidate is a VM in a preview. Change is ADD, EXISTING, REMOVE or EXCLUDE.
type Candidate struct {
	ID       string    `json:"vm"`
	Name     string    `json:"vm_name"`
	GroupIDs []string  `json:"protection_groups"`
	Change   string    `json:"membership_change_type"`
	Reasons  []Message `json:"membership_change_reasons"`
}

// Preview lists the VMs that a group would include and exclude. VMs that the account cannot read may be missing from
// both lists.
type Preview struct {
	Included transport.List[Candidate] `json:"included_vms"`
	Excluded transport.List[Candidate] `json:"excluded_vms"`
}

// CandidateIDs returns the sorted IDs of the candidates whose Change is one of the given changes, or of all candidates
// if no changes are given.
func CandidateIDs(list []Candidate, changes ...string) []string {
	ids := make([]string, 0, len(list))
	for _, v := range list {
		if len(changes) == 0 || slices.Contains(changes, v.Change) {
			ids = append(ids, v.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

type preview struct {
	readAt time.Time
	Preview
}

// Preview returns the members that a group would have with the given targets. If group is empty, it previews a new
// group. Results are cached for a minute. Errors: ErrRelease if the appliance runs release 9.0.
func (c *Client) Preview(ctx context.Context, cluster, group string, targets Targets) (Preview, error) {
	text, err := json.Marshal(targets)
	if err != nil {
		return Preview{}, fmt.Errorf("preview the members of a group: %w", err)
	}
	key := cluster + "/" + group + "/" + string(text)
	compute := func(ctx context.Context) (*preview, error) { return c.computePreview(ctx, cluster, group, targets) }
	isRecent := func(p *preview) bool { return c.config.Now().Sub(p.readAt) <= Shared }
	p, err := c.previews.GetIf(ctx, key, compute, isRecent)
	if err != nil {
		return Preview{}, err
	}
	return p.Preview, nil
}

func (c *Client) computePreview(ctx context.Context, cluster, group string, targets Targets) (*preview, error) {
	if _, err := c.CheckVCenter(ctx); err != nil {
		return nil, err
	}
	body := struct {
		Cluster string  `json:"cluster_id"`
		Group   string  `json:"protection_group,omitempty"`
		Create  *Spec   `json:"create_spec,omitempty"`
		Update  *Change `json:"update_spec,omitempty"`
	}{Cluster: cluster, Group: group}
	if group == "" {
		// The preview does not create a group with this name.
		body.Create = &Spec{Name: "vsla preview", Targets: targets}
	} else {
		body.Update = &Change{Targets: &targets}
	}
	p := &preview{readAt: c.config.Now()}
	err := c.call(ctx, request{operation: computeMembers, body: body}, &p.Preview)
	if err := c.asReleaseError(ctx, err); err != nil {
		return nil, err
	}
	byID := func(a, b Candidate) int { return strings.Compare(a.ID, b.ID) }
	slices.SortFunc(p.Included, byID)
	slices.SortFunc(p.Excluded, byID)
	return p, nil
}
