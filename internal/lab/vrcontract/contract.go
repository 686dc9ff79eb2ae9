// Package vrcontract checks tests against the REST API v2 of vSphere Replication, on both sides: a handler must answer,
// and a client must ask, as the API allows. It is imported by tests only.
//
// The contract is contract.json, the facts of the vendor's OpenAPI document in this project's own notation.
package vrcontract

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

// Contract is the tightened contract, and what was exchanged under it. It is safe for concurrent use.
type Contract struct {
	document

	mu        sync.Mutex
	exchanges map[Exchange]int
}

// Exchange is an operation with the status of its answer.
type Exchange struct {
	Operation string
	Status    int
}

// Load returns the committed contract without exchanges.
func Load(tb testing.TB) *Contract {
	tb.Helper()
	d, err := load()
	if err != nil {
		tb.Fatalf("the contract of vSphere Replication: %v", err)
	}
	return &Contract{document: d, exchanges: make(map[Exchange]int)}
}

type document struct {
	doc    *openapi3.T
	router routers.Router
}

// load reads the contract once: all tests share it and only read it.
var load = sync.OnceValues(func() (document, error) {
	f, err := committed()
	if err != nil {
		return document{}, err
	}
	doc, err := f.document()
	if err != nil {
		return document{}, err
	}
	tighten(doc)
	if err := doc.Validate(openapi3.NewLoader().Context); err != nil {
		return document{}, err
	}
	// This router refuses trailing slashes and empty segments, so that an empty id does not pass for a list.
	router, err := gorillamux.NewRouter(doc)
	return document{doc, router}, err
})

// Operations returns all operationIds, in order.
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

// Fields returns the names of a type's fields, inherited ones included, in order.
func (c *Contract) Fields(name string) []string {
	ref := c.doc.Components.Schemas[name]
	if ref == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(ref.Value.Properties))
}

// Statuses returns the statuses that an operation may answer, in order. Those that tighten adds are included.
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

// Reached returns the operationIds of the exchanges that kept the contract, in order.
func (c *Contract) Reached() []string {
	var list []string
	for _, e := range c.Exchanges() {
		list = append(list, e.Operation)
	}
	return slices.Compact(list)
}

// Exchanges returns the operations and statuses of the exchanges that kept the contract, in order.
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
