package settings

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"terraform-provider-vsla/internal/gate/finding"
	"terraform-provider-vsla/internal/plan/quantity"
)

// Waiver accepts a finding for a limited time.
type Waiver struct {
	Name     string `yaml:"name"`
	Subject  string `yaml:"subject"`
	Code     string `yaml:"code"`
	Reason   string `yaml:"reason"`
	Approved string `yaml:"approved_by"`
	Expires  string `yaml:"expires"`
	// Where is the line of the waiver.
	Where string `yaml:"-"`
}

func (s *Settings) readWaiver(node *yaml.Node, seen map[string]bool) {
	var keys map[string]string
	var w Waiver
	if err := errors.Join(node.Decode(&keys), node.Decode(&w)); err != nil {
		s.problem(node.Line, "a waiver must be {name, subject, code, reason, approved_by, expires}, all strings")
		return
	}
	fields := []string{"name", "subject", "code", "reason", "approved_by", "expires"}
	problem := checkKeys(keys, fields)
	if _, err := time.Parse(time.DateOnly, w.Expires); err != nil && problem == "" {
		problem = fmt.Sprintf("expires is %q", w.Expires)
	}
	switch {
	case problem != "":
		s.problem(node.Line, "a waiver must be {%s}, all strings, with expires a date such as 2027-01-31, but %s",
			strings.Join(fields, ", "), problem)
	case !slices.Contains(finding.Waivable(), w.Code):
		s.problem(node.Line, "%q cannot be waived, only %s", w.Code, quantity.Nearest(finding.Waivable(), w.Code))
	case seen[w.Name]:
		s.problem(node.Line, "two waivers have the name %q", w.Name)
	case !slices.Contains(s.Changes.Approvers, w.Approved):
		s.problem(node.Line, "%q is not in changes.approvers", w.Approved)
	default:
		w.Where = s.where(node.Line)
		s.Waivers = append(s.Waivers, w)
	}
	seen[w.Name] = true
}

// checkKeys states which key of a waiver is not valid or has no value. It returns "" if there is none.
func checkKeys(keys map[string]string, fields []string) string {
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if !slices.Contains(fields, key) {
			return fmt.Sprintf("has the key %q", key)
		}
	}
	for _, name := range fields {
		if strings.TrimSpace(keys[name]) == "" {
			return name + " is missing"
		}
	}
	return ""
}
