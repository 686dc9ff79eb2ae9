package report

import (
	"fmt"
	"slices"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/report/chart"
	"terraform-provider-vsla/internal/wording"
)

func (b *builder) overview(k *assess.Kind, all []*assess.Assessment, s *Section) {
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
				{Text: assess.Reserve(l.HeadroomPercent)},
				{Text: wording.Value("_percent", l.UsePercent)},
				{Text: wording.Value("_percent", l.BusiestHourPercent)},
				{Text: quantity.List(l.Promises, maxNamed)},
			})
		}
		s.Tables = append(s.Tables, t)
	case assess.KindTarget:
		t := newTable("Targets", "Target", "#Needed", "#Free", "#Free after", "#Full after", "#Busiest writes", "Promises")
		for _, a := range all {
			r, ok := assess.As[*assess.Target](a)
			if !ok {
				continue
			}
			t.Rows = append(t.Rows, []Cell{
				{Text: a.Title, Link: b.link(a)},
				{Text: wording.Value("target_gib", r.NeededGiB)},
				{Text: optional("_gib", r.Target.FreeGiB)},
				{Text: optional("_gib", r.FreeAfterGiB)},
				{Text: optional("months_until_full", r.MonthsUntilFull)},
				{Text: optional("_percent", r.BusiestWritePercent)},
				{Text: quantity.List(r.Promises, maxNamed)},
			})
		}
		s.Tables = append(s.Tables, t)
	}
}

// promiseTables names the worst VMs of a promise.
func promiseTables(p *assess.Promise) []Table {
	if len(p.LateVirtualMachines) == 0 {
		return nil
	}
	t := newTable("Late VMs, the worst first", "VM", "#Size", "#Within RPO", "#Oldest recovery point")
	for _, vm := range p.LateVirtualMachines {
		t.add(vm.Name, wording.Value("_gib", vm.SizeGiB), wording.Value("within_rpo_percent", vm.WithinRPOPercent),
			wording.About(vm.OldestRecoveryPointMinutes))
	}
	t.omitted(int(p.LateVMCount), "late VM")
	return []Table{t}
}

func promiseFigures(p *assess.Promise) []Figure {
	rpo := p.Tier.RPOMinutes
	if len(p.LateVirtualMachines) == 0 || rpo <= 0 {
		return nil
	}
	late := p.LateVirtualMachines[:min(len(p.LateVirtualMachines), maxBars)]
	var bars []ageBar
	data := newTable("Oldest recovery point of late VMs", "VM", "#Oldest recovery point", "#Of the RPO")
	for _, vm := range late {
		share, text := vm.OldestRecoveryPointMinutes/rpo*100, wording.About(vm.OldestRecoveryPointMinutes)
		data.add(vm.Name, text, wording.Value("_percent", share))
		bars = append(bars, ageBar{vm.Name, text, share, chart.Bad})
	}
	return []Figure{{
		Title: "Oldest recovery point of late VMs",
		Description: "A bar for each of the worst VMs: how old its newest recovery point became, as a share of its RPO. " +
			"Beyond the line the promise was broken.",
		Data: data, Chart: ageBars(bars),
	}}
}

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
		Description: fmt.Sprintf("24 columns, one for each hour of a mean day: how much of the link is in use, %s at most.",
			wording.Value("_percent", slices.Max(l.HourlyUsePercent))),
		Data: data, Chart: chart.Hours(l.HourlyUsePercent),
	}}
}
