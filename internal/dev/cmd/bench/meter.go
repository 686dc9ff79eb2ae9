// Measuring one thing: requests, seconds, and memory where it is a process.

package main

import (
	"fmt"
	"os"
	"time"

	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

// measurement is one thing, done one way.
type measurement struct {
	// The run ("apply of 10,000 tags") and the way ("vsla").
	What, How string
	Latency   time.Duration
	Requests  int
	Took      time.Duration
	// Memory is the largest resident set of any process of the run, in MiB; 0 where it was not a process.
	Memory int64
}

// meter measures against one lab.
type meter struct {
	lab     *vcsim.VCenter
	latency time.Duration
	all     *results
}

// measure runs do and keeps what it cost. Logins do not count: each way needs them once.
func (m *meter) measure(what, how string, do func() (memory int64, err error)) error {
	m.lab.Traffic().Reset()
	begin := time.Now() //nolint:forbidigo // a benchmark is about real time
	memory, err := do()
	took := time.Since(begin) //nolint:forbidigo // a benchmark is about real time
	if err != nil {
		return fmt.Errorf("%s, %s: %w", what, how, err)
	}
	requests := m.lab.Traffic().Total() - m.lab.Traffic().Count("POST session") - m.lab.Traffic().Count("DELETE session")
	for kind, n := range m.lab.Traffic().Counts() {
		if kind == "soap:Login" || kind == "soap:Logout" || kind == "soap:RetrieveServiceContent" {
			requests -= n
		}
	}
	one := measurement{
		What:     what,
		How:      how,
		Latency:  m.latency,
		Requests: requests,
		Took:     took,
		Memory:   memory,
	}
	fmt.Fprintf(os.Stderr, "%-5s %-46s %-34s %7d requests %9.3f s\n", m.latency, what, how, requests, took.Seconds())
	m.all.list = append(m.all.list, one)
	return nil
}
