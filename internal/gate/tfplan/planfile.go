package tfplan

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/gohcl"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	hcljson "github.com/hashicorp/hcl/v2/json"
)

// File is what a plan file contains in addition to its JSON: the configuration, and the state before the refresh.
type File struct {
	// Programs lists the removed blocks with provisioners, as "module.a.removed.vsla_tag.x".
	Programs []string
	// Providers lists the provider blocks of vsla by key, such as "vsla" or "vsla.dr". Each argument is true if it is a
	// variable.
	Providers map[string]map[string]bool
	// Literals contains the addresses of blocks whose object_ids are constant, or contain literal IDs other than in a
	// condition.
	Literals map[string]bool
	// Selected contains the addresses of blocks whose object_ids are nothing but what data sources return.
	Selected map[string]bool
	// Inputs lists the names in the nested arguments of blocks, as far as they are literal, by address and path.
	Inputs []Input
	// Before contains the resources before the refresh; nil if the file has no state.
	Before []*Resource
}

// maxFileBytes bounds what is read of one file in a plan file.
const maxFileBytes = 256 << 20

// ErrNoPlanFile is the error for a file that Terraform did not write with -out, or that it encrypted.
var ErrNoPlanFile = errors.New("this is not a plan file as `terraform plan -out` writes it (an encrypted plan and a " +
	"plan of HCP Terraform are none)")

// ReadFile reads a plan file. A plan file is a zip archive with the configuration in tfconfig and the state before the
// refresh in tfstate-prev.
func ReadFile(r io.ReaderAt, size int64) (*File, error) {
	archive, err := zip.NewReader(r, size)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoPlanFile, err)
	}
	texts := make(map[string][]byte)
	for _, f := range archive.File {
		if f.Name != "tfstate-prev" && !strings.HasPrefix(f.Name, "tfconfig/") {
			continue
		}
		if _, twice := texts[f.Name]; twice {
			return nil, fmt.Errorf("%w: it contains %s twice", ErrNoPlanFile, f.Name)
		}
		if texts[f.Name], err = readEntry(f); err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrNoPlanFile, f.Name, err)
		}
	}
	manifest, ok := texts["tfconfig/modules.json"]
	if !ok {
		return nil, fmt.Errorf("%w: it contains no tfconfig/modules.json", ErrNoPlanFile)
	}
	file := &File{Providers: map[string]map[string]bool{}, Literals: map[string]bool{}, Selected: map[string]bool{}}
	if err := file.readModules(manifest, texts); err != nil {
		return nil, err
	}
	if before, ok := texts["tfstate-prev"]; ok {
		if file.Before, err = readState(before); err != nil {
			return nil, fmt.Errorf("%w: tfstate-prev: %w", ErrNoPlanFile, err)
		}
	}
	return file, nil
}

func readEntry(f *zip.File) ([]byte, error) {
	in, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer in.Close() //nolint:errcheck // nothing was written
	text, err := io.ReadAll(io.LimitReader(in, maxFileBytes+1))
	if err == nil && len(text) > maxFileBytes {
		err = fmt.Errorf("it is larger than %d MiB", maxFileBytes>>20)
	}
	return text, err
}

// localValues are the local values of each module by name. The key is the path of the module.
type localValues map[string]map[string]hcl.Expression

func (f *File) readModules(manifest []byte, texts map[string][]byte) error {
	var modules []struct {
		Key string `json:"Key"`
	}
	if err := json.Unmarshal(manifest, &modules); err != nil {
		return fmt.Errorf("%w: tfconfig/modules.json: %w", ErrNoPlanFile, err)
	}
	folders := make(map[string]string, len(modules))
	for _, m := range modules {
		folders["tfconfig/m-"+m.Key] = modulePath(m.Key)
	}
	locals := make(localValues)
	var lists []listed
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		parse := parserOf(name)
		if parse == nil {
			continue
		}
		module, known := folders[path.Dir(name)]
		if !known {
			return fmt.Errorf("%w: %s belongs to no module", ErrNoPlanFile, name)
		}
		parsed, diags := parse(texts[name], name)
		if diags.HasErrors() {
			return fmt.Errorf("%w: %w", ErrNoPlanFile, diags)
		}
		more, err := f.readConfiguration(module, parsed.Body, locals)
		if err != nil {
			return fmt.Errorf("%w: %s: %w", ErrNoPlanFile, name, err)
		}
		lists = append(lists, more...)
	}
	for _, l := range lists {
		f.readList(l, locals[l.module])
	}
	return nil
}

type parser func(text []byte, name string) (*hcl.File, hcl.Diagnostics)

// parserOf returns the parser for a file of a configuration, or nil if the name is that of another file.
func parserOf(name string) parser {
	switch {
	case strings.HasSuffix(name, ".tf"), strings.HasSuffix(name, ".tofu"):
		return func(text []byte, name string) (*hcl.File, hcl.Diagnostics) {
			return hclsyntax.ParseConfig(text, name, hcl.InitialPos)
		}
	case strings.HasSuffix(name, ".tf.json"), strings.HasSuffix(name, ".tofu.json"):
		return hcljson.Parse
	}
	return nil
}

// listed is the list of objects of an association.
type listed struct {
	module, address string
	ids             hcl.Expression
}

// readList tells literals from what data sources return. A block may have several lists, because of overrides.
func (f *File) readList(l listed, locals map[string]hcl.Expression) {
	if isConstant(l.ids, locals, maxSteps) || hasLiteral(l.ids, locals, maxSteps) {
		f.Literals[l.address] = true
	}
	selected, overridden := f.Selected[l.address]
	f.Selected[l.address] = isSelected(l.ids) && (selected || !overridden)
}

// modulePath returns the path of the module with a key such as "a.b": "module.a.module.b.".
func modulePath(key string) string {
	if key == "" {
		return ""
	}
	return "module." + strings.ReplaceAll(key, ".", ".module.") + "."
}

var (
	rootBlocks = &hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{
		{Type: "removed"},
		{Type: "provider", LabelNames: []string{"name"}},
		{Type: "locals"},
		{Type: "data", LabelNames: []string{"type", "name"}},
		{Type: "resource", LabelNames: []string{"type", "name"}},
	}}
	removedContent = &hcl.BodySchema{
		Attributes: []hcl.AttributeSchema{{Name: "from"}},
		Blocks:     []hcl.BlockHeaderSchema{{Type: "provisioner", LabelNames: []string{"type"}}},
	}
)

// readConfiguration records the blocks of a file and adds its local values to locals. It returns the lists of objects,
// which can use local values of files that are read later.
func (f *File) readConfiguration(module string, body hcl.Body, locals localValues) (lists []listed, err error) {
	content, _, diags := body.PartialContent(rootBlocks)
	if diags.HasErrors() {
		return nil, diags
	}
	if locals[module] == nil {
		locals[module] = make(map[string]hcl.Expression)
	}
	for _, block := range content.Blocks {
		switch block.Type {
		case "removed":
			err = errors.Join(err, f.readRemoved(module, block.Body))
		case "provider":
			err = errors.Join(err, f.readProvider(module, block))
		case "data":
			f.readInputs(module+"data."+strings.Join(block.Labels, "."), block)
		case "locals":
			attributes, _ := block.Body.JustAttributes()
			for name, a := range attributes {
				locals[module][name] = a.Expr
			}
		default:
			address := module + strings.Join(block.Labels, ".")
			f.readInputs(address, block)
			attributes, _ := block.Body.JustAttributes()
			if a, ok := attributes["object_ids"]; ok {
				lists = append(lists, listed{module, address, a.Expr})
			}
		}
	}
	return lists, err
}

func (f *File) readRemoved(module string, body hcl.Body) error {
	content, _, diags := body.PartialContent(removedContent)
	if diags.HasErrors() {
		return diags
	}
	if len(content.Blocks) == 0 {
		return nil
	}
	from := "?"
	if a, ok := content.Attributes["from"]; ok {
		if traversal, diags := hcl.AbsTraversalForExpr(a.Expr); !diags.HasErrors() {
			from = traversalText(traversal)
		}
	}
	f.Programs = append(f.Programs, module+"removed."+from)
	return nil
}

func traversalText(traversal hcl.Traversal) string {
	var steps []string
	for _, step := range traversal {
		switch s := step.(type) {
		case hcl.TraverseRoot:
			steps = append(steps, s.Name)
		case hcl.TraverseAttr:
			steps = append(steps, s.Name)
		}
	}
	return strings.Join(steps, ".")
}

// readProvider records the arguments of a provider block. Its alias is part of the key, as in the JSON of a plan, and
// must be a constant text, because Terraform accepts nothing else.
func (f *File) readProvider(module string, block *hcl.Block) error {
	if block.Labels[0] != "vsla" {
		return nil
	}
	attributes, diags := block.Body.JustAttributes()
	if diags.HasErrors() {
		return diags
	}
	key := module + block.Labels[0]
	if a := attributes["alias"]; a != nil {
		var alias string
		if diags := gohcl.DecodeExpression(a.Expr, nil, &alias); diags.HasErrors() {
			return diags
		}
		key += "." + alias
		delete(attributes, "alias")
	}
	arguments := make(map[string]bool)
	for name, a := range attributes {
		pairs, diags := hcl.ExprMap(a.Expr)
		if diags.HasErrors() {
			arguments[name] = isVariable(a.Expr)
			continue
		}
		for _, pair := range pairs {
			arguments[name+"."+keyText(pair.Key)] = isVariable(pair.Value)
		}
	}
	f.Providers[key] = arguments
	return nil
}
