// Command vsla is the command line of the planning calculators and the capacity review. Started by Terraform, as
// terraform-provider-vsla, it is the provider.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"terraform-provider-vsla/internal/cli"
	"terraform-provider-vsla/internal/provider"
	"terraform-provider-vsla/internal/provider/kit/connection"
)

// version and commit are set by the builds of the Makefile and of a release.
var version, commit string

// logoutLimit stays below the two seconds after which Terraform kills a provider that it has asked to end.
const logoutLimit = 1500 * time.Millisecond

// memoryTarget is from which size of the heap on memory is collected more often: 25,000 VMs with all their properties
// but the use of each disk stay below 300 MiB. GOMEMLIMIT overrides it.
const memoryTarget = 240 << 20

// frameworkLogs names the variable for the level of the framework's own logs. By default it writes a line or more for
// each attribute, which Terraform drops unless a variable TF_LOG… asks for logs: a third of what the provider computes
// for a plan of 10,000 tags.
const frameworkLogs = "TF_LOG_SDK_FRAMEWORK"

func main() {
	info, _ := debug.ReadBuildInfo() // nil without module support
	number, built := identify(version, commit, info)
	if cli.IsPlugin(os.Args[1:], os.Getenv) {
		if os.Getenv("GOMEMLIMIT") == "" {
			debug.SetMemoryLimit(memoryTarget)
		}
		os.Exit(run(number))
	}
	os.Exit(cli.Standard(number, built).Run(context.Background(), os.Args[1:]))
}

// commitLength is how many digits of a commit are shown, as many as in Go's own pseudo-versions.
const commitLength = 12

// identify returns the version and the commit of this program: those that were set, else those that the go command
// records for a build in a clone.
func identify(number, commit string, info *debug.BuildInfo) (string, string) {
	if info == nil {
		info = &debug.BuildInfo{}
	}
	recorded := map[string]string{}
	for _, s := range info.Settings {
		recorded[s.Key] = s.Value
	}
	revision := recorded["vcs.revision"]
	revision = revision[:min(len(revision), commitLength)]
	if recorded["vcs.modified"] == "true" {
		revision += "-dirty"
	}
	pseudo := strings.TrimPrefix(strings.TrimPrefix(info.Main.Version, "v"), "(devel)")
	return cmp.Or(number, pseudo, "dev"), cmp.Or(commit, revision, "unknown")
}

func run(number string) int {
	attach := flag.Bool("debug", false, "run for a debugger to attach")
	flag.Parse()

	if !*attach && !logs(os.Environ()) {
		_ = os.Setenv(frameworkLogs, "WARN") // fails for malformed names only
	}
	sessions := &connection.Sessions{}
	err := providerserver.Serve(context.Background(), provider.New(provider.Options{Version: number, Sessions: sessions}),
		providerserver.ServeOpts{Address: "registry.terraform.io/vsla/vsla", Debug: *attach})

	ctx, cancel := context.WithTimeout(context.Background(), logoutLimit)
	defer cancel()
	// Serve returns when Terraform is done with the provider: the only moment at which sessions can be ended. There is
	// no caller left for an error; vCenter ends an idle session by itself.
	_ = sessions.Close(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// logs reports whether logs were requested, by the environment that Terraform hands on.
func logs(environ []string) bool {
	return slices.ContainsFunc(environ, func(variable string) bool {
		name, value, _ := strings.Cut(variable, "=")
		return strings.HasPrefix(name, "TF_LOG") && value != ""
	})
}
