// Package membership provides the arguments that select the members of a protection group: VM IDs, name patterns and
// tag rules.
package membership

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/snapservice"
)

const (
	matchAll = "all"
	matchAny = "any"
)

// Descriptions of the attributes.
const (
	VMsDoc = "Managed object IDs of the VMs, such as `vm-42`."
	// PatternsDoc describes vm_name_patterns.
	PatternsDoc = "Patterns of VM names, in the form of POSIX shell patterns: `*`, `?`, `[abc]`, `[a-z]`, and `[!a]` " +
		"for any other character. They are case-sensitive, and a backslash takes away the meaning of the next " +
		"character."
	// RulesDoc describes tag_rules.
	RulesDoc = "Rules that select VMs by their tags. Requires release 9.1 or later. At most one rule is supported, " +
		"because the API does not document how several rules are combined. Neither does it document how a rule is " +
		"combined with `vm_ids` and `vm_name_patterns`. A VM probably becomes a member if it matches any of them. " +
		"Membership follows the tags even if the group does not change."
	// TagsDoc describes tag_ids.
	TagsDoc = "IDs of the tags."
	// MatchDoc describes match.
	MatchDoc = "Whether a VM must have all of the tags (`all`) or at least one (`any`)."
)

// NonEmptyStrings accepts non-empty lists of non-empty strings.
var NonEmptyStrings = []validator.List{
	listvalidator.SizeAtLeast(1),
	listvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1)),
}

// MatchValues accepts the values of match.
var MatchValues = []validator.String{stringvalidator.OneOf(matchAll, matchAny)}

// OneRule accepts a list that contains exactly one rule.
var OneRule = []validator.List{listvalidator.SizeBetween(1, 1)}

// RuleType is the element type of tag_rules.
var RuleType = types.ObjectType{AttrTypes: map[string]attr.Type{
	"tag_ids": types.ListType{ElemType: types.StringType},
	"match":   types.StringType,
}}

// Rules are the arguments that select members.
type Rules struct {
	VMIDs    types.List `tfsdk:"vm_ids"`
	Patterns types.List `tfsdk:"vm_name_patterns"`
	TagRules types.List `tfsdk:"tag_rules"`
}

// Targets converts the rules to API targets. It returns false if the rules are not fully known.
func (r Rules) Targets() (snapservice.Targets, bool) {
	vms, all := stringset.Known(r.VMIDs)
	patterns, allPatterns := stringset.Known(r.Patterns)
	t := snapservice.Targets{VMs: vms, Patterns: patterns}
	all = all && allPatterns && !r.TagRules.IsUnknown()
	for _, e := range r.TagRules.Elements() {
		rule, ok := e.(types.Object)
		if !ok || rule.IsUnknown() {
			return t, false
		}
		tags, _ := rule.Attributes()["tag_ids"].(types.List)
		match, _ := rule.Attributes()["match"].(types.String)
		ids, allTags := stringset.Known(tags)
		all = all && allTags && !match.IsUnknown()
		operator := snapservice.AllTags
		if match.ValueString() == matchAny {
			operator = snapservice.AnyTag
		}
		t.Rules = append(t.Rules, snapservice.Rule{Tags: ids, Operator: operator})
	}
	return t, all
}

// FromTargets converts API targets to rules.
func FromTargets(t snapservice.Targets) Rules {
	list := func(texts []string) types.List {
		if len(texts) == 0 {
			return types.ListNull(types.StringType)
		}
		return stringset.ListValue(texts)
	}
	r := Rules{VMIDs: list(t.VMs), Patterns: list(t.Patterns), TagRules: types.ListNull(RuleType)}
	if len(t.Rules) == 0 {
		return r
	}
	rules := make([]attr.Value, 0, len(t.Rules))
	for _, rule := range t.Rules {
		match := matchAll
		if rule.Operator != snapservice.AllTags {
			match = matchAny
		}
		rules = append(rules, types.ObjectValueMust(RuleType.AttrTypes, map[string]attr.Value{
			"tag_ids": list(rule.Tags),
			"match":   types.StringValue(match),
		}))
	}
	r.TagRules = types.ListValueMust(RuleType, rules)
	return r
}

// Refreshed returns the rules after a read. It keeps configured rules that are equivalent to the targets read.
func (r Rules) Refreshed(now snapservice.Targets) Rules {
	if before, known := r.Targets(); known && before.Equal(now) {
		return r
	}
	return FromTargets(now)
}

// CheckEmpty rejects empty rules.
func (r Rules) CheckEmpty(diags *diag.Diagnostics) {
	t, known := r.Targets()
	if known && len(t.VMs)+len(t.Patterns)+len(t.Rules) == 0 {
		diags.AddAttributeError(path.Root("tag_rules"), "No Members",
			"At least one of tag_rules, vm_ids and vm_name_patterns is required.")
	}
}

// MaxNamed is the maximum number of VMs listed in a message.
const MaxNamed = 10

// Names lists the names, IDs and reasons of the first MaxNamed candidates, followed by the number of omitted ones.
func Names(list []snapservice.Candidate) string {
	names := make([]string, 0, min(len(list), MaxNamed))
	for _, v := range list[:min(len(list), MaxNamed)] {
		text := fmt.Sprintf("%s (%s)", snapservice.Printable(v.Name), v.ID)
		if reason := Reasons(v); reason != "" {
			text += ": " + strings.TrimSuffix(reason, ".")
		}
		names = append(names, text)
	}
	if more := len(list) - MaxNamed; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, "; ")
}

// Reasons returns the appliance's reasons for including or excluding a VM as text, because the reason IDs are
// undocumented.
func Reasons(v snapservice.Candidate) string {
	texts := make([]string, 0, len(v.Reasons))
	for _, m := range v.Reasons {
		texts = append(texts, strings.TrimSpace(snapservice.Printable(m.Default)))
	}
	return strings.Join(texts, " ")
}

// OtherGroups returns the IDs of a VM's groups, except for the given group.
func OtherGroups(v snapservice.Candidate, group string) []string {
	return stringset.Without(v.GroupIDs, []string{group})
}

// WarnConnection adds the warning returned by the connection check, if any.
func WarnConnection(ctx context.Context, c *snapservice.Client, diags *diag.Diagnostics) {
	if warning, err := c.CheckVCenter(ctx); err == nil && warning != "" {
		diags.AddWarning("Appliance Not Checked", warning)
	}
}
