package adopt

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"terraform-provider-vsla/internal/wording"
)

// maxRows is the maximum number of disagreements in the summary. ADOPTED.md lists all of them.
const maxRows = 20

// WriteSummary writes the tiers, the disagreements, and the omitted objects with the reasons for omitting them.
func (c *Configuration) WriteSummary(w io.Writer) error {
	var b bytes.Buffer
	c.write(&b, maxRows, joinFirstNames)
	_, err := w.Write(b.Bytes())
	return err
}

func (c *Configuration) write(b *bytes.Buffer, rows int, names func([]string) string) {
	fmt.Fprintf(
		b,
		"%s, %s, %s, %s.\n",
		wording.Count(len(c.categories), "tag category"),
		wording.Count(c.tagCount(), "tag"),
		wording.Count(len(c.vms), "VM"),
		wording.Count(len(c.imports), "replication"),
	)
	if c.TierCategory == "" {
		b.WriteString("\nNo tier category found, because no replicated VM has a tag. Set it with --tier-category.\n")
	} else {
		fmt.Fprintf(b, "\nTiers (tags of the category %s):\n\n", printable(c.TierCategory))
		c.writeTiers(b)
	}
	if n := len(c.Disagreements); n > 0 {
		fmt.Fprintf(b, "\nThe RPO of %s differs from the RPO of its tier. Both are adopted as they are:\n\n",
			wording.Count(n, "VM"))
		table := [][]string{{"VM", "tier", "RPO of the tier", "RPO of the VM"}}
		for _, d := range c.Disagreements[:min(rows, n)] {
			table = append(table, []string{d.VM, d.Tags, formatMinutes(d.TierRPOMinutes), formatMinutes(d.RPOMinutes)})
		}
		writeTable(b, table)
		if n > rows {
			fmt.Fprintf(b, "\n%d more are listed in ADOPTED.md.\n", n-rows)
		}
	}
	if lines := c.omissions.lines(names); len(lines) > 0 {
		fmt.Fprintf(b, "\nSkipped:\n\n- %s\n", strings.Join(lines, "\n- "))
	}
}

func formatMinutes(n int64) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%d min", n)
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
			t.Name,
			formatMinutes(t.RPOMinutes),
			strconv.Itoa(t.VMs),
			strconv.Itoa(t.Replications),
			strconv.Itoa(t.WithRPO),
		})
	}
	writeTable(b, table)
}

func writeTable(b *bytes.Buffer, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			row[i] = strings.ReplaceAll(printable(cell), "|", `\|`)
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
