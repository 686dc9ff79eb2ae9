// Command vsla provides a command line for the planning calculators and the capacity review. When started as
// terraform-provider-vsla by Terraform, it serves the provider.
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

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"terraform-provider-vsla/internal/cli"
	"terraform-provider-vsla/internal/provider"
	"terraform-provider-vsla/internal/provider/kit/connection"
)

// version and commit are set by the linker.
var version, commit string

// logoutLimit is less than the two seconds that Terraform allows a provider for shutting down.
const logoutLimit = 1500 * time.Millisecond

// memoryTarget is the soft memory limit. The garbage collector runs more often as memory usage approaches it. With this
// limit, reading 25,000 VMs with all properties except per-disk usage takes less than 300 MiB. GOMEMLIMIT overrides it.
const memoryTarget = 240 << 20

// frameworkLogs is the environment variable that sets the log level of the framework. When 10,000 tags are planned, the
// framework's debug output takes a third of the provider's CPU time, although Terraform discards it unless a TF_LOG
// variable is set.
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

// commitLength is the length of a commit in Go pseudo-versions.
const commitLength = 12

// identify returns the program's version and commit. It falls back to the VCS information that Go embeds in the binary.
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
		_ = os.Setenv(frameworkLogs, "WARN") // fails only for malformed names
	}
	sessions := &connection.Sessions{}
	var options []tf6server.ServeOpt
	if *attach {
		options = append(options, tf6server.WithManagedDebug())
	}
	err := tf6server.Serve("registry.terraform.io/vsla/vsla", func() tfprotov6.ProviderServer {
		return provider.NewServer(provider.New(provider.Options{Version: number, Sessions: sessions})())
	}, options...)

	ctx, cancel := context.WithTimeout(context.Background(), logoutLimit)
	defer cancel()
	// Serve returns on shutdown, so sessions can only be closed here. The error is ignored, because vCenter ends idle
	// sessions anyway.
	_ = sessions.Close(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func logs(environ []string) bool {
	return slices.ContainsFunc(environ, func(variable string) bool {
		name, value, _ := strings.Cut(variable, "=")
		return strings.HasPrefix(name, "TF_LOG") && value != ""
	})
}
