// Rules for tags that a plan detaches or deletes, as in removals.rego.

package weaker

import (
	"fmt"
	"slices"
	"strings"

	tfjson "github.com/hashicorp/terraform-json"
)

const lookupsFail = ": lookups by name fail"

// tagFindings returns a finding if a change detaches or deletes tags, or if the plan does not show what it detaches.
func tagFindings(kind string, v values, actions tfjson.Actions) []Finding {
	deletes := actions.Delete() || actions.Replace()
	list := map[string]string{"vsla_tag_association": "object_ids", "vsla_object_tags": "tag_ids"}[kind]
	switch {
	case actions.NoOp() || actions.Read() || actions.Forget():
		return nil
	case list == "" && !strings.HasPrefix(kind, "vsla_tag"):
		return nil
	case list == "":
		return deletedTags(v, deletes, actions.Replace())
	}
	return detachedTags(v, list, deletes)
}

// detachedTags returns a finding if a change detaches tags. list is the attribute that lists the tags or objects.
func detachedTags(v values, list string, deletes bool) []Finding {
	removes, shown := v.after["removes"].([]any)
	detached := len(removes) + len(object(v.after["replaces"]))
	_, known := v.after[list].([]any)
	switch {
	case deletes:
		detached += len(texts(v.before[list]))
	case shown || v.before == nil && v.unknown["removes"] != true:
	case !known || v.unknown["removes"] == true:
		return []Finding{{Code: TagsRemoved, Message: "does not show during plan which tags it detaches"}}
	default:
		for _, id := range texts(v.before[list]) {
			if !slices.Contains(texts(v.after[list]), id) {
				detached++
			}
		}
	}
	if detached == 0 {
		return nil
	}
	return []Finding{{Code: TagsRemoved, Message: fmt.Sprintf("detaches tags (%d)", detached)}}
}

// deletedTags returns a finding if a change deletes a tag, a category or tags of vsla_tags. Unless force_destroy is
// set, the provider refuses to delete a tag that objects have.
func deletedTags(v values, deletes, replaces bool) []Finding {
	text := "is deleted"
	if before := object(v.before["tags"]); before != nil {
		after, lost := object(v.after["tags"]), 0
		for name := range before {
			_, kept := after[name]
			for now, former := range object(v.after["renamed_from"]) {
				_, renamed := after[now]
				kept = kept || former == name && renamed
			}
			kept = kept || object(v.unknown["tags"])[name] != nil // its description is not known yet
			if deletes || !kept {
				lost++
			}
		}
		text, deletes = fmt.Sprintf("deletes tags (%d)", lost), lost > 0
	}
	forced := func(of map[string]any) bool { return of["force_destroy"] == true }
	switch {
	case !deletes:
	case forced(v.before) || forced(v.after) || forced(v.unknown):
		return []Finding{{Code: TagsRemoved, Message: text + ", also from objects: force_destroy is set"}}
	case !replaces:
		return []Finding{{Code: Tags, Message: text + lookupsFail}}
	}
	return nil
}

func renamedTags(v values) []Finding {
	var found []Finding
	for _, former := range object(v.after["renamed_from"]) {
		if name, _ := former.(string); object(v.before["tags"])[name] != nil {
			found = append(found, Finding{Code: Tags, Message: "renames tag " + name + lookupsFail})
		}
	}
	return found
}
