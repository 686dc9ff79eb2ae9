//go:build unix

package main

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// group starts a command in a process group with its provider.
func group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func (t *trial) signal(name string) {
	pid := t.running()
	switch name {
	case interrupt:
		_ = syscall.Kill(-pid, syscall.SIGINT) // a terminal sends it to all of them
	case killBoth:
		_ = syscall.Kill(-pid, syscall.SIGKILL)
	case killCLI:
		_ = syscall.Kill(pid, syscall.SIGKILL)
	case killProvider:
		for _, child := range children(pid) {
			_ = syscall.Kill(child, syscall.SIGKILL)
		}
	}
}

func children(leader int) []int {
	out, err := exec.Command("ps", "-A", "-o", "pid=,pgid=").Output() //nolint:noctx // ends at once
	if err != nil {
		return nil
	}
	var found []int
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) != 2 || fields[1] != strconv.Itoa(leader) {
			continue
		}
		if pid, err := strconv.Atoi(fields[0]); err == nil && pid != leader {
			found = append(found, pid)
		}
	}
	return found
}
