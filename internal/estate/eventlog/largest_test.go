package eventlog_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/estate/eventlog"
	"terraform-provider-vsla/internal/plan/history"
)

// rotatingLog is an event log of VMs that each sync once an hour, one after another. The size of a sync depends on the
// VM and the hour of the day.
type rotatingLog struct {
	ids   []string
	hours int
}

func newRotatingLog(vms, hours int) rotatingLog { return rotatingLog{newVMIDs(vms), hours} }

func newVMIDs(vms int) []string {
	list := make([]string, 0, vms)
	for i := range vms {
		list = append(list, fmt.Sprintf("vm-%d", 1000+i))
	}
	return list
}

func (c rotatingLog) Len() int { return len(c.ids) * c.hours }

func (c rotatingLog) Event(i int) vcsim.Event {
	hour, vm := i/len(c.ids), i%len(c.ids)
	return vcsim.Event{
		At:    vcsim.Epoch.Add(time.Duration(hour)*time.Hour + time.Duration(vm)*time.Hour/time.Duration(len(c.ids))),
		Type:  vcsim.EventDelta,
		VMID:  c.ids[vm],
		Bytes: int64(1+hour%24) << 20 * int64(1+vm%50),
	}
}

const (
	largestVMs, smallVMs, largestHours = 25_000, 2_500, 7 * 24
	// labVariable is the environment variable that makes the test binary act as the lab of TestRead_largest, which runs
	// in a separate process.
	labVariable = "VSLA_TEST_LARGEST_LAB"
	// wholeVariable is the environment variable that makes TestRead_largest read the complete log, which takes minutes.
	wholeVariable = "VSLA_TEST_WHOLE_LOG"
)

func TestMain(m *testing.M) {
	if os.Getenv(labVariable) == "" {
		os.Exit(m.Run())
	}
	if err := runLab(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// labOutput is the output of the lab process: its address and login at the start, and its request counts at the end.
type labOutput struct {
	URL      string         `json:"url"`
	User     string         `json:"user"`
	Password string         `json:"password"`
	CA       []byte         `json:"ca"`
	Requests map[string]int `json:"requests"`
}

func runLab(in io.Reader, out io.Writer) error {
	v, err := vcsim.Start(context.Background(), vcsim.Config{})
	if err != nil {
		return err
	}
	defer func() { _ = v.Close() }()
	vms := smallVMs
	if os.Getenv(wholeVariable) != "" {
		vms = largestVMs
	}
	v.Events().Serve(newRotatingLog(vms, largestHours))
	written := json.NewEncoder(out)
	if err := written.Encode(labOutput{
		URL:      v.URL(),
		User:     v.User(),
		Password: v.Password(),
		CA:       v.CAPEM(),
	}); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, in); err != nil {
		return err
	}
	return written.Encode(labOutput{Requests: v.Traffic().Counts()})
}

// startLab starts the lab process. The returned function stops the process and returns its request counts.
func startLab(t *testing.T) (lab labOutput, requests func() map[string]int) {
	t.Helper()
	executable, err := os.Executable()
	require.NoError(t, err)
	process := exec.CommandContext(t.Context(), executable)
	process.Env = append(os.Environ(), labVariable+"=1")
	process.Stderr = os.Stderr
	in, err := process.StdinPipe()
	require.NoError(t, err)
	out, err := process.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, process.Start())
	t.Cleanup(func() {
		_ = in.Close()
		_ = process.Wait()
	})
	outputs := json.NewDecoder(out)
	require.NoError(t, outputs.Decode(&lab))
	return lab, func() map[string]int {
		_ = in.Close()
		var end labOutput
		require.NoError(t, outputs.Decode(&end))
		return end.Requests
	}
}

// TestRead_largest checks that processing a log of 420,000 events, from 2,500 VMs over 7 days, requires at most 60 MiB
// of memory. Only the last hour of events is read from vCenter; the test adds all earlier events to the log itself.
// "make test-whole-log" instead reads all 4.2 million events of 25,000 VMs from vCenter, which must require at most 300
// MiB.
//
//nolint:paralleltest // it measures the memory of the process
func TestRead_largest(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector takes memory; make test measures it")
	}
	vms := smallVMs
	read := 1
	most := uint64(60)
	if os.Getenv(wholeVariable) != "" {
		vms = largestVMs
		read = largestHours
		most = 300
	}
	lab, requests := startLab(t)
	source := newRotatingLog(vms, largestHours)
	from, to := vcsim.Epoch, vcsim.Epoch.Add(largestHours*time.Hour)
	log := history.NewLog(from, to)
	for _, id := range source.ids {
		log.Watch(id, history.VM{Size: 100 * gib, RPOMinutes: 60})
	}
	// The provider's main function also sets a memory limit.
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(240 << 20))
	var peak uint64
	events := 0
	add := func(id string, e history.Event) {
		if events++; events%2_500 == 0 {
			peak = max(peak, used())
		}
		log.Add(id, e)
	}
	for i := range vms * (largestHours - read) {
		e := source.Event(i)
		add(e.VMID, history.Event{At: e.At, Bytes: float64(e.Bytes)})
	}
	count, err := eventlog.Read(t.Context(), connect(t, lab.URL, lab.User, lab.Password, lab.CA), eventlog.Query{
		VMIDs:     source.ids,
		From:      to.Add(-time.Duration(read) * time.Hour),
		To:        to,
		TimeLimit: 24 * time.Hour,
	}, add)
	require.NoError(t, err)
	require.EqualValues(t, vms*read, count)
	require.Equal(t, vms*largestHours, events)
	s := log.Finish()
	peak = max(peak, used())
	// A VM changes by 1 to 24 MiB per hour, depending on the hour of the day, which adds up to 300 MiB per day. This is
	// multiplied by a factor of 1 to 50 that depends on the VM (25.5 on average). Only the first hour can be
	// incomplete, in which a VM changes by 1 MiB, so at most 1 of the 300 MiB is missing.
	want := 300.0 / 1024 * 25.5 * float64(vms)
	got := *s.Total.DailyChangeGiB
	assert.InEpsilon(t, want, got, 0.01)
	assert.Equal(t, 100.0, *s.Total.CompliancePercent)
	counts := requests()
	t.Logf("%d events, of which %d in the requests %v; %d MiB at most", events, count, counts, peak>>20)
	// One page per 1,000 events, plus two empty pages and an incomplete page per collector.
	assert.LessOrEqual(t, counts["soap:ReadNextEvents"], vms*read/1000+3*counts["soap:CreateCollectorForEvents"])
	assert.LessOrEqual(t, peak, most<<20)
}

// used returns the number of bytes of memory that the process has obtained from the system and not yet returned to it.
func used() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys - m.HeapReleased
}
