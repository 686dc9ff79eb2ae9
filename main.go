// Command terraform-provider-vsla is the Terraform provider vsla. Run by a person or a script, it is the command line
// of its calculators and its capacity review.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"terraform-provider-vsla/internal/cli"
	"terraform-provider-vsla/internal/provider"
	"terraform-provider-vsla/internal/provider/kit/connection"
)

// version is set by the build.
var version = "dev"

// logoutLimit stays below the two seconds after which Terraform kills a provider that it has asked to end.
const logoutLimit = 1500 * time.Millisecond

// memoryTarget is from which size of the heap on memory is collected more often: 25,000 VMs with all their properties
// stay below 300 MiB, for a third more processor time. GOMEMLIMIT overrides it.
const memoryTarget = 240 << 20

func main() {
	if cli.IsPlugin(os.Args[1:], os.Getenv) {
		if os.Getenv("GOMEMLIMIT") == "" {
			debug.SetMemoryLimit(memoryTarget)
		}
		os.Exit(run())
	}
	os.Exit(cli.Standard(version).Run(context.Background(), os.Args[1:]))
}

func run() int {
	attach := flag.Bool("debug", false, "run for a debugger to attach")
	flag.Parse()

	sessions := &connection.Sessions{}
	err := providerserver.Serve(context.Background(), provider.New(provider.Options{Version: version, Sessions: sessions}),
		providerserver.ServeOpts{Address: "registry.terraform.io/vsla/vsla", Debug: *attach})

	ctx, cancel := context.WithTimeout(context.Background(), logoutLimit)
	defer cancel()
	// Serve returns when Terraform is done with the provider: the only moment at which sessions can be ended. There is
	// nobody left to tell of a failure; vCenter ends an idle session by itself.
	_ = sessions.Close(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
