// The file of the command compliance.

package estate

import (
	"fmt"
	"io"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/replication"
)

const (
	keyPairing  = "pairing_id"
	keyCategory = "category"
	keyTag      = "tag"
	keyTagID    = "tag_id"
	keyRPO      = "rpo_minutes"
	keyFolder   = "folder"
	keyCluster  = "cluster"

	// maxTiers bounds the number of series.
	maxTiers = 100
)

var rangeRPO = replication.RangeRPOMinutes.InWhole()

// ComplianceFile holds the tiers that the command compliance compares.
type ComplianceFile struct {
	// PairingID is empty for the only pairing that there is.
	PairingID string
	// Category is the name of the category of the tags; empty when every tier has its TagID.
	Category string
	Tiers    []PromisedTier
	// Folder and Cluster limit the VMs without a tier that are listed.
	Folder, Cluster string
}

// PromisedTier is a tier with its tag: TagID, or Tag in the category of the file.
type PromisedTier struct {
	Name, Tag, TagID string
	RPOMinutes       int64
}

// ReadCompliance reads a compliance file. Its errors are *TiersError.
func ReadCompliance(file string, r io.Reader) (ComplianceFile, error) {
	var c ComplianceFile
	d, err := parse(file, r)
	if err != nil {
		return c, err
	}
	keys := []string{keyPairing, keyCategory, keyTiers, keyFolder, keyCluster}
	if err := d.checkKeys(d.values, nil, keys); err != nil {
		return c, err
	}
	if err := d.texts(d.values, nil, []member{
		{keyPairing, &c.PairingID}, {keyCategory, &c.Category}, {keyFolder, &c.Folder}, {keyCluster, &c.Cluster},
	}); err != nil {
		return c, err
	}
	list, _ := d.values[keyTiers].([]any)
	if len(list) == 0 || len(list) > maxTiers {
		return c, d.problem(plan.Attr(keyTiers), "must be a list of 1 to %d tiers with a name and rpo_minutes", maxTiers)
	}
	for i, element := range list {
		if err := c.add(d, element, plan.Attr(keyTiers).Index(i)); err != nil {
			return c, err
		}
	}
	return c, nil
}

func (c *ComplianceFile) add(d *document, element any, at plan.Path) error {
	values, ok := element.(map[string]any)
	if !ok {
		return d.problem(at, "must be a mapping with name and rpo_minutes")
	}
	if err := d.checkKeys(values, at, []string{keyName, keyTag, keyTagID, keyRPO}); err != nil {
		return err
	}
	var one PromisedTier
	if err := d.texts(values, at, []member{{keyName, &one.Name}, {keyTag, &one.Tag}, {keyTagID, &one.TagID}}); err != nil {
		return err
	}
	rpo, ok := values[keyRPO].(float64)
	if !ok {
		return d.problem(at.Attr(keyRPO), "must be a number of minutes, got %q", fmt.Sprint(values[keyRPO]))
	}
	if err := rangeRPO.Check(rpo); err != nil {
		return d.problem(at.Attr(keyRPO), "%s", err.Error())
	}
	one.RPOMinutes = int64(rpo)
	if one.Tag == "" && one.TagID == "" && c.Category != "" {
		one.Tag = one.Name
	}
	c.Tiers = append(c.Tiers, one)
	return c.check(d, at)
}

func (c *ComplianceFile) check(d *document, at plan.Path) error {
	before, one := c.Tiers[:len(c.Tiers)-1], c.Tiers[len(c.Tiers)-1]
	switch {
	case one.Name == "":
		return d.problem(at.Attr(keyName), "must be the tier's name")
	case slices.ContainsFunc(before, func(other PromisedTier) bool { return other.Name == one.Name }):
		return d.problem(at.Attr(keyName), "must be the name of one tier, got %q twice", one.Name)
	case one.Tag != "" && one.TagID != "":
		return d.problem(at.Attr(keyTag), "must not be given with tag_id")
	case one.TagID == "" && c.Category == "":
		return d.problem(at.Attr(keyTagID), "must be given, or category for all tiers")
	case slices.ContainsFunc(before, func(other PromisedTier) bool {
		return other.TagID == one.TagID && other.Tag == one.Tag
	}):
		return d.problem(at, "must have another tag than the other tiers: a VM with it would be in both")
	}
	return nil
}

type member struct {
	key  string
	text *string
}

// texts sets members that are strings and leaves those alone that are not given. The error is that of the first one.
func (d *document) texts(values map[string]any, at plan.Path, members []member) error {
	for _, m := range members {
		v := values[m.key]
		if v == nil {
			continue
		}
		s, ok := v.(string)
		if !ok || s == "" {
			return d.problem(at.Attr(m.key), "must be a text, got %q", fmt.Sprint(v))
		}
		*m.text = s
	}
	return nil
}
