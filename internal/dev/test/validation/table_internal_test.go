package validation

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	sourceNames = "source,section,title,year,read,address,note,product\n"
	rowNames    = "source,id,kind,interval,what,inputs,published,unit,decimals,ask,by hand,cause,miss,apart\n"
)

func TestReadTables_errors(t *testing.T) {
	t.Parallel()
	const source, row = "a,Links,,,,,,\n", "a,a-1,measured,±15%,,,1,s,,,1,,,\n"
	for name, test := range map[string]struct{ sources, rows, want string }{
		"kind":           {source, strings.Replace(row, "measured", "seen", 1), `kind "seen"`},
		"interval":       {source, strings.Replace(row, "±15%", "±16%", 1), `interval "±16%"`},
		"cause":          {source, strings.Replace(row, ",1,,,\n", ",1,luck,,\n", 1), `cause "luck"`},
		"number":         {source, strings.Replace(row, ",1,s,", ",one,s,", 1), `"one"`},
		"decimals":       {source, strings.Replace(row, ",s,,", ",s,two,", 1), `"two"`},
		"no such source": {source, row + "b" + row[1:], "rows of b, which is not a source"},
		"no rows":        {source + "b" + source[1:], row, "source b has no rows"},
		"columns":        {source, "a,a-1\n", "wrong number of fields"},
	} {
		_, err := readTables([]byte(sourceNames+test.sources), []byte(rowNames+test.rows))
		require.Error(t, err, name)
		assert.Contains(t, err.Error(), test.want, name)
	}
}

func TestPredict(t *testing.T) {
	t.Parallel()
	for question, want := range map[string][]float64{
		"link bandwidth_mbps=100 -> throughput_mbps":                                                {100},
		"link bandwidth_mbps=100 efficiency_percent=100..70 -> throughput_mbps / 2":                 {50, 35},
		"link bandwidth_mbps=100 share_percent=50 -> throughput_mbps * 2":                           {100},
		"link bandwidth_mbps=100 -> throughput_mbps - 1":                                            {99},
		"link bandwidth_mbps=8 -> 40 / throughput_mbps":                                             {5},
		"link bandwidth_mbps=8..4 -> throughput_mbps; link bandwidth_mbps=? -> throughput_mbps * 2": {16, 8},
	} {
		got, err := predict(question)
		require.NoError(t, err, question)
		require.Len(t, got, len(want), question)
		assert.InDelta(t, want[0], got[0], 0, question)
		assert.InDelta(t, want[len(want)-1], got[len(got)-1], 0, question)
	}
	for question, want := range map[string]string{
		"links bandwidth_mbps=1 -> throughput_mbps":        `"links" is not a calculator`,
		"link bandwidth=1 -> throughput_mbps":              "bandwidth is not a valid input",
		"link bandwidth_mbps=1 -> throughput":              "throughput is not a result",
		"link bandwidth_mbps=1 -> throughput_mbps + 1":     `"+" is not an operation`,
		"link bandwidth_mbps=1 -> throughput_mbps /":       "is not an answer",
		"migration vms=x memory_gib=1 -> duration_seconds": `"x"`,
	} {
		got, err := predict(question)
		require.Error(t, err, "%v, %v", question, got)
		assert.Contains(t, err.Error(), want, "%v, %v", question, got)
	}
}
