// Package vrcontract holds tests to the vendor's API description of the vSphere Replication REST API v2, on both
// sides: a handler must answer, and a client must ask, as the document says. It is imported by tests only.
//
// The document is not part of this repository. It is read from the file that VSLA_VR_OPENAPI names, by default from
// ../shared/api/vsphere-replication-v2.openapi.json beside the repository; without it the tests are skipped.
package vrcontract

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

// Variable names the file of the document.
const Variable = "VSLA_VR_OPENAPI"

// Contract is the document, tightened, and what was exchanged under it. It is safe for concurrent use.
type Contract struct {
	router routers.Router
	doc    *openapi3.T

	mu        sync.Mutex
	exchanges map[Exchange]int
}

// Exchange is an operation with the status of its answer.
type Exchange struct {
	Operation string
	Status    int
}

// Load reads the document, or skips the test when there is none. A document that is named and not there fails the test.
func Load(tb testing.TB) *Contract {
	tb.Helper()
	c, file := find(tb)
	if c == nil {
		tb.Skipf("skipped: the API description is not at %s; name it by %s to run this test", file, Variable)
	}
	return c
}

// Find is Load for tests that show something without the document, too: it gives nil when there is none, and a nil
// Contract checks nothing.
func Find(tb testing.TB) *Contract {
	tb.Helper()
	c, file := find(tb)
	if c == nil {
		tb.Logf("not held to the API description, which is not at %s; name it by %s", file, Variable)
	}
	return c
}

func find(tb testing.TB) (c *Contract, file string) {
	tb.Helper()
	file, named := os.LookupEnv(Variable)
	if !named {
		file = defaultFile(tb)
	}
	read, err := loaded(file)
	if errors.Is(err, fs.ErrNotExist) && !named {
		return nil, file
	}
	if err != nil {
		tb.Fatalf("the API description: %v", err)
	}
	return &Contract{router: read.router, doc: read.doc, exchanges: make(map[Exchange]int)}, file
}

// defaultFile is beside the folder that holds go.mod.
func defaultFile(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(filepath.Dir(dir), "shared", "api", "vsphere-replication-v2.openapi.json")
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			tb.Fatal("there is no go.mod above the test")
		}
		dir = parent
	}
}

type document struct {
	doc    *openapi3.T
	router routers.Router
}

var cache struct {
	sync.Mutex
	file string
	document
}

// loaded reads a document once: it is the same for all tests, which only read it.
func loaded(file string) (document, error) {
	cache.Lock()
	defer cache.Unlock()
	if cache.doc != nil && cache.file == file {
		return cache.document, nil
	}
	if _, err := os.Stat(file); err != nil {
		return document{}, err
	}
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromFile(file)
	if err != nil {
		return document{}, err
	}
	tighten(doc)
	if err := doc.Validate(loader.Context); err != nil {
		return document{}, err
	}
	// This router refuses trailing slashes and empty segments, so that an empty id does not pass for a list.
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		return document{}, err
	}
	cache.file, cache.document = file, document{doc, router}
	return cache.document, nil
}

// Operations are all operationIds of the document, in order.
func (c *Contract) Operations() []string {
	var list []string
	for _, item := range c.doc.Paths.Map() {
		for _, op := range item.Operations() {
			list = append(list, op.OperationID)
		}
	}
	slices.Sort(list)
	return list
}

// Statuses are those that the document declares for an operation, those that Load adds included, in order.
func (c *Contract) Statuses(operationID string) []string {
	var list []string
	for _, item := range c.doc.Paths.Map() {
		for _, op := range item.Operations() {
			if op.OperationID == operationID {
				for status := range op.Responses.Map() {
					list = append(list, status)
				}
			}
		}
	}
	slices.Sort(list)
	return list
}

// Reached are the operationIds of the exchanges that kept the contract, in order.
func (c *Contract) Reached() []string {
	var list []string
	for _, e := range c.Exchanges() {
		list = append(list, e.Operation)
	}
	return slices.Compact(list)
}

// Exchanges are the operations and statuses of the exchanges that kept the contract, in order.
func (c *Contract) Exchanges() []Exchange {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := make([]Exchange, 0, len(c.exchanges))
	for e := range c.exchanges {
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b Exchange) int {
		return cmp.Or(cmp.Compare(a.Operation, b.Operation), cmp.Compare(a.Status, b.Status))
	})
	return list
}

func (c *Contract) note(e Exchange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.exchanges[e]++
}
