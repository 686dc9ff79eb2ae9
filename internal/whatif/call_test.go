package whatif_test

import (
	"encoding/json"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/dev/plantest"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/registry"
	"terraform-provider-vsla/internal/whatif"
)

// ask returns the answer to a request.
func ask(t interface{ Fatal(...any) }, e *whatif.Engine, request map[string]any) map[string]any {
	text, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	var answer map[string]any
	if err := json.Unmarshal([]byte(e.Call(string(text))), &answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

// TestEngine_compute checks that every calculator answers through JSON what it answers itself, and names the same
// problems.
func TestEngine_compute(t *testing.T) {
	t.Parallel()
	for _, c := range registry.Calculators() {
		t.Run(c.Command, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				inputs := plantest.Input(t, c)
				var e whatif.Engine
				answer := ask(t, &e, map[string]any{"do": "compute", "calculator": c.Command, "inputs": inputs})
				results, err := c.Evaluate(inputs)
				if problems, ok := errors.AsType[plan.InputErrors](err); ok {
					list, _ := answer["problems"].([]any)
					if len(list) != len(problems) || answer["results"] != nil {
						t.Fatalf("got %v, want %d problems: %v", answer, len(problems), err)
					}
					return
				}
				want, err := json.Marshal(results)
				if err != nil {
					t.Fatal(err)
				}
				got, err := json.Marshal(answer["results"])
				if err != nil || string(got) != string(want) {
					t.Fatalf("got %s, %v, want %s", got, err, want)
				}
			})
		})
	}
}

// TestEngine_refuses checks the answers to requests without a meaning.
func TestEngine_refuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ request, want string }{
		{`{`, `{"error":"unexpected end of JSON input"}`},
		{`{"do":"compute","calculator":"x"}`, `{"error":"there is no calculator \"x\""}`},
		{`{"do":"view"}`, `{"error":"no model is open"}`},
		{`{"do":"open"}`, `{"error":"a model is needed"}`},
	} {
		var e whatif.Engine
		if got := e.Call(test.request); got != test.want {
			t.Errorf("%s: got %s, want %s", test.request, got, test.want)
		}
	}
}
