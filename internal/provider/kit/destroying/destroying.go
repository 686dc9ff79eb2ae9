// Package destroying reports whether the provider runs in a destroy.
//
// Before a destroy, Terraform plans all resources of the configuration, including those that it would create, and
// discards the plan. An error of this plan ends the destroy. Terraform does not tell the provider, so this package
// reads the arguments of the process that started it.
package destroying

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Now reports whether the CLI that started the provider runs a destroy. If its arguments cannot be read, such as on
// Windows, it returns false.
var Now = sync.OnceValue(func() bool { return isDestroy(parentArguments(), os.Environ()) })

func parentArguments() []string {
	parent := os.Getppid()
	switch runtime.GOOS {
	case "linux":
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", parent))
		if err != nil {
			return nil
		}
		return strings.Split(string(bytes.TrimRight(text, "\x00")), "\x00")
	case "darwin", "freebsd", "openbsd":
		ps := exec.Command("ps", "-ww", "-o", "args=", "-p", strconv.Itoa(parent)) //nolint:gosec,noctx // a number
		text, err := ps.Output()
		if err != nil {
			return nil
		}
		return strings.Fields(string(text))
	}
	return nil
}

// isDestroy reports whether the arguments of a CLI, including the program, or the arguments in its environment destroy.
func isDestroy(args, environ []string) bool {
	if len(args) == 0 {
		return false
	}
	args = args[1:]
	command := slices.IndexFunc(args, func(a string) bool { return !strings.HasPrefix(a, "-") })
	for _, variable := range environ {
		if name, value, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "TF_CLI_ARGS") {
			args = append(args, strings.Fields(value)...)
		}
	}
	isCommand := command >= 0 && args[command] == "destroy"
	hasOption := slices.ContainsFunc(args, func(a string) bool {
		option := strings.TrimLeft(a, "-")
		isOption := a != option
		return isOption && slices.Contains([]string{"destroy", "destroy=true"}, option)
	})
	return isCommand || hasOption
}
