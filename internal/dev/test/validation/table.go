package validation

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed testdata/sources.csv
var sourceTable []byte

//go:embed testdata/rows.csv
var rowTable []byte

type area struct {
	title   string
	sources []Source
}

// areas returns the sections of the page with their predictions, in the order of the source table. It panics if the
// embedded tables are invalid.
var areas = sync.OnceValue(func() []area {
	sections, err := readTables(sourceTable, rowTable)
	if err != nil {
		panic(err)
	}
	for _, a := range sections {
		for _, s := range a.sources {
			for i := range s.Rows {
				if s.Rows[i], err = s.Rows[i].withPredictions(); err != nil {
					panic(err)
				}
			}
		}
	}
	return sections
})

// Rows returns all rows in page order.
func Rows() []Row {
	var rows []Row
	for _, a := range areas() {
		for _, s := range a.sources {
			rows = append(rows, s.Rows...)
		}
	}
	return rows
}

// readTables parses both tables. Unknown sources, kinds, rules and causes are errors.
func readTables(sources, rows []byte) ([]area, error) {
	bySource := map[string][]Row{}
	err := eachRecord(rows, func(record map[string]string) error {
		row, err := readRow(record)
		bySource[record["source"]] = append(bySource[record["source"]], row)
		return err
	})
	if err != nil {
		return nil, err
	}
	var sections []area
	err = eachRecord(sources, func(record map[string]string) error {
		key, title := record["source"], record["section"]
		if len(bySource[key]) == 0 {
			return fmt.Errorf("source %s has no rows", key)
		}
		if len(sections) == 0 || sections[len(sections)-1].title != title {
			sections = append(sections, area{title: title})
		}
		last := &sections[len(sections)-1]
		last.sources = append(last.sources, Source{
			Title:   record["title"],
			Year:    record["year"],
			Where:   record["read"],
			Address: record["address"],
			Product: record["product"],
			Rows:    bySource[key],
		})
		delete(bySource, key)
		return nil
	})
	for key := range bySource {
		return nil, fmt.Errorf("rows of %s, which is not a source", key)
	}
	return sections, err
}

func eachRecord(table []byte, read func(map[string]string) error) error {
	records, err := csv.NewReader(bytes.NewReader(table)).ReadAll()
	if err != nil {
		return err
	}
	for i, record := range records[1:] {
		named := map[string]string{}
		for column, value := range record {
			named[records[0][column]] = value
		}
		if err := read(named); err != nil {
			return fmt.Errorf("record %d: %w", i+1, err)
		}
	}
	return nil
}

var kinds = []Kind{Measured, Worked, Formula}

func readRow(record map[string]string) (Row, error) {
	row := Row{
		ID:          record["id"],
		Kind:        Kind(record["kind"]),
		Rule:        Rule(record["interval"]),
		What:        record["what"],
		Inputs:      record["inputs"],
		Unit:        record["unit"],
		Question:    record["ask"],
		InputOrigin: InputOrigin(record["apart"]),
		Mismatch:    Mismatch{Cause: Cause(record["cause"]), Text: record["miss"]},
	}
	known := slices.Contains([]InputOrigin{"", FromLine, FromOutcome}, row.InputOrigin) &&
		slices.Contains(kinds, row.Kind) &&
		(row.Mismatch.Cause == "" || slices.Contains(causes, row.Mismatch.Cause)) &&
		slices.ContainsFunc(ruleTexts, func(t ruleText) bool { return t.rule == row.Rule })
	if !known {
		return row, fmt.Errorf("%s: kind %q, interval %q or cause %q is not known", row.ID, row.Kind, row.Rule,
			row.Mismatch.Cause)
	}
	var err error
	if record["decimals"] != "" {
		if row.Decimals, err = strconv.Atoi(record["decimals"]); err != nil {
			return row, err
		}
	}
	if row.Published, err = readNumbers(record["published"]); err != nil {
		return row, err
	}
	if record["by hand"] == "" {
		return row, nil
	}
	row.Hand, err = readNumbers(record["by hand"])
	return row, err
}

func readNumbers(text string) ([]float64, error) {
	var values []float64
	for end := range strings.SplitSeq(text, "..") {
		v, err := strconv.ParseFloat(end, 64)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	return values, nil
}
