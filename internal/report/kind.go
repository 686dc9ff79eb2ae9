// Descriptions of data sources: how their results are shown, summarized and explained.

package report

import (
	"slices"

	"terraform-provider-vsla/internal/plan/registry"
)

// kind describes a data source. Whatever a calculator's description has is taken from there.
type kind struct {
	// name is the data source, vsla_replication_estimate for example.
	name string
	// id is the section of its results, which several data sources may share, with its title and introduction.
	id, title, intro string
	// fill adds the content of a result to its subject.
	fill func(*instance, *Subject)
	// overview returns the section's tables and figures for all results with values; it may be nil. shown are the inputs
	// in it.
	overview func([]known) ([]Table, []Figure)
	shown    []string
	// drawn: a result has charts.
	drawn bool
	// promise and sure are two cells of the table of promises, options what would make a result hold, as verbs: "provide
	// 1 Gbit/s". Each may be nil. always: a result without a verdict is among the promises as well.
	promise, sure func(*instance) string
	options       func(*instance) []string
	always        bool
	rules         []rule
	// source is where an input comes from that refers to this data source; empty for its address alone.
	source string
	// arguments are those of a data source that is no calculator, in the order of its documentation, and signature the
	// attributes by which its result is recognised in an output.
	arguments, signature []string
}

// rule is the basis of a calculation, with its source.
type rule struct{ text, source string }

// known is a subject whose values may be shown.
type known struct {
	*instance

	subject *Subject
}

// idOther is the section of results that are shown attribute by attribute.
const idOther = "other"

// kinds returns every data source in the order of the page. Calculators without a dedicated view follow the others.
func kinds() []kind {
	all := []kind{
		complianceKind(), historyKind(), estimateKind(), confidenceKind(), scheduleKind(), linkKind(), vmotionKind(),
		planKind(), latencyKind(), limitsKind(), vmsKind(), fileKind(), storageKind(), calibrationKind(),
	}
	for _, c := range registry.Calculators() {
		own := slices.ContainsFunc(all, func(k kind) bool { return k.name == c.DataSource() })
		if !own && !c.NoDataSource {
			all = append(all, describedKind(c.DataSource()))
		}
	}
	for name, arguments := range plainArguments {
		k := otherKind()
		k.name, k.arguments, k.source = name, arguments, plainSources[name]
		all = append(all, k)
	}
	return append(all, otherKind())
}

// otherKind describes results without a dedicated view.
func otherKind() kind {
	return kind{id: idOther, title: "Other results", intro: "Shown attribute by attribute.", fill: fillGeneric}
}

// kindOf returns the description of a data source; that of other results for one of another version.
func kindOf(name string) kind {
	all := kinds()
	if i := slices.IndexFunc(all, func(k kind) bool { return k.name == name }); i >= 0 {
		return all[i]
	}
	return all[len(all)-1]
}

// inputsOf returns the arguments of a data source, in the order of its documentation.
func inputsOf(name string) []string {
	if c, ok := registry.OfDataSource(name); ok {
		return namesOf(c.Inputs())
	}
	return kindOf(name).arguments
}
