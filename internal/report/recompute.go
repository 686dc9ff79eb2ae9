// Inputs as the planning core takes them, to compute again what a chart needs beyond the results in the file.

package report

import (
	"encoding/json"
	"fmt"
	"math"

	"terraform-provider-vsla/internal/plan/migration"
	"terraform-provider-vsla/internal/plan/replication"
)

// tolerance is how far a figure may be off when it is computed again: the file has decimal digits.
const tolerance = 1e-9

// inputsInto decodes attributes; null leaves what is there.
func (in *instance) inputsInto(v any) error {
	text, err := json.Marshal(in.values)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, v)
}

// agrees reports where a figure in the file differs from the one that was computed again.
func (in *instance) agrees(figures map[string]float64) error {
	for name, again := range figures {
		if file, ok := in.number(name); !ok || math.Abs(file-again) > tolerance*math.Max(1, math.Abs(again)) {
			return fmt.Errorf(
				"%s is %s in the file, and %s when it is computed again",
				name,
				in.format(name),
				format(name, again),
			)
		}
	}
	return nil
}

// notDrawn is the note in place of a chart.
func notDrawn(err error) string {
	return "A chart is left out, because its figures could not be confirmed: " + clean(err.Error()) + "."
}

// or returns a number that may be null.
func or(v *float64, missing float64) float64 {
	if v == nil {
		return missing
	}
	return *v
}

// estimateInput reads the inputs of vsla_replication_estimate.
func estimateInput(in *instance) (replication.Input, error) {
	var v struct {
		VMCount            float64  `json:"vm_count"`
		VMSizeGiB          float64  `json:"vm_size_gib"`
		DailyChangePercent float64  `json:"daily_change_percent"`
		ThroughputMbps     float64  `json:"throughput_mbps"`
		RPOMinutes         float64  `json:"rpo_minutes"`
		PeakFactor         *float64 `json:"peak_factor"`
		EfficiencyPercent  *float64 `json:"efficiency_percent"`
		CompressionRatio   *float64 `json:"compression_ratio"`
		SeededPercent      float64  `json:"seeded_percent"`
		OverheadSeconds    float64  `json:"overhead_seconds"`
	}
	if err := in.inputsInto(&v); err != nil {
		return replication.Input{}, err
	}
	input := replication.Defaults()
	input.VMCount, input.VMSizeGiB, input.DailyChangePercent = v.VMCount, v.VMSizeGiB, v.DailyChangePercent
	input.ThroughputMbps, input.RPOMinutes, input.PeakFactor = v.ThroughputMbps, v.RPOMinutes, v.PeakFactor
	input.SeededPercent, input.OverheadSeconds = v.SeededPercent, v.OverheadSeconds
	input.EfficiencyPercent = or(v.EfficiencyPercent, input.EfficiencyPercent)
	input.CompressionRatio = or(v.CompressionRatio, input.CompressionRatio)
	return input, nil
}

// estimate computes vsla_replication_estimate again.
func estimate(in *instance) (replication.Input, replication.Result, error) {
	input, err := estimateInput(in)
	if err != nil {
		return input, replication.Result{}, err
	}
	r, err := replication.Estimate(input)
	if err == nil {
		err = in.agrees(
			map[string]float64{"ongoing_sync_seconds": r.OngoingSyncSeconds, "initial_sync_seconds": r.InitialSyncSeconds},
		)
	}
	return input, r, err
}

// schedule simulates vsla_replication_schedule again, without its search for the smallest throughputs.
func schedule(in *instance) (replication.ScheduleInput, replication.ScheduleResult, error) {
	var v struct {
		Groups map[string]struct {
			VMCount            float64   `json:"vm_count"`
			VMSizeGiB          float64   `json:"vm_size_gib"`
			DailyChangePercent float64   `json:"daily_change_percent"`
			RPOMinutes         float64   `json:"rpo_minutes"`
			HourlyWeights      []float64 `json:"hourly_weights"`
			CompressionRatio   *float64  `json:"compression_ratio"`
		} `json:"groups"`
		Days                 *float64  `json:"days"`
		ThroughputMbps       *float64  `json:"throughput_mbps"`
		HourlyThroughputMbps []float64 `json:"hourly_throughput_mbps"`
		MaxConcurrentSyncs   *float64  `json:"max_concurrent_syncs"`
		StartInSync          *bool     `json:"start_in_sync"`
	}
	input := replication.ScheduleDefaults()
	if err := in.inputsInto(&v); err != nil {
		return input, replication.ScheduleResult{}, err
	}
	input.Days = or(v.Days, input.Days)
	input.ThroughputMbps, input.HourlyThroughputMbps, input.MaxConcurrentSyncs = v.ThroughputMbps, v.HourlyThroughputMbps, v.MaxConcurrentSyncs
	input.StartInSync = v.StartInSync == nil || *v.StartInSync
	input.Groups = make(map[string]replication.Group, len(v.Groups))
	for name, g := range v.Groups {
		input.Groups[name] = replication.Group{
			VMCount: g.VMCount, VMSizeGiB: g.VMSizeGiB, DailyChangePercent: g.DailyChangePercent, RPOMinutes: g.RPOMinutes,
			HourlyWeights: g.HourlyWeights, CompressionRatio: or(g.CompressionRatio, 1),
		}
	}
	r, err := replication.Simulate(input)
	if err == nil {
		err = in.agrees(map[string]float64{
			"violation_minutes":          r.ViolationMinutes,
			"transferred_gib":            r.TransferredGiB,
			"peak_hour_link_use_percent": r.PeakHourLinkUsePercent,
		})
	}
	return input, r, err
}

// vmotion computes vsla_vmotion_estimate again.
func vmotion(in *instance) (migration.VMotionInput, migration.VMotionResult, error) {
	var v struct {
		MemoryGiB            float64  `json:"memory_gib"`
		MemoryDirtyMbps      float64  `json:"memory_dirty_mbps"`
		WorkingSetGiB        *float64 `json:"working_set_gib"`
		DiskGiB              float64  `json:"disk_gib"`
		DiskWriteMbps        float64  `json:"disk_write_mbps"`
		ThroughputMbps       float64  `json:"throughput_mbps"`
		RTTMs                float64  `json:"rtt_ms"`
		ConcurrentMigrations *float64 `json:"concurrent_migrations"`
		SwitchOverGoalMs     *float64 `json:"switchover_goal_ms"`
		SetupSeconds         float64  `json:"setup_seconds"`
	}
	input := migration.VMotionDefaults()
	if err := in.inputsInto(&v); err != nil {
		return input, migration.VMotionResult{}, err
	}
	input.MemoryGiB, input.MemoryDirtyMbps, input.WorkingSetGiB = v.MemoryGiB, v.MemoryDirtyMbps, v.WorkingSetGiB
	input.DiskGiB, input.DiskWriteMbps, input.ThroughputMbps, input.RTTMs = v.DiskGiB, v.DiskWriteMbps, v.ThroughputMbps, v.RTTMs
	input.ConcurrentMigrations = or(v.ConcurrentMigrations, input.ConcurrentMigrations)
	input.SwitchOverGoalMs = or(v.SwitchOverGoalMs, input.SwitchOverGoalMs)
	input.SetupSeconds = v.SetupSeconds
	r, err := migration.VMotion(input)
	if err == nil && r.DurationSeconds != nil {
		err = in.agrees(map[string]float64{
			"duration_seconds":   *r.DurationSeconds,
			"switchover_seconds": *r.SwitchOverSeconds,
			"precopy_rounds":     float64(*r.PrecopyRounds),
		})
	}
	return input, r, err
}
