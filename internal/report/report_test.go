package report_test

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/report"
)

type object = map[string]any

func data(kind, name string, values object) object {
	return object{
		"address":          "data." + kind + "." + name,
		"mode":             "data",
		"type":             kind,
		"name":             name,
		"provider_name":    "registry.terraform.io/vsla/vsla",
		"schema_version":   0,
		"values":           values,
		"sensitive_values": object{},
	}
}

func state(t *testing.T, resources ...object) []byte {
	t.Helper()
	text, err := json.Marshal(object{
		"format_version":    "1.0",
		"terraform_version": "1.11.4",
		"values":            object{"root_module": object{"resources": resources}},
	})
	require.NoError(t, err)
	return text
}

func one(t *testing.T, kind string, values object) report.Subject {
	t.Helper()
	r := build(t, state(t, data(kind, "x", values)))
	require.Len(t, r.Sections, 1)
	require.Len(t, r.Sections[0].Subjects, 1)
	checkPage(t, html(t, r))
	return r.Sections[0].Subjects[0]
}

func TestRead_otherFiles(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, says string }{
		"empty":                {"", "it is empty"},
		"only spaces":          {"\n ", "it is empty"},
		"a plan file":          {"PK\x03\x04\x00tfplan", "it is a plan file"},
		"a workbook":           {"PK\x03\x04\x00xl", "it is a workbook"},
		"a state file":         {`{"version":4,"serial":3,"lineage":"x","resources":[]}`, "it is a state file"},
		"the log of a plan":    {"{\"@level\":\"info\",\"@message\":\"x\"}\n{\"@level\":\"info\"}\n", "with -out"},
		"other JSON":           {`{"a":1}`, "without a format_version"},
		"a list":               {`[1]`, "cannot unmarshal"},
		"text":                 {"No changes.", "invalid character"},
		"half of it":           {`{"format_version":"1.2","planned_values":{`, "line 1, column 42: unexpected end"},
		"a slip of the pen":    {"{\n \"a\": x}", "line 2, column 7: invalid character 'x'"},
		"providers schema":     {`{"format_version":"1.0","provider_schemas":{}}`, "another command"},
		"validate":             {`{"format_version":"1.0","valid":true,"diagnostics":[]}`, "another command"},
		"a version to come":    {`{"format_version":"7.0","planned_values":{}}`, "unsupported plan format version"},
		"a state to come":      {`{"format_version":"7.0","values":{}}`, "unsupported state format version"},
		"resources of a shape": {`{"format_version":"1.0","values":{"root_module":[]}}`, "cannot unmarshal"},
	} {
		_, err := document.Read(strings.NewReader(test.text))
		require.ErrorIs(t, err, document.ErrNotShowJSON, name)
		assert.Contains(t, err.Error(), test.says, name)
	}
	_, err := document.Read(broken{})
	require.Error(t, err)
	assert.NotErrorIs(t, err, document.ErrNotShowJSON)
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("the disk is gone") }

// TestRead_encodings verifies that files in UTF-16 (the encoding of redirected PowerShell output) and in UTF-8 with a
// byte-order mark can be read.
func TestRead_encodings(t *testing.T) {
	t.Parallel()
	text := state(t, data("vsla_link_throughput", "São", object{"throughput_mbps": 5}))
	wide := func(order binary.AppendByteOrder) []byte {
		out := order.AppendUint16(nil, 0xFEFF)
		for _, unit := range utf16.Encode([]rune(string(text))) {
			out = order.AppendUint16(out, unit)
		}
		return out
	}
	for name, encoded := range map[string][]byte{
		"UTF-8 with a mark": append([]byte{0xEF, 0xBB, 0xBF}, text...),
		"little endian":     wide(binary.LittleEndian),
		"big endian":        wide(binary.BigEndian),
	} {
		r := build(t, encoded)
		require.Len(t, r.Sections, 1, name)
		assert.Equal(t, "São", r.Sections[0].Subjects[0].Name, name)
	}
}

// TestBuild_othersAreIgnored verifies that results of other providers, results of other types, and managed resources
// are ignored. Results of another provider that uses the same type names count as not known.
func TestBuild_othersAreIgnored(t *testing.T) {
	t.Parallel()
	foreign := data("vsla_like", "x", object{"verdict": "misses"})
	foreign["provider_name"] = "registry.terraform.io/example/other"
	managed := data("vsla_tag", "x", object{"name": "gold"})
	managed["mode"] = "managed"
	r := build(t, state(t, foreign, managed, data("vsphere_host", "x", object{"verdict": "misses"})))
	assert.Empty(t, r.Sections)
	const name = "1 result of registry.terraform.io/example/other"
	assert.Equal(t, plan.Unknown, r.Verdict)
	assert.True(t, r.Fails(plan.Unknown))
	assert.True(t, r.Fails(plan.AtRisk))
	assert.False(t, r.Fails(plan.Misses))
	require.Len(t, r.Notes, 1)
	assert.True(t, strings.HasPrefix(r.Notes[0], name), r.Notes[0])
}

var hostile = "<script>alert(1)</script>"

func TestBuild_compliance(t *testing.T) {
	t.Parallel()
	vm := func(name, verdict string, promised, configured any) object {
		return object{
			"name":                   name,
			"tier":                   "gold",
			"status":                 "OK",
			"verdict":                verdict,
			"promised_rpo_minutes":   promised,
			"configured_rpo_minutes": configured,
		}
	}
	values := object{
		"compliant":  false,
		"pairing_id": "p",
		"tiers": object{
			"gold":   object{"tag_id": "t", "rpo_minutes": 15},
			"silver": object{"tag_id": "u", "rpo_minutes": 60},
		},
		"unprotected":             []any{"vm-9"},
		"weaker_than_promised":    []any{"vm-10"},
		"in_violation":            []any{"vm-10"},
		"several_tiers":           []any{},
		"untagged_but_replicated": []any{"vm-77"},
		"virtual_machines": object{
			"vm-2":  vm("fine", "compliant", 15, 15),
			"vm-9":  vm(hostile, "unprotected", 15, nil),
			"vm-10": vm("late", "weaker_than_promised", 15, 60),
		},
	}
	s := one(t, "vsla_sla_compliance", values)
	require.Equal(t, plan.Misses, s.Level)
	require.Len(t, s.Reasons, 4)
	for i, code := range []string{"unprotected", "weaker_than_promised", "in_violation", "untagged_but_replicated"} {
		assert.Equal(t, code, s.Reasons[i].Code)
	}
	assert.Equal(t, "1 VM has a tier tag but is not replicated.", s.Reasons[0].Sentence)
	var rows []string
	for _, row := range s.Tables[1].Rows {
		rows = append(rows, row[0].Text+": "+row[len(row)-1].Text)
	}
	want := []string{
		hostile + ": not replicated",
		"late: weaker than promised, in violation",
		"vm-77: no tier",
		"fine: –",
	}
	assert.Equal(t, want, rows)
	assert.Equal(t, "60 min", s.Tables[0].Rows[1][1].Text)
	doubtful := one(t, "vsla_sla_compliance", object{"compliant": nil, "virtual_machines": object{}})
	require.Equal(t, plan.Unknown, doubtful.Level)
	assert.Contains(t, doubtful.Summary, "is not known")
	good := one(t, "vsla_sla_compliance",
		object{"compliant": true, "virtual_machines": object{"vm-2": vm("fine", "compliant", 15, 15)}})
	require.Equal(t, plan.Meets, good.Level)
	assert.Equal(t, "All promises are met for 1 VM.", good.Summary)
}

func TestBuild_unknownType(t *testing.T) {
	t.Parallel()
	vms := object{}
	for i := range 60 {
		vms[fmt.Sprintf("vm-%d", i)] = object{"mean_write_mbps": 1.5, "samples": i, "name": hostile}
	}
	s := one(t, "vsla_change_rates", object{
		"lookback_hours":        24,
		"vm_ids":                []any{"vm-0", "vm-1"},
		"total_mean_write_mbps": 90.0,
		"none":                  nil,
		"virtual_machines":      vms,
		"steps":                 []any{object{"step": "a"}, object{"step": "b", "more": true}},
		"labels":                object{"a": "b"},
		"empty":                 object{},
	})
	facts := make(map[string]string)
	for _, f := range s.Facts {
		facts[f.Label] = f.Text
	}
	assert.Equal(t, plan.Neutral, s.Level)
	assert.Equal(t, "1d", facts["Lookback"])
	assert.Equal(t, "90 Mbit/s", facts["Total mean write"])
	assert.Equal(t, "vm-0, vm-1", facts["VM IDs"])
	assert.Len(t, facts, 3)
	require.Len(t, s.Tables, 3)
	assert.Equal(t, "Virtual machines", s.Tables[2].Caption)
	assert.Len(t, s.Tables[2].Rows, 50)
	assert.Equal(t, "The first 50 of 60 entries.", s.Tables[2].Note)
	row := s.Tables[2].Rows[10]
	assert.Equal(t, "vm-10", row[0].Text)
	assert.Equal(t, "1.5 Mbit/s", row[1].Text)
	assert.Equal(t, hostile, row[2].Text)
	verdict := one(t, "vsla_something_new",
		object{
			"verdict":      "misses",
			"reasons":      []any{"too_slow"},
			"explanations": []any{"It is too slow."},
		})
	assert.Equal(t, plan.Misses, verdict.Level)
	require.Len(t, verdict.Reasons, 1)
	assert.Equal(t, "It is too slow.", verdict.Reasons[0].Sentence)
}

func TestBuild_many(t *testing.T) {
	t.Parallel()
	resources := make([]object, 0, 60)
	for i := range 60 {
		d := data("vsla_replication_estimate", fmt.Sprintf("tier%d", i), estimated(t, 500+100*float64(i)))
		resources = append(resources, d)
	}
	r := build(t, state(t, resources...))
	drawn(t, r, 6)
	section := r.Sections[0]
	require.Len(t, section.Tables[0].Rows, 44)
	assert.Equal(t, "44 of 60 results are listed in tables only. Only the worst results have details.", section.Note)
	assert.Equal(t, 16, strings.Count(html(t, r), "<article"))
}

func TestBuild_anchors(t *testing.T) {
	t.Parallel()
	var resources []object
	for _, name := range []string{`x["a b"]`, `x["a-b"]`, `x["a/b"]`, `x["東京"]`, `x["大阪"]`, "summary"} {
		resources = append(resources, data("vsla_link_throughput", name, object{"throughput_mbps": 5}))
	}
	r := build(t, state(t, resources...))
	checkPage(t, html(t, r)) // fails if an ID is not unique
	again := build(t, state(t, resources...))
	for i, s := range r.Sections[0].Subjects {
		assert.Equal(t, again.Sections[0].Subjects[i].ID, s.ID)
	}
}
