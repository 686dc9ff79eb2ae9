package adopt

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"terraform-provider-vsla/internal/wording"
)

// listedRows limits the disagreements in the summary; ADOPTED.md has all.
const listedRows = 20

// document is ADOPTED.md.
func (c *Configuration) document() []byte {
	var b bytes.Buffer
	b.WriteString("# Adopted\n\n`terraform apply` imports what is listed here and changes nothing. After it, delete " +
		"`imports.tf` and `imports.json`.\n\n")
	c.write(&b, len(c.Disagreements), every)
	return b.Bytes()
}

// WriteSummary writes tiers, disagreements and omitted objects with their reasons.
func (c *Configuration) WriteSummary(w io.Writer) error {
	var b bytes.Buffer
	c.write(&b, listedRows, few)
	_, err := w.Write(b.Bytes())
	return err
}

func (c *Configuration) write(b *bytes.Buffer, rows int, names func([]string) string) {
	fmt.Fprintf(b, "%s, %s, %s, %s.\n", wording.Count(len(c.categories), "tag category"),
		wording.Count(c.tagCount(), "tag"), wording.Count(len(c.vms), "VM"), wording.Count(len(c.imports), "replication"))
	if c.TierCategory == "" {
		b.WriteString("\nNo category has the tiers: no replicated VM carries a tag. Name it with --tier-category.\n")
	} else {
		fmt.Fprintf(b, "\nTiers, by the tags of category %s:\n\n", printed(c.TierCategory))
		c.writeTiers(b)
	}
	if n := len(c.Disagreements); n > 0 {
		fmt.Fprintf(b, "\nTags and RPOs disagree on %s; both are kept:\n\n", wording.Count(n, "VM"))
		table := [][]string{{"VM", "tier", "RPO of the tier", "RPO of the VM"}}
		for _, d := range c.Disagreements[:min(rows, n)] {
			table = append(table, []string{d.VM, d.Tags, minutes(d.TierRPOMinutes), minutes(d.RPOMinutes)})
		}
		writeTable(b, table)
		if n > rows {
			fmt.Fprintf(b, "\nADOPTED.md lists %d more.\n", n-rows)
		}
	}
	if lines := c.leftOut.lines(names); len(lines) > 0 {
		fmt.Fprintf(b, "\nLeft out:\n\n- %s\n", strings.Join(lines, "\n- "))
	}
}

func (c *Configuration) tagCount() int {
	n := 0
	for _, tags := range c.tags {
		n += len(tags)
	}
	return n
}

func (c *Configuration) writeTiers(b *bytes.Buffer) {
	table := [][]string{{"tier", "RPO", "VMs", "replications", "with this RPO"}}
	for _, t := range c.Tiers {
		table = append(table, []string{
			t.Name, minutes(t.RPOMinutes), strconv.Itoa(t.VMs), strconv.Itoa(t.Replications), strconv.Itoa(t.WithRPO),
		})
	}
	writeTable(b, table)
}

func minutes(n int64) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%d min", n)
}

func writeTable(b *bytes.Buffer, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			row[i] = strings.ReplaceAll(printed(cell), "|", `\|`)
			widths[i] = max(widths[i], len([]rune(row[i])))
		}
	}
	line := func(cells []string, pad string) {
		for i, cell := range cells {
			fmt.Fprintf(b, "| %s%s ", cell, strings.Repeat(pad, widths[i]-len([]rune(cell))))
		}
		b.WriteString("|\n")
	}
	line(rows[0], " ")
	line(make([]string, len(widths)), "-")
	for _, row := range rows[1:] {
		line(row, " ")
	}
}

// leftOut has the names of omitted objects by reason.
type leftOut map[string][]string

func (l leftOut) add(reason string, names ...string) { l[reason] = append(l[reason], names...) }

// lines returns one line per reason.
func (l leftOut) lines(names func([]string) string) []string {
	var list []string
	for _, reason := range slices.Sorted(maps.Keys(l)) {
		sorted := slices.Sorted(slices.Values(l[reason]))
		list = append(list, fmt.Sprintf("%s (%d): %s", reason, len(sorted), names(sorted)))
	}
	return list
}

func few(names []string) string {
	if len(names) <= listedNames {
		return every(names)
	}
	return fmt.Sprintf("%s and %d more", every(names[:listedNames]), len(names)-listedNames)
}

// every joins names with control characters replaced.
func every(names []string) string { return strings.Join(plain(names), ", ") }

func plain(names []string) []string {
	printable := make([]string, 0, len(names))
	for _, name := range names {
		printable = append(printable, printed(name))
	}
	return printable
}

func printed(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) {
			return '\ufffd'
		}
		return r
	}, name)
}
