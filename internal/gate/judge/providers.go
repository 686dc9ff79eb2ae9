package judge

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/gate/finding"
	"terraform-provider-vsla/internal/gate/schema"
	"terraform-provider-vsla/internal/gate/tfplan"
)

const prefix = "vsla_"

func containsVsla(address string) bool { return strings.Contains(address, prefix) }

func (j *judge) isOurs(provider string) bool {
	return slices.Contains(document.Providers, provider) || slices.Contains(j.settings.Providers, provider)
}

// checkProviders finds results of other providers, provider blocks that choose the server or the account, and programs.
func (j *judge) checkProviders() {
	foreign := func(address, kind, provider string) {
		if strings.HasPrefix(kind, prefix) && !j.isOurs(provider) {
			j.add(finding.ForeignProvider, address, address, "belongs to the provider %s", provider)
		}
	}
	for _, r := range j.plan.State() {
		foreign(r.Address, r.Type, r.Provider)
	}
	for _, c := range j.plan.Changes {
		foreign(c.Address, c.Type, c.Provider)
	}
	for _, i := range j.plan.Invocations {
		foreign(i.Address, i.Type, i.Provider)
		j.checkInvocation(i)
	}
	if j.plan.Configuration == nil {
		return
	}
	for _, b := range j.plan.Blocks() {
		j.checkBlock(b)
	}
	for _, key := range slices.Sorted(maps.Keys(j.plan.Configuration.Providers)) {
		if block := j.plan.Configuration.Providers[key]; j.isOurs(block.FullName) {
			j.checkProvider(key, block)
		}
	}
	j.Findings = append(j.Findings, UnknownInputs(j.plan)...)
}

// harmlessActions do not affect any RPO.
var harmlessActions = []string{
	"vsla_protection_group_resume", "vsla_protection_group_snapshot", "vsla_replication_reconnect",
	"vsla_replication_resume", "vsla_replication_sync",
}

func (j *judge) checkInvocation(i *tfplan.Invocation) {
	switch {
	case !strings.HasPrefix(i.Type, prefix):
		j.add(finding.RunsProgram, i.Address, i.Address, "is an action of another provider, which might run a program")
	case !slices.Contains(harmlessActions, i.Type):
		j.add(finding.Weaker, i.Address, i.Address,
			"runs %s during apply: no RPO is guaranteed while replication is paused", i.Type)
	}
}

func (j *judge) checkBlock(b tfplan.Placed) {
	address := b.Full()
	if len(b.Provisioners) > 0 {
		j.add(finding.RunsProgram, address, address, "runs a program during apply (provisioner)")
	}
	if !strings.HasPrefix(b.Type, prefix) || b.Provider == "vsla" ||
		slices.Contains(j.settings.ProviderConfigs, b.Provider) {
		return
	}
	// A module without its own provider block takes everything from the environment.
	config, configured := j.plan.Configuration.Providers[b.Provider]
	if strings.HasSuffix(b.Provider, ":vsla") && (!configured || config.Expressions == nil) {
		return
	}
	j.add(finding.ProviderConfig, address, address,
		"uses the provider configuration %s, which provider_configs does not allow", b.Provider)
}

// identifying are the arguments of the provider that choose a server, an account, or what is trusted.
var identifying = []string{
	"vsphere_server", "user", "password", "ca_file", "allow_unverified_ssl", "replication", "data_protection",
}

// nested are the arguments that choose them in the blocks replication and data_protection.
var nested = []string{"server", "user", "password", "remote_user", "remote_password"}

func (j *judge) checkProvider(key string, block tfplan.ProviderBlock) {
	for _, name := range identifying {
		expression, given := block.Expressions[name]
		if !given || j.isHarmless(name, expression) {
			continue
		}
		if !j.isFromPipeline(key, name, expression) {
			j.add(finding.ProviderConfig, "provider "+key, "", "takes %s from the configuration", name)
		}
	}
}

// isHarmless reports whether an argument keeps what the pipeline chooses: verification stays on, or a block has neither
// a server nor an account.
func (j *judge) isHarmless(name string, expression any) bool {
	e, _ := expression.(map[string]any)
	constant, isConstant := e["constant_value"]
	switch name {
	case "allow_unverified_ssl":
		return isConstant && (constant == nil || constant == false)
	case "replication", "data_protection":
		inner, isMap := constant.(map[string]any)
		return isMap && !slices.ContainsFunc(nested, func(n string) bool { return inner[n] != nil })
	}
	return isConstant && constant == nil
}

// isFromPipeline reports whether an argument is a variable without a default. The JSON shows what an expression refers
// to, but not what it adds; the plan file shows whether it is a variable and nothing else.
func (j *judge) isFromPipeline(key, name string, expression any) bool {
	references := tfplan.References(expression)
	for _, reference := range references {
		variable, isVariable := strings.CutPrefix(reference, "var.")
		settings, known := j.plan.Configuration.Root.Variables[variable]
		if _, hasDefault := settings["default"]; !isVariable || !known || hasDefault {
			return false
		}
	}
	if len(references) == 0 {
		return false
	}
	if j.plan.File == nil {
		return !slices.Contains([]string{"replication", "data_protection"}, name)
	}
	shown := false
	for argument, isVariable := range j.plan.File.Providers[strings.ReplaceAll(key, ":", ".")] {
		block, inner, isNested := strings.Cut(argument, ".")
		if block != name || isNested && !slices.Contains(nested, inner) && inner != "*" {
			continue
		}
		if !isVariable {
			return false
		}
		shown = true
	}
	return shown
}

// UnknownInputs finds names in nested arguments that the provider does not have. Terraform drops them.
func UnknownInputs(p *tfplan.Plan) []finding.Finding {
	var all []finding.Finding
	check := func(kind, address, path string) {
		part, near := schema.MisspelledNested(kind, path)
		if schema.Calculator(kind) != nil {
			part, near = schema.Misspelled(kind, path)
		}
		if part != "" {
			hint := ""
			if near != "" {
				hint = "; did you mean " + near + "?"
			}
			all = append(all, finding.New(finding.UnknownInput, address,
				fmt.Sprintf("has no input %s, which Terraform ignores%s", part, hint)))
		}
	}
	for _, b := range p.Blocks() {
		for name, expression := range b.Expressions {
			if e, ok := expression.(map[string]any); ok {
				eachPath(name, e["constant_value"], func(path string) { check(b.Type, b.Full(), path) })
			}
		}
	}
	if p.File != nil {
		for _, i := range p.File.Inputs {
			check(typeIn(i.Address), i.Address, i.Path)
		}
	}
	return finding.Sort(all)
}

// noteUnseen notes the arguments whose names only the plan file shows: the JSON has only the references of an
// expression.
func (j *judge) noteUnseen() {
	for _, b := range j.plan.Blocks() {
		var unseen []string
		for _, name := range slices.Sorted(maps.Keys(b.Expressions)) {
			e, _ := b.Expressions[name].(map[string]any)
			if _, isConstant := e["constant_value"]; !isConstant && len(e) > 0 && schema.HasNames(b.Type, name) {
				unseen = append(unseen, name)
			}
		}
		if len(unseen) > 0 {
			j.note(finding.UnknownInput, b.Full(), "has expressions whose names cannot be seen without --plan-file "+
				"(%s): Terraform ignores a name that is misspelled", strings.Join(unseen, ", "))
		}
	}
}

// typeIn returns the type in the address of a block, module.site.data.vsla_sla_plan.estate for example.
func typeIn(address string) string {
	before := address[:max(0, strings.LastIndexByte(address, '.'))]
	return before[strings.LastIndexByte(before, '.')+1:]
}

func eachPath(at string, value any, call func(path string)) {
	inner, ok := value.(map[string]any)
	if !ok {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(inner)) {
		path := at + "." + strings.ReplaceAll(name, ".", "_")
		call(path)
		eachPath(path, inner[name], call)
	}
}
