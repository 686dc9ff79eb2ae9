package vr

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Issue is a problem with a replication or one of its sites.
type Issue struct {
	Entity      string
	EntityName  string
	Description string
	// Status is WARNING or ERROR. Type is VC, VRS, VRMS or UNKNOWN.
	Status string
	Type   string
	At     time.Time
}

// Issues lists the issues of a pairing's replications. It returns nil if the gateway does not support the list.
func (c *Client) Issues(ctx context.Context, pairing string) ([]Issue, error) {
	type wire struct {
		Entity      string `json:"entity"`
		EntityName  string `json:"entity_name"`
		Description string `json:"description"`
		At          int64  `json:"timestamp"`
		Status      string `json:"status"`
		Type        string `json:"issue_type"`
	}
	r := request{template: replicationsTemplate + "/issues", ids: []string{pairing}, pairing: pairing}
	key := func(w wire) string { return fmt.Sprintf("%s %020d %s", w.Entity, w.At, w.Description) }
	issues, err := sortedList(ctx, c, r, "", key, func(w wire) Issue {
		return Issue{
			Entity:      w.Entity,
			EntityName:  w.EntityName,
			Description: w.Description,
			Status:      w.Status,
			Type:        w.Type,
			At:          fromMillis(w.At),
		}
	})
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	return issues, err
}
