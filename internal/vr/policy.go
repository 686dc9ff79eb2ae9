package vr

import (
	"context"
	"fmt"
	"net/http"
	"strings"
)

// StoragePolicy is a storage policy of a vCenter.
type StoragePolicy struct {
	ID, Name string
	// VMEncryption reports whether the policy supports encrypted VMs.
	VMEncryption bool
}

// StoragePolicies lists the storage policies of a vCenter in the pairing, sorted by ID.
func (c *Client) StoragePolicies(ctx context.Context, pairing, vcenter string) ([]StoragePolicy, error) {
	type wire struct {
		ID           string `json:"storage_policy_id"`
		Name         string `json:"storage_policy_name"`
		VMEncryption bool   `json:"vm_encryption_supported"`
	}
	return sortedList(
		ctx,
		c,
		request{
			template: "/pairings/{pairing_id}/vcenters/{vcenter_id}/storage-policies",
			ids:      []string{pairing, vcenter},
			pairing:  pairing,
		},
		"storage_policy_id",
		func(w wire) string { return w.ID },
		func(w wire) StoragePolicy { return StoragePolicy(w) },
	)
}

// Compliance is the result of checking a datastore against a storage policy.
type Compliance struct {
	Compliant bool
	// Message is the reason for non-compliance. It can be empty.
	Message string
}

// CheckCompliance checks whether a datastore complies with a storage policy. The result is cached for all callers.
// Errors: ErrNotFound if the policy does not exist.
func (c *Client) CheckCompliance(ctx context.Context, pairing, vcenter, policy, datastore string) (Compliance, error) {
	key := strings.Join([]string{pairing, vcenter, policy, datastore}, " ")
	return c.compliance.Get(ctx, key, func(ctx context.Context) (Compliance, error) {
		r := request{
			method:   http.MethodPost,
			readOnly: true,
			template: "/pairings/{pairing_id}/vcenters/{vcenter_id}/storage-policies/{storage_policy_id}" +
				"/actions/check-compliance",
			ids:     []string{pairing, vcenter, policy},
			pairing: pairing,
			body:    []string{datastore},
		}
		var result struct {
			List []struct {
				Datastore string `json:"datastore"`
				Compliant bool   `json:"compliant"`
				Message   string `json:"not_compliant_detailed_message"`
			} `json:"list"`
		}
		if err := c.call(ctx, r, &result); err != nil {
			return Compliance{}, err
		}
		for _, item := range result.List {
			if item.Datastore == datastore {
				return Compliance{Compliant: item.Compliant, Message: item.Message}, nil
			}
		}
		return Compliance{}, fmt.Errorf("%s: %w: the datastore is missing from the response", r, ErrPartial)
	})
}

// NormalizePolicyID returns "" for the ID that represents the datastore's default policy, and any other ID unchanged.
func NormalizePolicyID(id string) string {
	if id == "dsbrowser.defaultStoragePolicy" {
		return ""
	}
	return id
}
