// Package finding defines what the gate finds in a plan: codes, what each asks for, and who may waive it.
package finding

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/wording"
)

// Finding is something in a plan that the settings do not allow.
type Finding struct {
	Code Code `json:"code"`
	// Subject is what a waiver names: a tier, a tag, a VM or, for everything else, the address.
	Subject string `json:"subject"`
	// Address is where it stands in the configuration. It is empty if the finding concerns the whole plan.
	Address string `json:"address,omitempty"`
	// Message follows the subject, without a period.
	Message string `json:"message"`
}

// New returns a finding about an address.
func New(code Code, address, message string) Finding {
	return Of(code, address, address, message)
}

// Of returns a finding about a tier, a tag or a VM at an address.
func Of(code Code, subject, address, message string) Finding {
	return Finding{code, wording.Clean(Visible(subject)), wording.Clean(Visible(address)), wording.Clean(message)}
}

// Visible returns a name with the characters that cannot be seen as U+200B.
func Visible(name string) string {
	var b strings.Builder
	for _, r := range name {
		if wording.Invisible(r) {
			fmt.Fprintf(&b, "<U+%04X>", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Sort orders findings by code, subject, address and message, and removes duplicates.
func Sort(all []Finding) []Finding {
	slices.SortFunc(all, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.Code.order(), b.Code.order()), wording.Natural(a.Subject, b.Subject),
			wording.Natural(a.Address, b.Address), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(all)
}

// Code identifies a kind of finding.
type Code string

// Codes of findings.
const (
	NotAPlan         Code = "not_a_plan"
	Errored          Code = "errored"
	Partial          Code = "partial"
	ForeignProvider  Code = "foreign_provider"
	ProviderConfig   Code = "provider_config"
	Destroys         Code = "destroys"
	Settings         Code = "settings"
	PlanFile         Code = "no_plan_file"
	RPOMissed        Code = "rpo_missed"
	AtRisk           Code = "at_risk"
	PromiseUnknown   Code = "promise_unknown"
	HoldsBy          Code = "holds_by"
	Missing          Code = "missing"
	NoResult         Code = "no_result"
	Unknown          Code = "unknown"
	Unbounded        Code = "unbounded"
	OutOfBounds      Code = "input_out_of_bounds"
	UnknownInput     Code = "unknown_input"
	NotCounted       Code = "not_counted"
	Misleading       Code = "misleading_name"
	Exhausts         Code = "exhausts_before"
	LowHeadroom      Code = "low_headroom"
	Unsupported      Code = "unsupported"
	MigrationMissed  Code = "migration_missed"
	MigrationOpen    Code = "migration_not_promised"
	VMotionFloor     Code = "below_vmotion_floor"
	LimitExceeded    Code = "limit_exceeded"
	Optimistic       Code = "plan_optimistic"
	NotMeasured      Code = "not_measured"
	PeriodBroken     Code = "period_broken"
	Unprotected      Code = "unprotected"
	SeveralTiers     Code = "several_tiers"
	Uncovered        Code = "uncovered"
	NoPromise        Code = "no_promise"
	AbovePlan        Code = "configured_above_plan"
	Weaker           Code = "weaker_than_tier"
	Removed          Code = "protection_removed"
	Resync           Code = "resync"
	DiskExcluded     Code = "disk_excluded"
	SnapshotsDeleted Code = "snapshots_deleted"
	Locks            Code = "locks"
	GuardOff         Code = "guard_off"
	TagsRemoved      Code = "tags_removed"
	TagsChanged      Code = "tags_changed"
	RunsProgram      Code = "runs_a_program"
	CheckFailed      Code = "check_failed"
)

// About describes a code: its heading, what to do, and whether a waiver can name it.
type About struct {
	Code     Code
	Title    string
	Remedy   string
	Waivable bool
}

// Abouts lists all codes in the order in which they are printed.
var Abouts = []About{
	{
		NotAPlan, "The input is not a plan that can be judged",
		"Pass the output of `terraform show -json PLANFILE`.", false,
	},
	{Errored, "The plan failed", "Correct the error and plan again.", false},
	{Partial, "The plan is partial", "Plan without -target and -exclude.", false},
	{Destroys, "The plan destroys everything", "Approve it in another way.", false},
	{
		ForeignProvider, "Another provider answers for vsla",
		"Use the provider vsla/vsla, or name yours in `providers`.", false,
	},
	{
		ProviderConfig, "The configuration chooses the server or the account",
		"Use the environment, or a variable without a default.", false,
	},
	{PlanFile, "The plan file was not given", "Pass it with --plan-file.", false},
	{Settings, "The settings are not valid", "Correct the line.", false},
	{RPOMissed, "Promises are missed", "Configure what would help, or promise less in the settings.", false},
	{AtRisk, "Promises are at risk", "Provide what would help, or state what is assumed.", true},
	{PromiseUnknown, "Promises are not known", "Provide what is missing, such as the sizes of VMs.", true},
	{HoldsBy, "Promises hold only by the vendor's rule", "Configure the suggested RPO.", true},
	{Missing, "Promises are missing", "Restore the tier, or remove its line in `promises`.", false},
	{NoResult, "Results are missing", "Restore the data source.", true},
	{Unknown, "Results cannot be judged", "State what is missing, and use inputs that are known during plan.", false},
	{Unbounded, "Inputs have no bound", "Add the line to the settings. `vsla gate --init` prints it.", false},
	{
		OutOfBounds, "Inputs are outside the settings",
		"Restore the input, or let the owner of the settings change the line.", false,
	},
	{UnknownInput, "Inputs have no such name", "Correct the name: Terraform ignores it.", false},
	{
		NotCounted, "VMs are not counted",
		"Count the VMs in the tier whose tag they get, or let the owner of the settings change its line.", false,
	},
	{Misleading, "Names mislead", "Use a name that cannot be mistaken for another.", true},
	{Exhausts, "Promises do not last", "Provide more capacity, or ask for fewer months.", true},
	{LowHeadroom, "Targets are nearly full", "Provide more space.", true},
	{Unsupported, "vMotions are not supported", "Correct the migration.", false},
	{MigrationMissed, "Migrations miss their deadline", "Provide more time or throughput.", false},
	{
		MigrationOpen, "Nothing is promised for migrations",
		"Set `deadline_hours`, `max_windows` or `max_downtime_minutes`.", false,
	},
	{VMotionFloor, "vMotions have too little throughput", "Provide 250 Mbit/s for each.", false},
	{LimitExceeded, "Limits are exceeded", "Deploy more, or configure less.", false},
	{Optimistic, "The plan is more optimistic than the measurement", "Use the measured values.", false},
	{NotMeasured, "There is no measurement", "Measure, or wait until there is one.", true},
	{PeriodBroken, "A past period broke its promise", "Find out why.", true},
	{Unprotected, "VMs are not replicated", "Replicate them, or let an approver waive it.", true},
	{SeveralTiers, "VMs have several tiers", "Remove all but one tag.", false},
	{Uncovered, "VMs have neither a tier nor a replication", "Give them a tier.", true},
	{NoPromise, "Nothing is promised", "Name the tier in `promises`.", false},
	{
		AbovePlan,
		"Replications are configured above the plan",
		"Configure the RPO that the plan was computed with, or let an approver waive it.",
		true,
	},
	{Weaker, "Protection gets weaker", "Restore it, or let an approver waive it.", true},
	{Removed, "Protection ends", "Restore it, or let an approver waive it.", true},
	{Resync, "VMs need a new initial sync", "Keep the replication, or let an approver waive it.", true},
	{DiskExcluded, "Disks are left out", "Replicate them, or let an approver waive it.", true},
	{SnapshotsDeleted, "Snapshots are deleted", "Keep them, or let an approver waive it.", true},
	{Locks, "Groups are locked for ever", "Let an approver waive it.", true},
	{GuardOff, "Guards are turned off", "Leave the guard on, or let an approver waive it.", true},
	{TagsRemoved, "Tags are detached", "Keep them, or raise `changes.max_removes`.", true},
	{TagsChanged, "Tags change their meaning", "Keep them, or let an approver waive it.", true},
	{RunsProgram, "Apply runs programs", "Remove the program, or let an approver waive it.", true},
	{CheckFailed, "Checks failed", "Correct what the check states.", false},
}

func (c Code) order() int {
	return slices.IndexFunc(Abouts, func(a About) bool { return a.Code == c })
}

// About returns the description of a code.
func (c Code) About() About {
	if i := c.order(); i >= 0 {
		return Abouts[i]
	}
	return About{Code: c, Title: string(c)}
}

// Waivable returns the codes that a waiver can name.
func Waivable() []string {
	var names []string
	for _, a := range Abouts {
		if a.Waivable {
			names = append(names, string(a.Code))
		}
	}
	slices.Sort(names)
	return names
}
