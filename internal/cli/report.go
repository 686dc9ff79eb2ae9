// The capacity review of a plan or a state.

package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/report"
)

// formats are the ways to write a review, by the ending of the file's name.
var formats = map[string]func(*report.Review, io.Writer) error{
	"html": (*report.Review).WriteHTML,
	"md":   (*report.Review).WriteMarkdown,
	"json": (*report.Review).WriteJSON,
}

// reportOptions is a command line.
type reportOptions struct {
	in, out, format string
	failOn          report.Level
}

func runReport(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	options, err := parseReport(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		reportUsage(stdout)
		return ExitOK
	case err != nil:
		fmt.Fprintf(stderr, "%v\n`terraform-provider-vsla report --help` tells how it is used.\n", err)
		return ExitUsage
	}
	review, err := readReview(options.in, stdin)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return ExitError
	}
	if err := writeReview(review, options, stdout); err != nil {
		fmt.Fprintln(stderr, err)
		return ExitError
	}
	fmt.Fprintln(stderr, review.Headline)
	if options.failOn != "" && review.Fails(options.failOn) {
		return ExitMiss
	}
	return ExitOK
}

// parseReport takes flags before and after the file.
func parseReport(args []string) (reportOptions, error) {
	var o reportOptions
	flags := flag.NewFlagSet("report", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.out, "o", "", "")
	flags.StringVar(&o.format, "format", "", "")
	flags.Func("fail-on", "", func(text string) error {
		o.failOn = report.Level(text)
		if !slices.Contains([]report.Level{report.Misses, report.AtRisk, report.Unknown}, o.failOn) {
			return errors.New("must be misses, at_risk or unknown")
		}
		return nil
	})
	var files []string
	for len(args) > 0 {
		if err := flags.Parse(args); err != nil {
			return o, err
		}
		args = flags.Args()
		if len(args) > 0 {
			files, args = append(files, args[0]), args[1:]
		}
	}
	if len(files) != 1 {
		return o, errors.New("one file is read, or - for standard input")
	}
	o.in = files[0]
	if o.format == "" {
		o.format = strings.TrimPrefix(strings.ToLower(filepath.Ext(o.out)), ".")
	}
	if o.out == "" && o.format == "" {
		o.format = "md"
	}
	if formats[o.format] == nil {
		return o, fmt.Errorf("%q is no format: give -o a name that ends in .html, .md or .json, or say --format", o.format)
	}
	return o, nil
}

func readReview(name string, stdin io.Reader) (*report.Review, error) {
	in := stdin
	if name != "-" {
		file, err := os.Open(name) //nolint:gosec // the file that the user names
		if err != nil {
			return nil, err
		}
		defer file.Close() //nolint:errcheck // it was read only
		in = file
	} else {
		name = "standard input"
	}
	document, err := report.Read(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return report.Build(document), nil
}

func writeReview(review *report.Review, o reportOptions, stdout io.Writer) error {
	if o.out == "" || o.out == "-" {
		return formats[o.format](review, stdout)
	}
	file, err := os.Create(o.out)
	if err != nil {
		return err
	}
	return errors.Join(formats[o.format](review, file), file.Close())
}

func reportUsage(w io.Writer) {
	fmt.Fprint(w, `A capacity review of a plan or a state: what of vsla's results holds, what does not, and why.

Usage:
  terraform show -json tfplan > plan.json
  terraform-provider-vsla report FILE|- [flags]

Flags:
      -o FILE
        Write to the file, as HTML, Markdown or JSON by its ending: .html, .md, .json.
        Without it, or with -, Markdown goes to standard output.
      --format html|md|json
        The format, where the file's name does not tell.
      --fail-on misses|at_risk|unknown
        End with 3 when something misses; with at_risk also when something is at risk; with unknown
        also when a result is not known before apply, is withheld, or when there is no result at all.

Exit codes:
  0  written
  1  the file is not the output of `+"`terraform show -json`"+`, or cannot be read or written
  2  wrong flags
  3  written, and something is as bad as --fail-on says
`)
}
