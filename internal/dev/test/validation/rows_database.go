// Rows of a database that migrates while it is written.

package validation

import "terraform-provider-vsla/internal/plan/migration"

// The published means: memory in use, from the migrations that stop the guest; rates in MiB/s; the goal of the stop.
const (
	databaseGiB    = 1.7839513536542655
	databaseMiBps  = 129.0026
	databaseDirty  = 18.437109375
	databaseGoalMs = 300
)

var database = Source{
	Title: "A Case Study of Live Migration for Cloud Databases, bachelor's thesis: benchmark data",
	Year:  "2026",
	Where: "evaluation_summary.csv, means of 10 migrations of PostgreSQL under load with pre-copy. The memory in use " +
		"comes from Stop_Copy_4T, which sends it once, 1.78 GiB; that line is therefore not a row",
	Address: "https://github.com/LordWicked/live-migration-thesis-code/blob/fda44c76f14a73766fd2b4f61310ca2affbccadc/" +
		"logs_14_major/evaluation_tables_final/evaluation_summary.csv",
	Rows: []Row{
		databaseRow("database-duration", "duration", "s", 17.188, durationOf, databasePrecopy()+databaseStop(), Miss{}),
		databaseRow("database-stop", "stop of the guest", "s", 0.0153, stopOf, databaseStop(), Miss{
			CauseInput,
			"In the stop QEMU sends at another rate than before it: 31.7 MiB in 15 ms, by the source. What the link carries " +
				"without the cap of 129 MiB/s is not published.",
		}),
		databaseRow("database-rest", "data sent in the stop", "GiB", 0.030915, restOf,
			databaseStop()*databaseMiBps/1024, Miss{
				CauseModel,
				"vsla stops the guest as soon as the goal of 300 ms is met, after two rounds; QEMU counted seven.",
			}),
		databaseRow("database-sent", "data sent", "GiB", 2.1941, sentOf,
			(databasePrecopy()+databaseStop())*databaseMiBps/1024, Miss{}),
	},
}

func databaseRow(
	id, what, unit string, published float64, answer func(migration.VMotionResult) (float64, error), hand float64,
	miss Miss,
) Row {
	return Row{
		ID: id, Kind: Measured, Rule: Within15, What: "live migration of a database: " + what,
		Inputs:    "1.78 GiB in use at 129 MiB/s; written at 18.4 MiB/s; goal 300 ms",
		Published: []float64{published}, Unit: unit,
		Predict: moved{
			bytes: databaseGiB * gib, mbps: []float64{databaseMiBps * mibpsToMbps}, dirtyMbps: databaseDirty * mibpsToMbps,
			goalMs: databaseGoalMs, answer: answer,
		},
		Hand: []float64{hand},
		Miss: miss,
	}
}

// databasePrecopy is two rounds: 14.2 s, and 14.3 % of them; the third would take 14.3 % of 2.02 s, less than 0.3 s.
func databasePrecopy() float64 {
	return databaseGiB * 1024 / databaseMiBps * (1 + databaseDirty/databaseMiBps)
}

func databaseStop() float64 {
	return databaseGiB * 1024 / databaseMiBps * (databaseDirty / databaseMiBps) * (databaseDirty / databaseMiBps)
}

func restOf(r migration.VMotionResult) (float64, error) {
	return r.Rounds[len(r.Rounds)-1].SentGiB, nil
}
