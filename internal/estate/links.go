package estate

import (
	"maps"
	"slices"

	"terraform-provider-vsla/internal/plan"
)

// readLink reads the links and the schedule. A file has either links or the short form of a single link.
func (t *Tiers) readLink() error {
	d := t.document
	one, err := d.mappingValue(d.values, keyLink, nil)
	if err != nil {
		return err
	}
	if err := d.checkKeys(one, plan.Attr(keyLink), inputNames("link")); err != nil {
		return err
	}
	if t.schedule, err = d.mappingValue(d.values, keySchedule, nil); err != nil {
		return err
	}
	linkKeys := inputFieldNames(
		inputFields(keyLinks), keyThroughput, keyEfficiency, keyBasis, keyNetwork, keyRanges,
	)
	known := slices.Concat(planKeys(), tierScheduleKeys, linkKeys)
	if err := d.checkKeys(t.schedule, plan.Attr(keySchedule), known); err != nil {
		return err
	}
	for _, key := range []string{keyLinks, keyTargets} {
		if err := d.checkElements(key); err != nil {
			return err
		}
	}
	if d.values[keyLinks] == nil {
		return t.checkSingleLink()
	}
	for _, key := range []string{keyThroughput, keyEfficiency, keyBasis, keyLink} {
		if d.values[key] != nil {
			return d.problem(plan.Attr(key), "must not be set together with links, because each link sets its own")
		}
	}
	return nil
}

func (t *Tiers) checkSingleLink() error {
	d := t.document
	throughput, path := d.values[keyThroughput] != nil, d.values[keyLink] != nil
	switch {
	case !throughput && !path:
		return d.problem(nil, "must set throughput_mbps, link or links")
	case throughput && path:
		return d.problem(plan.Attr(keyLink), "must not be set together with throughput_mbps")
	case path && d.values[keyEfficiency] != nil:
		return d.problem(plan.Attr(keyEfficiency), "must be set in link, because the throughput is computed from link")
	case path && d.values[keyBasis] != nil:
		return d.problem(plan.Attr(keyBasis), "must be set in link, because the throughput is computed from link")
	}
	return nil
}

// singleLink returns the link defined by the short form: either a throughput or the network path that determines it.
func (t *Tiers) singleLink() map[string]any {
	one := selectKeys(t.schedule, inputFieldNames(inputFields(keyLinks), keyNetwork))
	maps.Copy(one, selectKeys(t.document.values, []string{keyThroughput, keyEfficiency, keyBasis}))
	path := t.document.values[keyLink]
	if one[keyHourly] != nil {
		delete(one, keyThroughput)
	} else if path != nil {
		one[keyNetwork] = path
	}
	return extractRanges(one)
}
