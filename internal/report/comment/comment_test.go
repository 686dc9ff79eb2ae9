package comment_test

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"terraform-provider-vsla/internal/report/comment"
)

// variables are what a pipeline of each service has in its environment.
var variables = map[string]map[string]string{
	comment.GitHub: {
		"GITHUB_TOKEN": secret, "GITHUB_REPOSITORY": "acme/estate", "GITHUB_EVENT_PATH": "event.json",
	},
	comment.GitLab: {
		"GITLAB_TOKEN": secret, "CI_PROJECT_ID": "42", "CI_MERGE_REQUEST_IID": "7",
	},
}

// addresses are the variables with the address of the API.
var addresses = map[string]string{comment.GitHub: "GITHUB_API_URL", comment.GitLab: "CI_API_V4_URL"}

// run is a configuration against a fake, with a clock that only sleeping advances.
type run struct {
	comment.Config

	slept []time.Duration
}

func newRun(f *fake) *run {
	environment := maps.Clone(variables[f.forge])
	environment[addresses[f.forge]] = f.server.URL
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	r := &run{}
	r.Config = comment.Config{
		Forge: f.forge, ID: "default", Client: f.server.Client(),
		Getenv:   func(name string) string { return environment[name] },
		ReadFile: func(string) ([]byte, error) { return []byte(`{"pull_request": {"number": 7}}`), nil },
		Sleep: func(ctx context.Context, d time.Duration) error {
			r.slept = append(r.slept, d)
			now = now.Add(d)
			return ctx.Err()
		},
		Now: func() time.Time { return now },
	}
	return r
}

func (r *run) post(t *testing.T, text string, want comment.Outcome) {
	t.Helper()
	got, err := comment.Post(t.Context(), r.Config, text)
	if err != nil || got != want {
		t.Errorf("%s: %q, %v; want %q", r.Forge, got, err, want)
	}
}

// each runs a test against each service.
func each(t *testing.T, test func(t *testing.T, f *fake, r *run)) {
	t.Helper()
	for _, forge := range comment.Forges() {
		t.Run(forge, func(t *testing.T) {
			t.Parallel()
			f := newFake(t, forge)
			test(t, f, newRun(f))
		})
	}
}

const mark = "[//]: # (vsla-report: default)\n\n"

// TestPost: the first run creates the comment, the next ones update it, and nothing is sent if the text is the same.
func TestPost(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f *fake, r *run) {
		t.Helper()
		f.add(other, "Looks good.")
		r.post(t, "first", comment.Created)
		r.post(t, "first", comment.Unchanged)
		r.post(t, "second", comment.Updated)
		f.comments[1].body = strings.ReplaceAll(f.comments[1].body, "\n", "\r\n")
		r.post(t, "second", comment.Unchanged)
		r.ID = "prod/eu"
		r.post(t, "of another configuration", comment.Created)
		if len(f.comments) != 3 || f.comments[1].body != strings.ReplaceAll(mark+"second", "\n", "\r\n") ||
			f.count("create") != 2 || f.count("update") != 1 {
			t.Errorf("%d comments, %d created, %d updated", len(f.comments), f.count("create"), f.count("update"))
		}
	})
}

// TestPost_onlyUpdate: without a comment none is created; one that is there is brought up to date.
func TestPost_onlyUpdate(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f *fake, r *run) {
		t.Helper()
		r.UpdateOnly = true
		r.post(t, "nothing changes", comment.Skipped)
		f.add(me, mark+"something changes")
		r.post(t, "nothing changes", comment.Updated)
	})
}

// TestPost_pages: the marker is found on a later page, and the comment is not created twice.
func TestPost_pages(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f *fake, r *run) {
		t.Helper()
		for range 250 {
			f.add(other, "Another comment.")
		}
		f.add(me, mark+"first")
		r.post(t, "second", comment.Updated)
		if pages := f.count("list"); pages != 3 { // 100 to a page
			t.Errorf("%d pages, want 3", pages)
		}
	})
}

// TestPost_retries: a request refused for load is retried after the wait that the service asks for, one without a
// usable answer after a growing wait.
func TestPost_retries(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f *fake, r *run) {
		t.Helper()
		f.intercept = func(name string, call int, w http.ResponseWriter) bool {
			switch {
			case name == "list" && call == 1:
				w.Header().Set("Retry-After", "7")
				w.WriteHeader(http.StatusTooManyRequests)
			case name == "list" && call == 2:
				w.WriteHeader(http.StatusBadGateway)
			default:
				return false
			}
			return true
		}
		r.post(t, "text", comment.Created)
		if len(r.slept) != 2 || r.slept[0] != 7*time.Second || r.slept[1] < 500*time.Millisecond ||
			r.slept[1] > 2*time.Second {
			t.Errorf("slept %v, want 7s and 0.5s to 2s", r.slept)
		}
	})
}

// TestPost_rateLimit: GitHub sends the end of the limit. Up to a minute is waited for; a later end is an error that has
// the time.
func TestPost_rateLimit(t *testing.T) {
	t.Parallel()
	for reset, want := range map[string]time.Duration{"1767225640": 40 * time.Second, "1767229200": 0} { // 40 s, an hour
		f := newFake(t, comment.GitHub)
		f.intercept = func(name string, call int, w http.ResponseWriter) bool {
			if name != "create" || call > 1 {
				return false
			}
			w.Header().Set("X-Ratelimit-Remaining", "0")
			w.Header().Set("X-Ratelimit-Reset", reset)
			w.WriteHeader(http.StatusForbidden)
			return true
		}
		r := newRun(f)
		outcome, err := comment.Post(t.Context(), r.Config, "text")
		if want > 0 && (err != nil || outcome != comment.Created || len(r.slept) != 1 || r.slept[0] != want) {
			t.Errorf("%q, %v, slept %v", outcome, err, r.slept)
		}
		if want == 0 && (err == nil || !strings.Contains(err.Error(), "the limit ends in 1h0m0s") || len(r.slept) > 0) {
			t.Errorf("%v, slept %v", err, r.slept)
		}
	}
}

// TestPost_lostAnswer: a comment that was created although the answer was lost is not created again.
func TestPost_lostAnswer(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f *fake, r *run) {
		t.Helper()
		f.after = func(name string, call int, w http.ResponseWriter) bool {
			if name != "create" || call > 1 {
				return false
			}
			w.WriteHeader(http.StatusGatewayTimeout)
			return true
		}
		r.post(t, "text", comment.Unchanged)
		if len(f.comments) != 1 || f.count("create") != 1 || f.count("list") != 2 {
			t.Errorf("%d comments, %d created", len(f.comments), f.count("create"))
		}
	})
}

// TestPost_refused: the action is in the error, and the token is not, even if the service repeats it.
func TestPost_refused(t *testing.T) {
	t.Parallel()
	says := map[string]string{
		comment.GitHub: "pull-requests: write",
		comment.GitLab: "scope api",
	}
	each(t, func(t *testing.T, f *fake, r *run) {
		t.Helper()
		for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound} {
			f.intercept = func(name string, _ int, w http.ResponseWriter) bool {
				if name == "me" {
					return false
				}
				w.WriteHeader(status)
				_, err := w.Write([]byte(`{"message": "Bad credentials ` + secret + `"}`))
				return err == nil
			}
			_, err := comment.Post(t.Context(), r.Config, "text")
			if err == nil || !strings.Contains(err.Error(), says[f.forge]) ||
				!strings.Contains(err.Error(), "Bad credentials") ||
				strings.Contains(err.Error(), secret) {
				t.Errorf("%d: %v", status, err)
			}
		}
		if len(r.slept) > 0 {
			t.Errorf("a final refusal is repeated after %v", r.slept)
		}
	})
}

// TestPost_redirect: the token does not follow a redirect to another host.
func TestPost_redirect(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f *fake, r *run) {
		t.Helper()
		elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
			t.Errorf("another host gets %s %s with %v", req.Method, req.URL, req.Header)
		}))
		defer elsewhere.Close()
		for _, refused := range []string{"list", "create"} {
			f.intercept = func(name string, _ int, w http.ResponseWriter) bool {
				if name != refused {
					return false
				}
				w.Header().Set("Location", elsewhere.URL)
				w.WriteHeader(http.StatusTemporaryRedirect)
				return true
			}
			if _, err := comment.Post(t.Context(), r.Config, "text"); err == nil ||
				!strings.Contains(err.Error(), "redirects to "+elsewhere.URL+",") {
				t.Errorf("%s: got %v, want an error that names %s", refused, err, elsewhere.URL)
			}
		}
	})
}

// TestPost_environment: each variable that is missing is named, with what to do.
func TestPost_environment(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f *fake, r *run) {
		t.Helper()
		getenv := r.Getenv
		for name := range variables[f.forge] {
			r.Getenv = func(asked string) string {
				if asked == name {
					return ""
				}
				return getenv(asked)
			}
			_, err := comment.Post(t.Context(), r.Config, "text")
			if err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), secret) {
				t.Errorf("without %s: %v", name, err)
			}
		}
		if len(f.calls) > 0 {
			t.Errorf("%d requests were sent", len(f.calls))
		}
	})
}

// TestPost_wrong: what cannot work is refused before anything is sent.
func TestPost_wrong(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		forge  string
		change func(*run)
		says   string
	}{
		"an id that ends the marker": {comment.GitHub, func(r *run) { r.ID = "x) (y" }, "got \"x) (y\""},
		"a job token": {comment.GitLab, func(r *run) {
			r.Getenv = func(name string) string { return map[string]string{"CI_JOB_TOKEN": secret}[name] }
		}, "CI_JOB_TOKEN may read notes and not write them"},
		"clear text": {comment.GitHub, func(r *run) { r.API = "http://api.example.com" }, "must use https"},
		"no address": {comment.GitHub, func(r *run) { r.API = "api.example.com" }, "must be an https URL"},
		"a branch": {comment.GitHub, func(r *run) {
			r.ReadFile = func(string) ([]byte, error) { return []byte(`{"ref": "refs/heads/main"}`), nil }
		}, "not one of a pull request"},
		"another service": {comment.GitHub, func(r *run) { r.Forge = "sourcehut" }, "got \"sourcehut\""},
	} {
		f := newFake(t, test.forge)
		r := newRun(f)
		test.change(r)
		_, err := comment.Post(t.Context(), r.Config, "text")
		if err == nil || !strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), secret) ||
			len(f.calls) > 0 {
			t.Errorf("%s: %v, %d requests", name, err, len(f.calls))
		}
	}
}

// TestPost_cancelled: the end of the job ends the waiting.
func TestPost_cancelled(t *testing.T) {
	t.Parallel()
	f := newFake(t, comment.GitLab)
	f.intercept = func(_ string, _ int, w http.ResponseWriter) bool {
		w.WriteHeader(http.StatusServiceUnavailable)
		return true
	}
	ctx, cancel := context.WithCancel(t.Context())
	r := newRun(f)
	r.Sleep = func(ctx context.Context, _ time.Duration) error { cancel(); return ctx.Err() }
	if _, err := comment.Post(ctx, r.Config, "text"); err == nil || errors.Is(err, context.DeadlineExceeded) ||
		len(f.calls) != 1 {
		t.Errorf("%v after %d requests", err, len(f.calls))
	}
}
