package settings

import (
	"errors"
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
	missing := slices.ContainsFunc(fields, func(name string) bool { return strings.TrimSpace(keys[name]) == "" })
	_, err := time.Parse(time.DateOnly, w.Expires)
	switch {
	case missing || len(keys) != len(fields) || err != nil:
		s.problem(node.Line, "a waiver must be {%s}, all strings, with expires a date such as 2027-01-31",
			strings.Join(fields, ", "))
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
