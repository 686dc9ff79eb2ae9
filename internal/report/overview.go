package report

import (
	"fmt"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/report/chart"
	"terraform-provider-vsla/internal/wording"
)

func (b *builder) addOverview(k *assess.Kind, all []*assess.Assessment, s *Section) {
	switch k {
	case assess.KindLink:
		t := newTable("Links", "Link", "#Throughput", "#Needed", "#Reserve", "#Use", "#Busiest hour", "Promises")
		for _, a := range all {
			l, ok := assess.As[*assess.Link](a)
			if !ok {
				continue
			}
			t.Rows = append(t.Rows, []Cell{
				{Text: a.Title, Link: b.link(a)},
				{Text: wording.Value("_mbps", l.ThroughputMbps)},
				{Text: assess.NeedText(l.LinkResult)},
				{Text: assess.FormatHeadroom(l.HeadroomPercent)},
				{Text: wording.Value("_percent", l.UsePercent)},
				{Text: wording.Value("_percent", l.BusiestHourPercent)},
				{Text: quantity.List(l.Promises, maxNamed)},
			})
		}
		s.Tables = append(s.Tables, t)
	case assess.KindTarget:
		t := newTable("Targets",
			"Target", "#Needed", "#Free", "#Free after", "#Full after", "#Busiest writes", "Promises")
		for _, a := range all {
			r, ok := assess.As[*assess.Target](a)
			if !ok {
				continue
			}
			t.Rows = append(t.Rows, []Cell{
				{Text: a.Title, Link: b.link(a)},
				{Text: wording.Value("target_gib", r.NeededGiB)},
				{Text: valueOrNone("_gib", r.Target.FreeGiB)},
				{Text: valueOrNone("_gib", r.FreeAfterGiB)},
				{Text: valueOrNone("months_until_full", r.MonthsUntilFull)},
				{Text: valueOrNone("_percent", r.BusiestWritePercent)},
				{Text: quantity.List(r.Promises, maxNamed)},
			})
		}
		s.Tables = append(s.Tables, t)
	}
}

// lateTable lists the late VMs of a promise, worst first.
func lateTable(p *assess.Promise) Table {
	t := newTable("Late VMs, worst first", "VM", "#Size", "#Within RPO", "#Oldest recovery point")
	for _, vm := range p.LateVirtualMachines {
		t.add(vm.Name, wording.Value("_gib", vm.SizeGiB), wording.Value("within_rpo_percent", vm.WithinRPOPercent),
			assess.AgeText(vm.OldestRecoveryPointMinutes))
	}
	t.noteOmitted(int(p.LateVMCount), "late VM")
	return t
}

const equalBars = 3

func promiseFigures(p *assess.Promise) []Figure {
	rpo := p.Tier.RPOMinutes
	if len(p.LateVirtualMachines) == 0 || rpo <= 0 {
		return nil
	}
	late := p.LateVirtualMachines[:min(len(p.LateVirtualMachines), maxBars)]
	var bars []ageBar
	var equal []string // these bars would look like the first ones
	for _, vm := range late {
		share := vm.OldestRecoveryPointMinutes / rpo * 100
		text := assess.AgeText(vm.OldestRecoveryPointMinutes)
		if share > maxPercent && len(bars) == equalBars {
			equal = append(equal, vm.Name+" "+text)
			continue
		}
		bars = append(bars, ageBar{vm.Name, text, share, chart.Bad})
	}
	note := ""
	if len(equal) > 0 {
		note = "Off the scale as well: " + strings.Join(equal, ", ") + "."
	}
	return []Figure{{
		Title: "Oldest recovery point of late VMs",
		Description: "A bar for each of the worst VMs: the maximum age of its newest recovery point as a share of " +
			"its RPO. Beyond the line, the RPO was violated.",
		Note:  note,
		Data:  lateTable(p),
		Chart: ageBars(bars),
	}}
}

const hoursPerDay = 24

func linkFigures(name string, l *assess.Link) []Figure {
	if len(l.HourlyUsePercent) != hoursPerDay {
		return nil
	}
	data := newTable("Hours of the day", "Hour", "#Link use")
	for h, use := range l.HourlyUsePercent {
		data.add(fmt.Sprintf("%d:00", h), wording.Decimal(use)+"%")
	}
	return []Figure{{
		Title: "A day on " + name,
		Description: fmt.Sprintf("24 columns, one for each hour of an average day: link use, %s at most.",
			wording.Value("_percent", slices.Max(l.HourlyUsePercent))),
		Data:  data,
		Chart: chart.HourlyUse(l.HourlyUsePercent),
	}}
}
