// Rows of applications that ask a server across a longer round trip.

package validation

import (
	"fmt"

	"terraform-provider-vsla/internal/plan/interactive"
)

// clickHouseRTT supplies the round trips of a query, which the source does not publish: its longest, in ms.
const clickHouseRTT = 20

var clickHouse = Source{
	Title: "asynch, ClickHouse client: pool lock refactor benchmark report", Year: "2026",
	Where: "the table: medians of five rounds, injected round trips of 0 to 20 ms. Its last line, 20 ms, supplies the " +
		"round trips of one query; it is therefore not a row",
	Address: "https://github.com/Leechael/asynch/blob/67062e5d0b84a2b55e4c12c6021ff8e63b986904/" +
		"benchmarks/results/2026-07-12-pool-lock-refactor-report.md",
	Rows: []Row{
		clickHouseRow("b8", "8 workers, a connection each", 8, 1184.9, 116.6, 1, 818.5),
		clickHouseRow("b8", "8 workers, a connection each", 8, 1184.9, 116.6, 5, 371.9),
		clickHouseRow("b32", "32 workers, a connection each", 32, 1329.7, 458.1, 1, 1224.8),
		clickHouseRow("b32", "32 workers, a connection each", 32, 1329.7, 458.1, 5, 906.2),
		clickHouseRow("d8", "128 workers, a pool of 8 connections", 8, 1003.7, 122.6, 1, 824.5),
		clickHouseRow("d8", "128 workers, a pool of 8 connections", 8, 1003.7, 122.6, 5, 394.0),
		clickHouseRow("d32", "128 workers, a pool of 32 connections", 32, 1166.9, 490.3, 1, 1119.5),
		clickHouseRow("d32", "128 workers, a pool of 32 connections", 32, 1166.9, 490.3, 5, 995.6),
	},
}

// clickHouseRow has the throughput without a round trip, at the longest one, and at the row's.
func clickHouseRow(id, what string, users, before, longest, rtt, published float64) Row {
	trips := (users/longest - users/before) / (clickHouseRTT / 1000.)
	return Row{
		ID: fmt.Sprintf("clickhouse-%s-%gms", id, rtt), Kind: Measured, Rule: Within15,
		What: fmt.Sprintf("queries at %g ms, %s", rtt, what),
		Inputs: fmt.Sprintf("%g connections; %s queries/s at 0 ms, %s at 20 ms: %s round trips", users, number(before),
			number(longest), number(trips)),
		Published: []float64{published}, Unit: "queries/s",
		Predict: split{
			users: users, before: before, rttMs: rtt, suppliedRTTMs: clickHouseRTT, supplied: longest, answer: throughputOf,
		},
		Hand: []float64{users / (users/before + trips*rtt/1000)},
	}
}

var imageServer = Source{
	Title: "oximg, permit lab", Year: "2026",
	Where: "table of 5 August, columns W=1 and W=2, the server's times below it, and the cell like production; each " +
		"request fetches one source across the round trip",
	Address: "https://github.com/oximg/oximg/blob/ae22e9bd54c3685b8a2499bc590847c1c5e77dc7/" +
		"bench/permit-lab/README.md",
	Rows: []Row{
		imageRow(1, 22.5, 10, 18.7), imageRow(1, 22.5, 30, 13.3), imageRow(1, 22.5, 60, 9.6),
		imageRow(2, 22.3, 10, 21.6), imageRow(2, 22.3, 30, 18.1), imageRow(2, 22.3, 60, 14.5),
		imageTimeRow(10, 0.052), imageTimeRow(30, 0.075), imageTimeRow(60, 0.102),
		largeImageRow(1, 8.34), largeImageTimeRow(1, 0.120), largeImageRow(2, 11.41), largeImageTimeRow(2, 0.172),
	},
}

// What the server takes for a request without a round trip, in seconds: at one worker, and for the large images of the
// cell like production, of which one processor does 16 a second whatever the number of workers.
const (
	imageSeconds      = 0.044
	largeImageSeconds = 0.0625
	largeImageRTT     = 60
)

func imageTimeRow(rtt, published float64) Row {
	return Row{
		ID: fmt.Sprintf("oximg-time-%gms", rtt), Kind: Measured, Rule: Within15,
		What:      fmt.Sprintf("time of the server for a request at %g ms to the origin, one worker", rtt),
		Inputs:    "0.044 s at 0 ms, one round trip each",
		Published: []float64{published}, Unit: "s",
		Predict: split{users: 1, before: 1 / imageSeconds, rttMs: rtt, trips: 1, answer: responseOf},
		Hand:    []float64{imageSeconds + rtt/1000},
	}
}

func largeImageRow(users, published float64) Row {
	return Row{
		ID: fmt.Sprintf("oximg-large-%g", users), Kind: Measured, Rule: Within15,
		What:      "requests of large images at 60 ms to the origin, " + workers(users),
		Inputs:    "one processor, 0.0625 s of it for a request, one round trip each",
		Published: []float64{published}, Unit: "requests/s",
		Predict: split{users: users, before: 1 / largeImageSeconds, rttMs: largeImageRTT, trips: 1, answer: throughputOf},
		Hand:    []float64{users / (users*largeImageSeconds + largeImageRTT/1000.)},
	}
}

func largeImageTimeRow(users, published float64) Row {
	return Row{
		ID: fmt.Sprintf("oximg-large-time-%g", users), Kind: Measured, Rule: Within15,
		What:      "time of the server for a large image at 60 ms to the origin, " + workers(users),
		Inputs:    "one processor, 0.0625 s of it for a request, one round trip each",
		Published: []float64{published}, Unit: "s",
		Predict: split{users: users, before: 1 / largeImageSeconds, rttMs: largeImageRTT, trips: 1, answer: responseOf},
		Hand:    []float64{users*largeImageSeconds + largeImageRTT/1000.},
	}
}

func imageRow(users, before, rtt, published float64) Row {
	return Row{
		ID: fmt.Sprintf("oximg-%g-%gms", users, rtt), Kind: Measured, Rule: Within15,
		What:      fmt.Sprintf("requests at %g ms to the origin, %s", rtt, workers(users)),
		Inputs:    fmt.Sprintf("%s requests/s at 0 ms, one round trip each", number(before)),
		Published: []float64{published}, Unit: "requests/s",
		Predict: split{users: users, before: before, rttMs: rtt, trips: 1, answer: throughputOf},
		Hand:    []float64{users / (users/before + rtt/1000)},
	}
}

func workers(n float64) string {
	if n == 1 {
		return "one worker"
	}
	return fmt.Sprintf("%g workers", n)
}

var requestDelay = Miss{
	CauseInput,
	"By the source a request takes some 4 ms more than the delay that it injects, which counts where there are 100 of " +
		"20 ms. What the round trip really was is not published (`rtt_after_ms`).",
}

var atuin = Source{
	Title: "atuin, end-to-end sync benchmark: baseline results", Year: "2026",
	Where: "the table: 10,000 records in pages of 100 or 1,000",
	Address: "https://github.com/atuinsh/atuin/blob/3e01e3ab77dcdf6a8cda1fc77651301f32a7f0ab/" +
		"docs/superpowers/plans/2026-07-16-e2e-sync-benchmark-results.md",
	Rows: []Row{
		atuinRow("upload", 100, 0.2134, 20, 2.628, requestDelay),
		atuinRow("upload", 100, 0.2134, 100, 10.8, Miss{}),
		atuinRow("upload", 10, 0.1961, 20, 0.4071, Miss{}),
		atuinRow("upload", 10, 0.1961, 100, 1.345, Miss{}),
		atuinRow("download", 100, 0.1516, 20, 2.595, requestDelay),
		atuinRow("download", 100, 0.1516, 100, 10.46, Miss{}),
		atuinRow("download", 10, 0.1415, 20, 0.3623, Miss{}),
		atuinRow("download", 10, 0.1415, 100, 1.216, Miss{}),
	},
}

func atuinRow(direction string, trips, seconds, rtt, published float64, miss Miss) Row {
	return Row{
		ID: fmt.Sprintf("atuin-%s-%g-%gms", direction, trips, rtt), Kind: Measured, Rule: Within15,
		What:      fmt.Sprintf("%s in %g requests at %g ms", direction, trips, rtt),
		Inputs:    fmt.Sprintf("%s s at 0 ms, and %g round trips", number(seconds), trips),
		Published: []float64{published}, Unit: "s",
		Predict: split{users: 1, before: 1 / seconds, rttMs: rtt, trips: trips, answer: responseOf},
		Hand:    []float64{seconds + trips*rtt/1000},
		Miss:    miss,
	}
}

// The shortest and the longest round trip of the render, in ms, and their durations in seconds.
const (
	renderNearMs, renderFarMs = 1.9, 221
	renderNear, renderFar     = 497, 1280
)

var render = Source{
	Title: "Microsoft, Why use HPC Cache or the Avere vFXT Edge Filer?", Year: "2023",
	Where: "the table, column Direct Connect. Its line of 1.9 ms is the start, and that of 221 ms supplies the round " +
		"trips; they are therefore not rows",
	Address: "https://github.com/Azure/Avere/blob/a79e7f68b89e92041385db4b171d0a7a64d1846f/docs/" +
		"why_avere_for_rendering.md",
	Rows: []Row{renderRow(69.5, 836), renderRow(194, 1168)},
}

func renderRow(rtt, published float64) Row {
	trips := (renderFar - renderNear) / ((renderFarMs - renderNearMs) / 1000)
	return Row{
		ID: fmt.Sprintf("render-%gms", rtt), Kind: Measured, Rule: Within15,
		What: fmt.Sprintf("render of 500 frames from a file server at %g ms", rtt),
		Inputs: fmt.Sprintf("%s s at %g ms, %s s at %d ms: %s round trips", number(renderNear), renderNearMs,
			number(renderFar), renderFarMs, number(trips)),
		Published: []float64{published}, Unit: "s",
		Predict: split{
			users: 1, before: 1. / renderNear, beforeRTTMs: renderNearMs, rttMs: rtt, suppliedRTTMs: renderFarMs,
			supplied: 1. / renderFar, answer: responseOf,
		},
		Hand: []float64{renderNear + trips*(rtt-renderNearMs)/1000},
	}
}

func throughputOf(r interactive.Result) float64 { return r.ThroughputAfter }
func responseOf(r interactive.Result) float64   { return r.ResponseAfterSeconds }
