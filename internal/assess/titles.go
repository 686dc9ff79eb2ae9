package assess

import (
	"cmp"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/wording"
)

var genericNames = []string{"all", "default", "main", "this", "one", "it"}

// setTitles sets the titles of the results in a section. A title consists of the words in the address. Results that
// would share a title use their names instead.
func setTitles(all []*Assessment) {
	taken := make(map[string]int)
	for _, a := range all {
		if a.Title == "" {
			a.Title = titleOf(a.Address, a.Type)
		}
		taken[a.Title]++
	}
	for _, a := range all {
		if taken[a.Title] > 1 {
			a.Title = a.Name
		}
	}
}

// titleOf returns a readable title for a resource address: "wan north, branch" for
// `module.branch.data.vsla_link_throughput.wan["north"]`. If the resource name is generic, the title consists of the
// instance key, or of the kind's title and the name if there is no key.
func titleOf(address, kind string) string {
	var modules []string
	parts := splitAddress(address)
	for len(parts) > 2 && parts[0].name == "module" {
		modules = append(modules, parts[1].words())
		parts = parts[2:]
	}
	if len(parts) > 1 && (parts[0].name == "data" || parts[0].name == "output") {
		parts = parts[1:]
	}
	if len(parts) > 1 && parts[0].name == kind {
		parts = parts[1:]
	}
	words := make([]string, 0, len(parts)+len(modules))
	for i, p := range parts {
		if isGeneric := len(p.name) == 1 || slices.Contains(genericNames, p.name); i == 0 && isGeneric {
			if len(p.keys) > 0 {
				p.name = ""
			} else {
				p.name = strings.ToLower(KindOf(kind).Title) + " " + p.name
			}
		}
		words = append(words, p.words())
	}
	title := strings.TrimSpace(strings.Join(words, " "))
	slices.Reverse(modules)
	return strings.Join(append([]string{title}, modules...), ", ")
}

type addressPart struct {
	name string
	keys []string
}

func (p addressPart) words() string {
	return strings.TrimSpace(strings.Join(append([]string{strings.ReplaceAll(p.name, "_", " ")}, p.keys...), " "))
}

// splitAddress splits an address at its dots and brackets. Quoted keys can contain both.
func splitAddress(address string) []addressPart {
	parts := []addressPart{{}}
	for address != "" {
		last := &parts[len(parts)-1]
		switch address[0] {
		case '.':
			parts = append(parts, addressPart{})
			address = address[1:]
		case '[':
			key, rest := cutKey(address[1:])
			last.keys = append(last.keys, key)
			address = rest
		default:
			end := strings.IndexAny(address, ".[")
			if end < 0 {
				end = len(address)
			}
			last.name += address[:end]
			address = address[end:]
		}
	}
	return parts
}

// cutKey returns the unquoted key and the text after the closing bracket.
func cutKey(text string) (key, rest string) {
	if !strings.HasPrefix(text, `"`) {
		key, rest, _ = strings.Cut(text, "]")
		return key, rest
	}
	escaped := false
	for i := 1; i < len(text); i++ {
		switch {
		case escaped:
			escaped = false
		case text[i] == '\\':
			escaped = true
		case text[i] == '"':
			return unquoted.Replace(text[1:i]), strings.TrimPrefix(text[i+1:], "]")
		}
	}
	return text, ""
}

// unquoted undoes the escaping that Terraform applies to a key. Line breaks and tabs become spaces.
var unquoted = strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\n`, " ", `\t`, " ", "$${", "${", "%%{", "%{")

func lastKey(address string) string {
	parts := splitAddress(address)
	last := parts[len(parts)-1]
	if n := len(last.keys); n > 0 {
		return last.keys[n-1]
	}
	return last.name
}

// Names returns the module names, the type and the name in an address. Parts that the address does not contain are
// empty.
func Names(address string) (modules []string, kind, name string) {
	parts := splitAddress(address)
	for len(parts) > 2 && parts[0].name == "module" {
		modules, parts = append(modules, parts[1].name), parts[2:]
	}
	if len(parts) < 3 {
		return modules, "", ""
	}
	return modules, parts[1].name, parts[2].name
}

const maxHeadlineNames = 6

// Sort sorts results worst first, and promises then by their RPO.
func Sort(results []*Assessment) {
	minutes := func(a *Assessment) float64 {
		if p, ok := As[*Promise](a); ok {
			return p.Tier.RPOMinutes
		}
		return 0
	}
	slices.SortStableFunc(results, func(a, b *Assessment) int {
		return cmp.Or(cmp.Compare(plan.Rank(b.Level), plan.Rank(a.Level)), cmp.Compare(minutes(a), minutes(b)))
	})
}

// Headline states how many promises hold, and which do not. A tier without VMs promises nothing and does not count.
func Headline(promises []*Assessment) string {
	promises = slices.DeleteFunc(slices.Clone(promises), func(a *Assessment) bool { return a.Level == plan.Neutral })
	n, hold := len(promises), 0
	for _, a := range promises {
		if a.Level == plan.Meets {
			hold++
		}
	}
	var b strings.Builder
	switch {
	case n == 0:
		b.WriteString("No tier has VMs.")
	case hold == n && n == 1:
		b.WriteString("The promise holds.")
	case hold == n:
		b.WriteString("All " + plan.Thousands(float64(n), 0) + " promises hold.")
	default:
		b.WriteString(plan.Thousands(float64(hold), 0) + " of " + wording.Count(n, "promise"))
		b.WriteString(map[bool]string{true: " holds.", false: " hold."}[n == 1 || hold == 1])
	}
	if hold == n && n > 0 && slices.ContainsFunc(promises, suggests) {
		return strings.TrimSuffix(b.String(), ".") + ", if configured as suggested."
	}
	if clauses := notHolding(promises); len(clauses) > 0 {
		b.WriteString(" " + wording.Capital(strings.Join(clauses, "; ")) + ".")
	}
	return b.String()
}

// CountLevels returns how many results have each level. A tier without VMs promises nothing and does not count.
func CountLevels(all []*Assessment) map[plan.Level]int {
	numbers := make(map[plan.Level]int)
	for _, a := range all {
		if a.HasVerdict() {
			numbers[a.Level]++
		}
	}
	return numbers
}

// WorstLevel returns the worst of all counted levels, or Neutral if there are none.
func WorstLevel(counts ...map[plan.Level]int) plan.Level {
	worst := plan.Neutral
	for _, numbers := range counts {
		for level := range numbers {
			worst = plan.Worse(worst, level)
		}
	}
	return worst
}

var (
	otherResults = strings.NewReplacer("Every result with a verdict holds", "All other results hold",
		"result with a verdict", "other result", "results with a verdict", "other results")
	// toOthers changes a headline to concern the VMs that can be replicated.
	toOthers = strings.NewReplacer("The promise holds.", "The promise to the others holds.", " promises hold.",
		" promises to the others hold.")
)

// FullHeadline extends Headline by the number of VMs that cannot be replicated, and by the levels of other results.
func FullHeadline(promises []*Assessment, others map[plan.Level]int, blockedVMs int) string {
	text := Headline(promises)
	if blockedVMs > 0 {
		text = plan.Count(float64(blockedVMs), "VM") + " cannot be replicated. " + toOthers.Replace(text)
	}
	if len(others) > 0 {
		text += " " + otherResults.Replace(wording.Headline(others))
	}
	return text
}

// notHolding returns a clause for each level below meets, with the names of its promises.
func notHolding(promises []*Assessment) []string {
	var clauses []string
	for _, level := range slices.Backward(plan.Levels[plan.Rank(plan.AtRisk):]) {
		var names []string
		for _, a := range promises {
			if a.Level == level {
				names = append(names, a.Title)
			}
		}
		n, last := len(names), ""
		if n == 0 {
			continue
		}
		if n > 1 && n <= maxHeadlineNames {
			last, names = " and "+names[n-1], names[:n-1]
		}
		clauses = append(clauses, quantity.List(names, maxHeadlineNames)+last+" "+plan.Verb(level, n))
	}
	return clauses
}

// suggests reports whether a promise holds with a setting that is not given.
func suggests(a *Assessment) bool {
	p, ok := As[*Promise](a)
	return ok && p.Tier.ConfiguredRPOMinutes == nil && p.SuggestedRPOMinutes != nil &&
		*p.SuggestedRPOMinutes < p.Tier.RPOMinutes
}

// NotCounted returns a sentence that lists the inputs that were omitted and could hide a miss. It returns an empty
// string if there are none.
func NotCounted(promises []*Assessment) string {
	var labels []string
	for _, a := range promises {
		p, ok := As[*Promise](a)
		if !ok {
			continue
		}
		for _, name := range p.Plan.Result.NotCounted {
			label := cmp.Or(notCountedLabels[name], strings.ToLower(wording.Label(name)))
			if !slices.Contains(labels, label) {
				labels = append(labels, label)
			}
		}
	}
	if len(labels) == 0 {
		return ""
	}
	return "These inputs are not set and not considered: " + quantity.List(labels, len(labels)) + "."
}

var notCountedLabels = map[string]string{
	"free_gib":         "free space of the target",
	"write_mbps":       "write rate of the target",
	"overhead_seconds": "overhead of a sync",
	"per_sync_mbps":    "rate of one sync",
	"throughput_basis": "basis of the throughput",
	"peak_factor":      "peak of the day",
	"source_read_mbps": "read rate of the VM storage",
	"checksum_mbps":    "comparison of seeded data",
}
