package comment

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
)

// gitLab is the API of the notes of a merge request.
type gitLab struct {
	*client

	path string
}

func openGitLab(c Config) (service, error) {
	const token = "GITLAB_TOKEN"
	const advice = "create a project access token with the scope api and the role Reporter, and store it as a masked " +
		"CI/CD variable GITLAB_TOKEN"
	if c.Getenv(token) == "" && c.Getenv("CI_JOB_TOKEN") != "" {
		return nil, errors.New("GITLAB_TOKEN is not set, and CI_JOB_TOKEN may read notes and not write them: " + advice)
	}
	values, err := c.need(map[string]string{
		token: advice,
		"CI_MERGE_REQUEST_IID": "run the job in a merge request pipeline: `rules: - if: $CI_PIPELINE_SOURCE == " +
			"\"merge_request_event\"`",
	}, token, "CI_MERGE_REQUEST_IID")
	if err != nil {
		return nil, err
	}
	// A pipeline of a fork runs in the fork; the merge request is in the project that it goes to.
	project := cmp.Or(c.Getenv("CI_MERGE_REQUEST_PROJECT_ID"), c.Getenv("CI_PROJECT_ID"))
	if project == "" {
		return nil, errors.New("CI_PROJECT_ID is not set: run this in a pipeline of GitLab, or set the variable")
	}
	cl, err := newClient(c, "GitLab", cmp.Or(c.API, c.Getenv("CI_API_V4_URL"), "https://gitlab.com/api/v4"), values[0],
		http.Header{"Private-Token": {values[0]}, "Accept": {"application/json"}})
	if err != nil {
		return nil, err
	}
	cl.denied = "It needs the scope api, and at least the role Reporter in the project: " + advice
	cl.missing = "The project of the merge request has to be one that the token can see: " + advice
	return &gitLab{
		cl,
		"/projects/" + url.PathEscape(project) + "/merge_requests/" + url.PathEscape(values[1]) + "/notes",
	}, nil
}

func (g *gitLab) caller(ctx context.Context) (account, error) {
	var user struct {
		ID json.Number `json:"id"`
	}
	err := g.call(ctx, http.MethodGet, "/user", nil, &user)
	return account{id: user.ID.String()}, err
}

func (g *gitLab) notes(ctx context.Context, mark string) ([]note, error) {
	var found []note
	for page := 1; page <= maxPages; page++ {
		var notes []struct {
			ID     int64  `json:"id"`
			Body   string `json:"body"`
			System bool   `json:"system"`
			Author struct {
				ID json.Number `json:"id"`
			} `json:"author"`
		}
		path := fmt.Sprintf("%s?sort=asc&order_by=created_at&per_page=%d&page=%d", g.path, perPage, page)
		if err := g.call(ctx, http.MethodGet, path, nil, &notes); err != nil {
			return nil, err
		}
		for _, n := range notes {
			author := account{id: n.Author.ID.String()}
			if m, ok := marked(n.Body, mark, fmt.Sprintf("%s/%d", g.path, n.ID), author); ok && !n.System {
				found = append(found, m)
			}
		}
		if len(notes) < perPage {
			break
		}
	}
	return found, nil
}

func (g *gitLab) create(ctx context.Context, body string) error {
	return g.call(ctx, http.MethodPost, g.path, map[string]string{"body": body}, nil)
}

func (g *gitLab) update(ctx context.Context, n note, body string) error {
	return g.call(ctx, http.MethodPut, n.path, map[string]string{"body": body}, nil)
}
