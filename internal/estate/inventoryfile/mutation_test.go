package inventoryfile_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/estate/inventoryfile"
)

const (
	mutations = 200
	// mostAllocated is the maximum number of bytes that reading one file may allocate. A loop up to a row number stated
	// in the file would allocate gigabytes.
	mostAllocated = 16 << 20
)

// TestRead_mutations checks four files that used to take minutes or gigabytes, and 200 mutations of each. Reading them
// must allocate little memory, and errors must state the position.
//
//nolint:paralleltest // other tests would add to the measured allocations
func TestRead_mutations(t *testing.T) {
	const cell = `<c t="inlineStr"><is><t>a</t></is></c>`
	for name, rows := range map[string]string{
		"a row of 9e18":  `<row r="9000000000000000000">` + cell + `</row>`,
		"a row of 2e9":   `<row r="2000000000">` + cell + `</row>`,
		"shared texts":   strings.Repeat(`<row><c t="s"><v>0</v></c><c><v>1</v></c></row>`, 5_000),
		"distant column": `<row r="2"><c r="ZZZZ2" t="inlineStr"><is><t>a</t></is></c></row>`,
	} {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, uint64(len(rows))))
			refused := 0
			for n := range mutations + 1 {
				text := []byte(rows)
				if n > 0 {
					text = mutate(random, text)
				}
				if err := checkMemory(t, text); err != nil {
					refused++
					assert.True(t, namesPosition(err.Error()),
						"mutation %d: got %q, want an error that names the place", n, err)
				}
			}
			assert.NotEqual(t, 0, refused, "got no refusal, want some")
		})
	}
}

func TestRead_damaged(t *testing.T) {
	t.Parallel()
	good := archiveOf(t, append(frame(), sheet(vmRow, 3, sheetEnd))...)
	random := rand.New(rand.NewPCG(1, 1))
	for n := range mutations {
		_, err := inventoryfile.Read(bytes.NewReader(mutate(random, good)), inventoryfile.Options{})
		if err == nil {
			continue
		}
		text := err.Error()
		require.True(t, namesPart.MatchString(text), "mutation %d: got %q, want a line that names the part", n, text)
		assert.NotContains(t, text, "\n", "%+v", n)
	}
}

// namesPart matches errors that name a part or concern the whole file.
var namesPart = regexp.MustCompile(`\.(?:xml|rels)\b|sheet |damaged or truncated: |neither an Excel file nor `)

var places = []string{"row ", "column ", "sheet ", "line ", "workbook", "archive", "strings", "part "}

func namesPosition(text string) bool {
	return len(text) < 1000 && slices.ContainsFunc(places, func(p string) bool { return strings.Contains(text, p) })
}

// checkMemory reads a workbook with the given rows and a 1 MB string in its string table, and checks that this
// allocates at most mostAllocated bytes.
func checkMemory(t *testing.T, rows []byte) error {
	t.Helper()
	texts := part{
		name:   "xl/sharedStrings.xml",
		begin:  "<sst" + namespace + "><si><t>",
		repeat: "x",
		times:  1 << 20,
		end:    "</t></si></sst>",
	}
	vmInfo := part{
		name:  "xl/worksheets/sheet1.xml",
		begin: "<worksheet" + namespace + "><sheetData>" + headerRow + string(rows),
		end:   sheetEnd,
	}
	content := archiveOf(t, append(frame(), vmInfo, texts)...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := inventoryfile.Read(bytes.NewReader(content), inventoryfile.Options{})
	runtime.ReadMemStats(&after)
	got := after.TotalAlloc - before.TotalAlloc
	assert.LessOrEqual(t, got, uint64(mostAllocated),
		"got %s allocated, want at most %s, for %.200q", mib(got), mib(mostAllocated), rows)
	return err
}

func mib(bytes uint64) string { return fmt.Sprintf("%d MiB", bytes>>20) }

func mutate(random *rand.Rand, text []byte) []byte {
	text = slices.Clone(text)
	for range 1 + random.IntN(4) {
		at := random.IntN(len(text))
		end := min(len(text), at+1+random.IntN(8))
		switch random.IntN(4) {
		case 0:
			text[at] = "0123456789<>/\"'=rcvts &;-eZ"[random.IntN(27)]
		case 1:
			if len(text) > end-at {
				text = slices.Delete(text, at, end)
			}
		case 2:
			text = slices.Insert(text, at, slices.Clone(text[at:end])...)
		case 3:
			text = slices.Insert(text, at, []byte("9999999999")[:1+random.IntN(10)]...)
		}
	}
	return text
}
