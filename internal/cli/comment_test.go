package cli_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"terraform-provider-vsla/internal/cli"
	"terraform-provider-vsla/internal/report/comment"
)

// pullRequest is one on GitLab, without comments; it keeps every request.
func pullRequest(
	t *testing.T,
	status int,
) (program func(stdin string) (cli.Program, *bytes.Buffer, *bytes.Buffer), written *[]string) {
	t.Helper()
	written = &[]string{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case status != http.StatusOK:
			w.WriteHeader(status)
		case r.URL.Path == "/user":
			_, _ = w.Write([]byte(`{"id": 1}`))
		case r.Method == http.MethodGet:
			_, _ = w.Write([]byte(`[]`))
		default:
			var sent struct {
				Body string `json:"body"`
			}
			if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
				t.Error(err)
			}
			*written = append(*written, sent.Body)
			w.WriteHeader(http.StatusCreated)
		}
	}))
	t.Cleanup(server.Close)
	environment := map[string]string{
		"GITLAB_TOKEN": "secret-token", "CI_PROJECT_ID": "42", "CI_MERGE_REQUEST_IID": "7", "CI_API_V4_URL": server.URL,
	}
	return func(stdin string) (cli.Program, *bytes.Buffer, *bytes.Buffer) {
		var out, errs bytes.Buffer
		return cli.Program{
			In: strings.NewReader(stdin), Out: &out, Err: &errs,
			Comment: func(forge, id string) comment.Config {
				c := comment.Standard(forge, id)
				c.Getenv = func(name string) string { return environment[name] }
				return c
			},
		}, &out, &errs
	}, written
}

// TestComment: the difference is in the comment and not on standard output, and the gate still judges.
func TestComment(t *testing.T) {
	t.Parallel()
	file := baselines(t)
	for name, test := range map[string]struct {
		stdin string
		args  []string
		code  int
		// A part of the comment; empty for none.
		says, errs string
	}{
		"worse":        {verdict("misses"), []string{"--fail-on=worse"}, cli.ExitMiss, "## ✕ 1 promise no longer holds", "Comment created."},
		"always":       {verdict("meets"), nil, cli.ExitOK, "## No verdict changes", "Comment created."},
		"only changes": {verdict("meets"), []string{"--comment-when=changed"}, cli.ExitOK, "", "Comment skipped."},
		"an id":        {verdict("misses"), []string{"--comment-id=prod"}, cli.ExitOK, "(vsla-report: prod)", "Comment created."},
	} {
		program, written := pullRequest(t, http.StatusOK)
		p, out, errs := program(test.stdin)
		args := append([]string{"report", "-", "--baseline", file("meets"), "--comment", "gitlab"}, test.args...)
		code := p.Run(t.Context(), args)
		all := strings.Join(*written, "")
		if code != test.code || out.Len() > 0 || !strings.Contains(errs.String(), test.errs) ||
			!strings.Contains(all, test.says) || (test.says == "") != (all == "") {
			t.Errorf("%s: %d, %q, %q, comment %q", name, code, out, errs, all)
		}
	}
}

// TestComment_printed: --comment - prints what a service is sent, without its invisible marker, and sends nothing.
func TestComment_printed(t *testing.T) {
	t.Parallel()
	program, written := pullRequest(t, http.StatusOK)
	args := []string{"report", "-", "--baseline", baselines(t)("meets"), "--comment"}
	p, out, _ := program(verdict("misses"))
	if code := p.Run(t.Context(), append(args, "-")); code != cli.ExitOK || len(*written) > 0 {
		t.Errorf("--comment -: exits with %d and sends %q, want %d and nothing", code, *written, cli.ExitOK)
	}
	p, _, _ = program(verdict("misses"))
	p.Run(t.Context(), append(args, "gitlab"))
	sent := strings.Join(*written, "")
	if out.Len() == 0 || !strings.HasSuffix(sent, "(vsla-report: default)\n\n"+out.String()) {
		t.Errorf("printed %q, want what is sent after the marker: %q", out, sent)
	}
}

// TestComment_refused: a comment that cannot be written is an error, without the token.
func TestComment_refused(t *testing.T) {
	t.Parallel()
	program, _ := pullRequest(t, http.StatusForbidden)
	p, _, errs := program(verdict("misses"))
	code := p.Run(t.Context(), []string{"report", "-", "--baseline", baselines(t)("meets"), "--comment", "gitlab"})
	if code != cli.ExitError || !strings.Contains(errs.String(), "cannot comment: GET /user: HTTP 403") ||
		strings.Contains(errs.String(), "secret-token") {
		t.Errorf("exits with %d, %q; want %d, HTTP 403 and no token", code, errs, cli.ExitError)
	}
}

func TestComment_flags(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]command{
		"another service": {args: "report - --comment svn", code: cli.ExitUsage, errs: "--comment must be one of github, gitlab"},
		"no baseline":     {args: "report - --comment github", code: cli.ExitUsage, errs: "--comment needs --baseline"},
		"another time": {
			args: "report - --comment github --comment-when never", code: cli.ExitUsage,
			errs: "--comment-when must be always or changed",
		},
		"another id": {
			args: "report - --comment github --comment-id a)b", code: cli.ExitUsage, errs: "--comment-id must have 1 to 80",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.check(t)
		})
	}
}
