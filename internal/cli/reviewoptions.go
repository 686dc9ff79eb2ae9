package cli

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/cli/waves"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/report"
	"terraform-provider-vsla/internal/report/difference"
	"terraform-provider-vsla/internal/wording"
)

type reviewOptions struct {
	in       string
	out      string
	format   string
	failOn   string
	title    string
	author   string
	date     string
	decision string
	// baseline is the input to compare with, comment the file for the pull request comment, and waves the CSV file for
	// the moves of the migration plans. All can be empty.
	baseline, comment, waves string

	inventory inventoryOptions
	tiers     string
	// set contains replacements for values in the tiers file. baselineTiers is the tiers file to compare with.
	set           []string
	baselineTiers string

	initialize, summary, interactive bool
}

// reviewed is a review with its difference from the baseline (nil without a baseline), and the migration plans.
type reviewed struct {
	*report.Review

	difference *difference.Difference
	moves      []waves.Plan
}

var formats = map[string]func(*report.Review, io.Writer) error{
	"html": (*report.Review).WriteHTML,
	"md":   (*report.Review).WriteMarkdown,
	"json": (*report.Review).WriteJSON,
}

const failWorse = "worse"

var failLevels = []string{plan.Misses, plan.AtRisk, plan.Unknown}

const wavesUsage = "Write the migration schedule to this CSV `FILE`: window, wave, start, end, method and downtime."

func (o *reviewOptions) addTo(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVarP(&o.out, "output", "o", "",
		"Write to this `FILE`. The extension .html, .md or .json sets the format. Default: Markdown on standard "+
			"output (-), and with --interactive vsla.html.")
	flags.StringVar(&o.format, "format", "", "Output format: `html|md|json`. Overrides the file extension.")
	flags.BoolVar(&o.interactive, "interactive", false, "Write a page whose inputs can be changed in the browser.")
	flags.StringVar(&o.waves, "waves", "", wavesUsage)
	flags.StringVar(&o.title, "title", "", "Title of the page. Default `TEXT`: Capacity review.")
	flags.StringVar(&o.author, "author", "", "Name of the presenter, any `TEXT`.")
	flags.StringVar(&o.date, "date", "",
		"Date of the review, as `YYYY-MM-DD`. Default: the date of the plan. A state or an inventory file has no date.")
	flags.StringVar(&o.decision, "decision", "",
		"Decision to be made, as `TEXT`. It is printed before the decisions that the results require.")
	flags.StringVar(&o.baseline, "baseline", "",
		"Compare with this `FILE`: a plan or a state as JSON, or an earlier inventory. Default: the inventory itself "+
			"if --baseline-tiers is used.")
	completeFlag(cmd, "format", slices.Sorted(maps.Keys(formats)))

	flags.StringVar(&o.tiers, "tiers", "tiers.yaml", "YAML `FILE` with the tiers of the inventory.")
	flags.BoolVar(&o.initialize, "init", false,
		"Only create a tiers file, with comments and the clusters of the inventory.")
	flags.BoolVar(&o.summary, "summary", false,
		"Only print the number and sizes of the VMs, the clusters, and the skipped rows. With --format json, the "+
			"attributes of vsla_inventory_file.")
	flags.StringArrayVar(&o.set, "set", nil,
		"Override a value of the tiers file, as `KEY=VALUE`. Can be repeated. Examples: throughput_mbps=500, "+
			"defaults.peak_factor=4, or gold.rpo_minutes=30 for the tier gold.")
	flags.StringVar(&o.baselineTiers, "baseline-tiers", "",
		"Compare with this tiers `FILE`, to which --set does not apply. Default: the file of --tiers.")
	flags.StringVar(&o.failOn, "fail-on", "",
		"Exit with code 3 at this `LEVEL` of an inventory; use gate for a plan. misses: a promise is missed. "+
			"at_risk: as misses, or a promise is at risk, not known before apply or withheld. unknown: as at_risk, "+
			"or the file has no results. worse: a promise gets worse than in --baseline or is weakened, a new "+
			"promise does not hold, or a promise or an existing VM is no longer checked.")
	flags.StringVar(&o.comment, "comment", "",
		"Write the changes of an inventory since --baseline to this `FILE` as a Markdown comment of less than 65,536 "+
			"bytes for a pull request, or to standard output (-); use gate for a plan.")
	completeFlag(cmd, "fail-on", failLevels)
}

func (o *reviewOptions) complete() error {
	if err := o.checkBaseline(); err != nil {
		return err
	}
	if o.failOn != "" && o.failOn != failWorse && !slices.Contains(failLevels, o.failOn) {
		return fmt.Errorf("--fail-on must be misses, at_risk or unknown, got %q", o.failOn)
	}
	if _, err := time.Parse(time.DateOnly, o.date); o.date != "" && err != nil {
		return fmt.Errorf("--date must be a day as YYYY-MM-DD, got %q", o.date)
	}
	switch {
	case o.format != "" && formats[o.format] == nil:
		return fmt.Errorf("--format must be html, md or json, got %q", o.format)
	case o.format != "":
		return nil
	case o.out == "" || o.out == "-":
		o.format = "md"
		return nil
	}
	o.format = strings.TrimPrefix(strings.ToLower(filepath.Ext(o.out)), ".")
	if formats[o.format] == nil {
		return fmt.Errorf("--output must end in .html, .md or .json, or --format must be given, got %q", o.out)
	}
	return nil
}

func (o *reviewOptions) checkBaseline() error {
	switch {
	case o.baseline == "" && o.failOn == failWorse:
		return errors.New("--fail-on worse requires --baseline, the file to compare with")
	case o.baseline == "-" && o.in == "-":
		return errors.New("only one of the file and --baseline can be read from standard input")
	}
	if o.comment != "" && o.baseline == "" {
		return errors.New("--comment requires --baseline, the file to compare with")
	}
	return nil
}

func (o *reviewOptions) checkFiles(kind inputKind) error {
	inputs := []argument{{"the input", o.in}, {"--baseline", o.baseline}, {"--baseline-tiers", o.baselineTiers}}
	if kind == inventoryInput {
		inputs = append(inputs, argument{"--tiers", o.tiers})
	}
	for _, folder := range inputs {
		files, _ := os.ReadDir(folder.file) // none if it is a file
		for _, file := range files {
			if strings.EqualFold(filepath.Ext(file.Name()), ".csv") {
				inputs = append(inputs, argument{folder.as, filepath.Join(folder.file, file.Name())})
			}
		}
	}
	out := o.out
	if out == "" && o.comment == "" {
		out = "-"
	}
	outputs := []argument{{"--output", out}, {"--comment", o.comment}, {"--waves", o.waves}}
	return checkOutputs(inputs, outputs...)
}

func (o *reviewOptions) fails(review reviewed) bool {
	switch o.failOn {
	case "":
		return false
	case failWorse:
		return review.difference.GetsWorse()
	}
	return review.Fails(o.failOn)
}

func migrationPlans(d *document.Document) []waves.Plan {
	var plans []waves.Plan
	for _, a := range d.Results() {
		if moves, ok := assess.As[assess.Migration](a); ok && !a.Hidden() {
			plans = append(plans, waves.Plan{Name: a.Title, Moves: moves})
		}
	}
	return plans
}

func (p Program) cover(o reviewOptions) report.Cover {
	// Ignore the error, because complete rejects invalid dates. For an empty date, the result is the zero time.
	date, _ := time.Parse(time.DateOnly, o.date)
	return report.Cover{
		Title:    wording.Clean(o.title),
		Author:   wording.Clean(o.author),
		Date:     date,
		Version:  p.Version,
		Decision: wording.Clean(o.decision),
	}
}
