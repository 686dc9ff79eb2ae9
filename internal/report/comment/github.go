package comment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

const perPage = 100

// gitHub is the API of issue comments, which are those of pull requests too.
type gitHub struct {
	*client

	repository, number string
}

func openGitHub(c Config) (service, error) {
	const token = "GITHUB_TOKEN"             //nolint:gosec // a name
	values, err := c.need(map[string]string{ //nolint:gosec // names and advice
		token: "give the step `env: GITHUB_TOKEN: ${{ github.token }}`, and the job `permissions: pull-requests: write`",
	}, token, "GITHUB_REPOSITORY")
	if err != nil {
		return nil, err
	}
	number, err := c.gitHubNumber()
	if err != nil {
		return nil, err
	}
	address := c.API
	for _, other := range []string{c.Getenv("GITHUB_API_URL"), "https://api.github.com"} {
		if address == "" {
			address = other
		}
	}
	owner, name, ok := strings.Cut(values[1], "/")
	if !ok || owner == "" || name == "" {
		return nil, fmt.Errorf("GITHUB_REPOSITORY must be OWNER/NAME, got %q", values[1])
	}
	cl, err := newClient(c, "GitHub", address, values[0], http.Header{
		"Authorization": {"Bearer " + values[0]}, "Accept": {"application/vnd.github+json"},
		"X-Github-Api-Version": {"2022-11-28"},
	})
	if err != nil {
		return nil, err
	}
	cl.denied = "Give the job `permissions: pull-requests: write`; a pull request from a fork has a token that only reads"
	cl.missing = "Give the job `permissions: pull-requests: write`"
	return &gitHub{cl, "/repos/" + url.PathEscape(owner) + "/" + url.PathEscape(name), number}, nil
}

var pullRef = regexp.MustCompile(`^refs/pull/([0-9]+)/`)

// gitHubNumber returns the number of the pull request, from the event or from the ref.
func (c Config) gitHubNumber() (string, error) {
	if file := c.Getenv("GITHUB_EVENT_PATH"); file != "" {
		text, err := c.ReadFile(file)
		if err != nil {
			return "", fmt.Errorf("read the event of GITHUB_EVENT_PATH: %w", err)
		}
		var event struct {
			PullRequest struct {
				Number json.Number `json:"number"`
			} `json:"pull_request"`
			Issue struct {
				Number      json.Number     `json:"number"`
				PullRequest json.RawMessage `json:"pull_request"`
			} `json:"issue"`
		}
		if err := json.Unmarshal(text, &event); err != nil {
			return "", fmt.Errorf("the event of GITHUB_EVENT_PATH: %w", err)
		}
		if n := event.PullRequest.Number.String(); n != "" {
			return n, nil
		}
		if n := event.Issue.Number.String(); n != "" && event.Issue.PullRequest != nil {
			return n, nil
		}
	}
	if found := pullRef.FindStringSubmatch(c.Getenv("GITHUB_REF")); found != nil {
		return found[1], nil
	}
	return "", errors.New("this run is not one of a pull request: neither GITHUB_EVENT_PATH nor GITHUB_REF names one; " +
		"run it `on: pull_request`")
}

func (g *gitHub) comments() string { return g.repository + "/issues/" + g.number + "/comments" }

func (g *gitHub) notes(ctx context.Context, mark string) ([]note, error) {
	var found []note
	for page := 1; page <= maxPages; page++ {
		var comments []struct {
			ID   int64  `json:"id"`
			Body string `json:"body"`
			User struct {
				Login string `json:"login"`
				Type  string `json:"type"`
			} `json:"user"`
		}
		path := fmt.Sprintf("%s?per_page=%d&page=%d", g.comments(), perPage, page)
		if err := g.call(ctx, http.MethodGet, path, nil, &comments); err != nil {
			return nil, err
		}
		for _, c := range comments {
			author := account{c.User.Login, c.User.Type == "Bot"}
			if n, ok := marked(c.Body, mark, fmt.Sprintf("%s/issues/comments/%d", g.repository, c.ID), author); ok {
				found = append(found, n)
			}
		}
		if len(comments) < perPage {
			break
		}
	}
	return found, nil
}

// caller: the token of an app, such as a workflow's, may not ask.
func (g *gitHub) caller(ctx context.Context) (account, error) {
	var user struct {
		Login string `json:"login"`
	}
	err := g.call(ctx, http.MethodGet, "/user", nil, &user)
	if mayNotAsk(err) {
		return account{app: true}, nil
	}
	return account{id: user.Login}, err
}

func (g *gitHub) create(ctx context.Context, body string) error {
	return g.call(ctx, http.MethodPost, g.comments(), map[string]string{"body": body}, nil)
}

func (g *gitHub) update(ctx context.Context, n note, body string) error {
	return g.call(ctx, http.MethodPatch, n.path, map[string]string{"body": body}, nil)
}
