// Command terraformcli prints the path of the Terraform or OpenTofu CLI used by tests and documentation, and builds
// OpenTofu if there is none. With -env, it prints the environment variables for terraform-plugin-testing as NAME=VALUE
// lines instead.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"

	"terraform-provider-vsla/internal/dev/terraformcli"
)

const dir = "build"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("terraformcli", flag.ContinueOnError)
	flags.SetOutput(stderr)
	env := flags.Bool("env", false, "print the variables for terraform-plugin-testing")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	cli, err := terraformcli.FindOrBuild(ctx, dir, stderr)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	fmt.Fprintln(stderr, "using", cli)
	if !*env {
		fmt.Fprintln(stdout, cli.Path)
		return 0
	}
	vars := cli.TestEnvironment()
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		fmt.Fprintf(stdout, "%s=%s\n", name, vars[name])
	}
	return 0
}
