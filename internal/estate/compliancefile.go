package estate

import (
	"fmt"
	"io"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/replication"
)

// Keys of a compliance file.
const (
	keyPairing  = "pairing_id"
	keyCategory = "category"
	keyTag      = "tag"
	keyTagID    = "tag_id"
	keyRPO      = "rpo_minutes"
	keySetting  = "configured_rpo_minutes"
	keyFolder   = "folder"
	keyCluster  = "cluster"

	// maxTiers limits the number of tiers, because each tier adds metric series.
	maxTiers = 100
)

var rangeRPO = replication.RangeRPOMinutes.InWhole()

// ComplianceFile is the input of the compliance command.
type ComplianceFile struct {
	// PairingID may be empty if there is only one pairing.
	PairingID string
	// Category is the tag category. It is empty if every tier has a TagID.
	Category string
	Tiers    []PromisedTier
	// Folder and Cluster restrict which VMs without a tier are listed.
	Folder, Cluster string
}

// PromisedTier is a tier with its tag. The tag is given by its ID, or by its name in the file's category.
type PromisedTier struct {
	Name, Tag, TagID string
	RPOMinutes       int64
	// ConfiguredRPOMinutes is the longest RPO that keeps the promise; 0 for RPOMinutes.
	ConfiguredRPOMinutes int64
}

// ReadCompliance reads a compliance file. All errors are *TiersError.
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
	if err := d.readTexts(d.values, nil, []member{
		{keyPairing, &c.PairingID},
		{keyCategory, &c.Category},
		{keyFolder, &c.Folder},
		{keyCluster, &c.Cluster},
	}); err != nil {
		return c, err
	}
	list, _ := d.values[keyTiers].([]any)
	if len(list) == 0 || len(list) > maxTiers {
		return c, d.problem(
			plan.Attr(keyTiers),
			"must be a list of 1 to %d tiers, each with name and rpo_minutes",
			maxTiers,
		)
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
	if err := d.checkKeys(values, at, []string{keyName, keyTag, keyTagID, keyRPO, keySetting}); err != nil {
		return err
	}
	var one PromisedTier
	if err := d.readTexts(values, at, []member{
		{keyName, &one.Name},
		{keyTag, &one.Tag},
		{keyTagID, &one.TagID},
	}); err != nil {
		return err
	}
	var err error
	if one.RPOMinutes, err = d.readRPO(values, at, keyRPO); err != nil {
		return err
	}
	if values[keySetting] != nil {
		if one.ConfiguredRPOMinutes, err = d.readRPO(values, at, keySetting); err != nil {
			return err
		}
	}
	if one.Tag == "" && one.TagID == "" && c.Category != "" {
		one.Tag = one.Name
	}
	c.Tiers = append(c.Tiers, one)
	return c.check(d, at)
}

func (d *document) readRPO(values map[string]any, at plan.Path, key string) (int64, error) {
	rpo, ok := values[key].(float64)
	if !ok {
		return 0, d.problem(at.Attr(key), "must be a number of minutes, got %q", fmt.Sprint(values[key]))
	}
	if err := rangeRPO.Check(rpo); err != nil {
		return 0, d.problem(at.Attr(key), "%s", err.Error())
	}
	return int64(rpo), nil
}

func (c *ComplianceFile) check(d *document, at plan.Path) error {
	before, one := c.Tiers[:len(c.Tiers)-1], c.Tiers[len(c.Tiers)-1]
	switch {
	case one.Name == "":
		return d.problem(at.Attr(keyName), "must be a non-empty string")
	case slices.ContainsFunc(before, func(other PromisedTier) bool { return other.Name == one.Name }):
		return d.problem(at.Attr(keyName), "must be unique, got %q twice", one.Name)
	case one.Tag != "" && one.TagID != "":
		return d.problem(at.Attr(keyTag), "must not be set together with tag_id")
	case one.TagID == "" && c.Category == "":
		return d.problem(at.Attr(keyTagID), "is required unless category is set")
	case slices.ContainsFunc(before, func(other PromisedTier) bool {
		return other.TagID == one.TagID && other.Tag == one.Tag
	}):
		return d.problem(at, "must have its own tag: another tier has the same tag")
	}
	return nil
}

type member struct {
	key  string
	text *string
}

// readTexts reads optional string members in a fixed order, which makes the reported error deterministic.
func (d *document) readTexts(values map[string]any, at plan.Path, members []member) error {
	for _, m := range members {
		v := values[m.key]
		if v == nil {
			continue
		}
		s, ok := v.(string)
		if !ok || s == "" {
			return d.problem(at.Attr(m.key), "must be a non-empty string, got %q", fmt.Sprint(v))
		}
		*m.text = s
	}
	return nil
}
