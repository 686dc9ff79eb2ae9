package comment_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"testing"
	"unicode/utf8"

	"terraform-provider-vsla/internal/report/comment"
)

const secret = "secret-token"

// The accounts of the fake services: that of the token, another person, and an app that is not the token's.
const me, other, otherApp = 1, 2, 3

// contract is the vendors' documented form of the used operations; the fake refuses everything else.
type contract struct {
	Source     string            `json:"source"`
	Headers    map[string]string `json:"headers"`
	Longest    int               `json:"longest"`
	Operations []operation       `json:"operations"`
}

type operation struct {
	Name   string            `json:"name"`
	Method string            `json:"method"`
	Path   string            `json:"path"`
	Query  map[string]string `json:"query"`
	// Body are the fields of the request, all of them required, Answer those of the answer.
	Body   []string `json:"body"`
	Status int      `json:"status"`
	Answer []string `json:"answer"`
}

// stored is a comment of the fake.
type stored struct {
	id, author int
	body       string
	system     bool
}

// fake is the API of one service.
type fake struct {
	t        *testing.T
	forge    string
	contract contract
	server   *httptest.Server

	mu       sync.Mutex
	comments []*stored
	// calls are the names of the operations, in order.
	calls []string
	// intercept answers in place of the service, or not. It is called before a change is made; after is called behind it.
	intercept func(name string, call int, w http.ResponseWriter) bool
	after     func(name string, call int, w http.ResponseWriter) bool
	// app: the token is that of a workflow or of a repository, which may not ask whose it is.
	app bool
}

func newFake(t *testing.T, forge string) *fake {
	t.Helper()
	text, err := os.ReadFile("testdata/contract.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]contract
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	f := &fake{t: t, forge: forge, contract: all[forge]}
	if f.contract.Source == "" || len(f.contract.Operations) < 3 {
		t.Fatalf("no contract of %s", forge)
	}
	f.server = httptest.NewServer(f)
	t.Cleanup(f.server.Close)
	return f
}

func (f *fake) add(author int, body string) *stored {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := &stored{id: 100 + len(f.comments), author: author, body: body}
	f.comments = append(f.comments, s)
	return s
}

// count returns how often an operation was called.
func (f *fake) count(name string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, call := range f.calls {
		if call == name {
			n++
		}
	}
	return n
}

// ServeHTTP refuses what the contract does not have.
func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	op, id := f.operation(r)
	if op == nil {
		f.t.Errorf("%s has no %s %s", f.forge, r.Method, r.URL)
		http.Error(w, `{"message": "not in the contract"}`, http.StatusBadRequest)
		return
	}
	f.calls = append(f.calls, op.Name)
	call := 0
	for _, name := range f.calls {
		if name == op.Name {
			call++
		}
	}
	for name, want := range f.contract.Headers {
		if got := r.Header.Get(name); got != want {
			f.t.Errorf("%s %s has %s: %q", r.Method, r.URL.Path, name, got)
		}
	}
	body := f.body(op, r)
	if f.intercept != nil && f.intercept(op.Name, call, w) {
		return
	}
	answer, status := f.handle(op, id, body, r)
	if f.after != nil && f.after(op.Name, call, w) {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		f.t.Error(err)
	}
}

func (f *fake) operation(r *http.Request) (*operation, int) {
	for n, op := range f.contract.Operations {
		found := regexp.MustCompile(op.Path).FindStringSubmatch(r.URL.EscapedPath())
		if op.Method != r.Method || found == nil {
			continue
		}
		for name, values := range r.URL.Query() {
			form, ok := op.Query[name]
			if !ok || len(values) != 1 || !regexp.MustCompile(form).MatchString(values[0]) {
				return nil, 0
			}
		}
		id := 0
		if len(found) > 1 {
			id, _ = strconv.Atoi(found[1])
		}
		return &f.contract.Operations[n], id
	}
	return nil, 0
}

// body checks the fields of a request, and returns the text of the comment.
func (f *fake) body(op *operation, r *http.Request) string {
	if len(op.Body) == 0 {
		return ""
	}
	var fields map[string]any
	if err := json.NewDecoder(r.Body).Decode(&fields); err != nil {
		f.t.Errorf("%s %s: %v", r.Method, r.URL.Path, err)
	}
	for name := range fields {
		if !slices.Contains(op.Body, name) {
			f.t.Errorf("%s %s has a field %s", r.Method, r.URL.Path, name)
		}
	}
	if len(fields) != len(op.Body) || r.Header.Get("Content-Type") != "application/json" {
		f.t.Errorf("%s %s has %v, want %v as JSON", r.Method, r.URL.Path, fields, op.Body)
	}
	text, ok := fields["body"].(string)
	if !ok || text == "" || utf8.RuneCountInString(text) > f.contract.Longest {
		f.t.Errorf("%s %s: a comment of %d characters", r.Method, r.URL.Path, utf8.RuneCountInString(text))
	}
	return text
}

func (f *fake) handle(op *operation, id int, body string, r *http.Request) (any, int) {
	switch op.Name {
	case "me":
		if f.app {
			return map[string]string{"message": "Resource not accessible by integration"}, http.StatusForbidden
		}
		return f.account(me), op.Status
	case "list":
		return f.list(op, r), op.Status
	case "create":
		s := &stored{id: 100 + len(f.comments), author: me, body: body}
		f.comments = append(f.comments, s)
		return f.shown(op, s), op.Status
	}
	for _, s := range f.comments {
		if s.id != id {
			continue
		}
		// No service promises to refuse the edit of what others wrote.
		s.body = body
		return f.shown(op, s), op.Status
	}
	return map[string]string{"message": "Not Found"}, http.StatusNotFound
}

// list returns a page.
func (f *fake) list(op *operation, r *http.Request) any {
	all := make([]any, 0, len(f.comments))
	for _, s := range f.comments {
		all = append(all, f.shown(op, s))
	}
	number := func(name string, otherwise int) int {
		if n, err := strconv.Atoi(r.URL.Query().Get(name)); err == nil {
			return n
		}
		return otherwise
	}
	size, page := number("per_page", 10), number("page", 1)
	from := min((page-1)*size, len(all))
	return all[from:min(from+size, len(all))]
}

// account is a user in the form of each service.
func (f *fake) account(number int) map[string]any {
	if f.forge == comment.GitLab {
		return map[string]any{"id": number, "username": fmt.Sprint("user-", number)}
	}
	kind := map[bool]string{false: "User", true: "Bot"}[number == otherApp || number == me && f.app]
	return map[string]any{"login": fmt.Sprint("user-", number), "type": kind}
}

// shown is a comment in the form of each service.
func (f *fake) shown(op *operation, s *stored) map[string]any {
	author := f.account(s.author)
	all := map[string]any{
		"id": s.id, "body": s.body, "system": s.system, "author": author, "user": author,
	}
	answer := map[string]any{}
	for _, name := range op.Answer {
		answer[name] = all[name]
	}
	return answer
}
