package archtest_test

import (
	"io/fs"
	"os"
	"path"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	fwprovider "github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan/registry"
	"terraform-provider-vsla/internal/provider"
	"terraform-provider-vsla/internal/provider/kit/connection"
)

const calculators = "calc"

type everyKind interface {
	fwprovider.ProviderWithListResources
	fwprovider.ProviderWithActions
}

// place is a Terraform name with the file of its constructor, relative to internal/provider.
type place struct{ kind, name, file string }

// TestNames checks that the path of each implementation contains the words of its Terraform name, in the same order.
func TestNames(t *testing.T) {
	t.Parallel()
	places := namesOf(t)
	kinds := map[string]int{}
	for _, p := range places {
		kinds[p.kind]++
		assert.True(t, leadsTo(p.name, p.file),
			"the %s %s is in %s: the path must contain the words of the name in order", p.kind, p.name, p.file)
	}
	for kind, least := range map[string]int{"resource": 6, "list resource": 4, "data source": 13, "action": 4} {
		assert.GreaterOrEqual(t, kinds[kind], least)
	}
}

func TestLeadsTo(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, file string
		want       bool
	}{
		{"vsla_tag_category", "tagging/tagcategory/resource.go", true},
		{"vsla_tags", "tagging/tags/resource.go", true},
		{"vsla_tags", "tagging/tag/resource.go", false},
		{"vsla_replication_servers", "replication/targets/lists.go", false},
		{"vsla_object_tags", "tagobject/resource.go", false}, // wrong order
	} {
		assert.Equal(t, test.want, leadsTo(test.name, test.file))
	}
}

func leadsTo(name, path string) bool {
	for word := range strings.SplitSeq(strings.TrimPrefix(name, "vsla_"), "_") {
		_, after, ok := strings.Cut(path, word)
		if !ok {
			return false
		}
		path = after
	}
	return true
}

// namesOf returns all Terraform names of the provider except those of functions and calculators.
func namesOf(t *testing.T) []place {
	t.Helper()
	var places []place
	add := func(kind, name string, constructor any) {
		if file := fileOf(t, constructor); !strings.HasPrefix(file, calculators) {
			places = append(places, place{kind, name, file})
		}
	}
	ctx := t.Context()
	p, ok := provider.New(provider.Options{Sessions: &connection.Sessions{}})().(everyKind)
	require.True(t, ok, "the provider lacks list resources or actions")
	for _, constructor := range p.Resources(ctx) {
		var resp resource.MetadataResponse
		constructor().Metadata(ctx, resource.MetadataRequest{}, &resp)
		add("resource", resp.TypeName, constructor)
	}
	for _, constructor := range p.ListResources(ctx) {
		var resp resource.MetadataResponse
		constructor().Metadata(ctx, resource.MetadataRequest{}, &resp)
		add("list resource", resp.TypeName, constructor)
	}
	for _, constructor := range p.DataSources(ctx) {
		var resp datasource.MetadataResponse
		constructor().Metadata(ctx, datasource.MetadataRequest{}, &resp)
		add("data source", resp.TypeName, constructor)
	}
	for _, constructor := range p.Actions(ctx) {
		var resp action.MetadataResponse
		constructor().Metadata(ctx, action.MetadataRequest{}, &resp)
		add("action", resp.TypeName, constructor)
	}
	return places
}

// TestAttributes checks that each attribute occurs in a test or in test data of the package that implements it. For
// attributes of calculators, see TestAccessors.
func TestAttributes(t *testing.T) {
	t.Parallel()
	server, err := providerserver.NewProtocol6WithError(provider.New(provider.Options{})())()
	require.NoError(t, err)
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	require.NoError(t, err)
	checked := 0
	var check func(owner string, named map[string]bool, attributes []*tfprotov6.SchemaAttribute)
	check = func(owner string, named map[string]bool, attributes []*tfprotov6.SchemaAttribute) {
		for _, a := range attributes {
			checked++
			assert.True(t, named[a.Name], "no test of its package names %s.%s", owner, a.Name)
			if a.NestedType != nil {
				check(owner+"."+a.Name, named, a.NestedType.Attributes)
			}
		}
	}
	check("provider", wordsOfTests(t, "."), schemas.Provider.Block.Attributes)
	for _, p := range namesOf(t) {
		var of *tfprotov6.Schema
		switch p.kind {
		case "resource":
			of = schemas.ResourceSchemas[p.name]
		case "data source":
			of = schemas.DataSourceSchemas[p.name]
		case "list resource":
			of = schemas.ListResourceSchemas[p.name]
		case "action":
			of = schemas.ActionSchemas[p.name].Schema
		}
		if _, calculates := registry.OfDataSource(p.name); !calculates && of != nil {
			check(p.kind+" "+p.name, wordsOfTests(t, path.Dir(p.file)), of.Block.Attributes)
		}
	}
	assert.GreaterOrEqual(t, checked, 500)
}

// wordsOfTests returns the words in the tests and the test data of a folder of internal/provider.
func wordsOfTests(t *testing.T, folder string) map[string]bool {
	t.Helper()
	words, word := map[string]bool{}, regexp.MustCompile(`[a-z][a-z0-9_]+`)
	files := os.DirFS("../../../provider/" + folder)
	require.NoError(t, fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		isTest := strings.HasSuffix(name, "_test.go") && path.Dir(name) == "."
		if err != nil || entry.IsDir() || !isTest && !strings.HasPrefix(name, "testdata/") {
			return err
		}
		text, err := fs.ReadFile(files, name)
		for _, w := range word.FindAllString(string(text), -1) {
			words[w] = true
		}
		return err
	}))
	return words
}

var (
	description = regexp.MustCompile(`calculator\.\w+\(\s*"`)
	accessor    = regexp.MustCompile(`(?s)^([a-z0-9_]+)".*?return &\w+\.([\w.]+) \}`)
)

// TestAccessors checks that the name of each calculator input and result contains the name of its struct field.
func TestAccessors(t *testing.T) {
	t.Parallel()
	checked := 0
	short := strings.NewReplacer("_", "", ".", "", "virtual_machine", "vm", "virtualmachine", "vm")
	plan := os.DirFS("../../../plan")
	require.NoError(t, fs.WalkDir(plan, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		content, err := fs.ReadFile(plan, name)
		text := strings.ReplaceAll(string(content), "calculator.NewReason(", "") // not an input or a result
		for _, row := range description.Split(text, -1)[1:] {
			if m := accessor.FindStringSubmatch(row); m != nil {
				checked++
				assert.Contains(t, short.Replace(m[1]), short.Replace(strings.ToLower(m[2])), name)
			}
		}
		return err
	}))
	assert.GreaterOrEqual(t, checked, 300)
}

// fileOf returns the source file of a function, relative to internal/provider. For a method value, which has no file,
// it returns the package.
func fileOf(t *testing.T, constructor any) string {
	t.Helper()
	const folder = "internal/provider/"
	f := runtime.FuncForPC(reflect.ValueOf(constructor).Pointer())
	if strings.HasSuffix(f.Name(), "-fm") {
		_, after, _ := strings.Cut(f.Name(), folder)
		return after
	}
	file, _ := f.FileLine(f.Entry())
	_, after, ok := strings.Cut(file, folder)
	require.True(t, ok, "%s is in %s, want a file below %s", f.Name(), file, folder)
	return after
}
