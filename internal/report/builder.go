package report

import (
	"time"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/assess/document"
)

type builder struct {
	*Review

	document *document.Document
	date     time.Time
	all      []*assess.Assessment
	// isDetailed contains the results that have their own section on the page, and hasCharts contains the results that
	// have charts.
	isDetailed, hasCharts map[*assess.Assessment]bool
	// ids contains the anchors in use. anchors maps results to their anchors.
	ids     map[string]bool
	anchors map[*assess.Assessment]string
}

func (b *builder) bySection() [][]*assess.Assessment {
	order := []string{assess.KindPromise.ID, assess.KindLink.ID, assess.KindTarget.ID}
	for _, k := range assess.Kinds() {
		order = append(order, k.ID)
	}
	sections := make(map[string][]*assess.Assessment)
	for _, a := range b.all {
		sections[a.Kind.ID] = append(sections[a.Kind.ID], a)
	}
	var list [][]*assess.Assessment
	for _, id := range order {
		if assessments := sections[id]; len(assessments) > 0 {
			list = append(list, assessments)
			delete(sections, id)
		}
	}
	return list
}

// budget returns how many of n results get their own section on the page and how many get charts. These limits keep a
// page with 500 results below 200 KB.
func budget(n int) (detailed, drawn int) {
	const few, many = 24, 100
	switch {
	case n <= few:
		return n, 8
	case n <= many:
		return 16, 6
	}
	return 8, 1
}

// link returns the anchor of a result that has its own section on the page, or an empty string for any other result.
func (b *builder) link(a *assess.Assessment) string {
	if b.isDetailed[a] {
		return b.anchors[a]
	}
	return ""
}
