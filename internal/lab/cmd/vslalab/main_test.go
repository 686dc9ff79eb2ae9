package main

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"
)

// screen is a writer that tells when a text has been written.
type screen struct {
	mu   sync.Mutex
	text strings.Builder
	want string
	seen chan struct{}
}

// Write keeps the text.
func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := strings.Contains(s.text.String(), s.want)
	n, err := s.text.Write(b)
	if !before && strings.Contains(s.text.String(), s.want) {
		close(s.seen)
	}
	return n, err
}

func TestRun(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out := &screen{want: "Ctrl-C", seen: make(chan struct{})}
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, []string{"-hosts", "4", "-vms", "50", "-sites", "2", "-counts"}, out, &strings.Builder{})
	}()
	<-out.seen
	stop()
	if got := <-code; got != 0 {
		t.Errorf("exit code %d", got)
	}
	text := out.text.String()
	ca := ""
	for _, want := range []string{"vCenter 1: 50 machines", "vCenter 2: 50 machines", "export VSPHERE_SERVER=https://127.0.0.1:", "export VSPHERE_USER=", "export VSPHERE_PASSWORD=", "export VSLA_CA_FILE=", "vCenter 2: 0 requests"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	for line := range strings.Lines(text) {
		if file, ok := strings.CutPrefix(line, "export VSLA_CA_FILE="); ok {
			ca = strings.TrimSpace(file)
		}
	}
	if _, err := os.Stat(ca); !os.IsNotExist(err) {
		t.Errorf("%s is left behind: %v", ca, err)
	}
}

func TestRun_badFlags(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"-hosts", "1"}, {"-vms", "-1"}, {"-sites", "0"}, {"what"}, {"-nothing"}} {
		var errors strings.Builder
		if got := run(t.Context(), args, &strings.Builder{}, &errors); got != 2 || errors.Len() == 0 {
			t.Errorf("%v ends with %d, %q", args, got, errors.String())
		}
	}
	var help strings.Builder
	if got := run(t.Context(), []string{"-help"}, &strings.Builder{}, &help); got != 0 || !strings.Contains(help.String(), "-latency") {
		t.Errorf("help ends with %d, %q", got, help.String())
	}
}
