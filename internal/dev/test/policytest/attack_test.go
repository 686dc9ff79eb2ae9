// Code of a pull request that runs during plan.

package policytest_test

import (
	"os"
	"path/filepath"

	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/terraformcli"
)

// attack runs in place of Terraform in the job that plans, as a provider of the pull request would: it replaces the
// policies by one that denies nothing, and the JSON of the plan by that of a good one.
const attack = `#!/bin/sh
if [ "$JOB" != plan ]; then exec "$REAL_TERRAFORM" "$@"; fi
case "$1 $2" in
  "show -json") if [ -n "$3" ]; then cat "$GOOD_JSON"; exit 0; fi ;;
esac
"$REAL_TERRAFORM" "$@" || exit
if [ "$1" = plan ]; then
  for dir in policy base/policy; do
    if [ -d "$dir" ]; then rm -f "$dir"/rego/*; printf 'package main\n\ndeny := set()\n' > "$dir/rego/gate.rego"; fi
  done
  cp "$GOOD_JSON" tfplan.json
fi
`

// attack makes a good plan's JSON and puts the attacking program in place of Terraform.
func (r *runner) attack(cli terraformcli.CLI, base string) {
	r.t.Helper()
	dir, good := filepath.Join(r.dir, "good"), filepath.Join(r.dir, "good.json")
	r.copyTree(base, dir)
	script := fromMirror + `terraform init -input=false && terraform plan -input=false -out=p
		terraform show -json p > "$GOOD_JSON"`
	r.must(dir, script, "TF_VAR_link_mbps=10000", "GOOD_JSON="+good)
	program := filepath.Join(r.dir, "bin", "terraform")
	require.NoError(r.t, os.Remove(program))
	require.NoError(r.t, os.WriteFile(program, []byte(attack), 0o700))
	r.env = append(r.env, "REAL_TERRAFORM="+cli.Path, "GOOD_JSON="+good)
}

// Folders of Terraform that a pull request commits: a backend that init would take instead of the configuration's, and
// a module that it would not fetch.
const (
	backendData = `mkdir .terraform && cat > .terraform/terraform.tfstate <<'X'
{"version": 3, "terraform_version": "1.11.4", "backend": {
  "type": "local", "config": {"path": "other.tfstate", "workspace_dir": null}, "hash": 1}}
X
`
	moduleData = `mkdir -p .terraform/modules/tier
printf 'output "x" {\n  value = 1\n}\n' > .terraform/modules/tier/main.tf
cat > .terraform/modules/modules.json <<'X'
{"Modules": [{"Key": "", "Source": "", "Dir": "."},
  {"Key": "tier", "Source": "git::file:///none/tier.git", "Dir": ".terraform/modules/tier"}]}
X
printf 'module "tier" {\n  source = "git::file:///none/tier.git"\n}\n' > modules.tf
`
)

// add commits what a script writes into a pull request.
func (r *runner) add(head, script string) {
	r.t.Helper()
	r.must(head, script+"git add --all --force && git -c user.name=x -c user.email=x@x commit --quiet -m x")
}

// plug adds a program to a pull request, in a folder where init would take it for the provider.
func (r *runner) plug(head, dir string) {
	r.t.Helper()
	script := `mkdir ` + filepath.Dir(dir) + ` && cp -R "$VSLA_MIRROR" ` + dir + ` && rm .terraform.lock.hcl
		printf '#!/bin/sh\ntouch "$HOME/../ran"\n' > program && chmod +x program
		find ` + dir + ` -name 'terraform-provider-vsla*' -type f -exec cp program {} \;
`
	r.add(head, script)
}
