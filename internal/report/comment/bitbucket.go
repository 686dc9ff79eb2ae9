package comment

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
)

// bitbucket is the API of Bitbucket Cloud.
type bitbucket struct {
	*client

	path string
}

func openBitbucket(c Config) (service, error) {
	const token = "BITBUCKET_TOKEN"
	const advice = "create a repository access token with the permission to write pull requests, and store it as a " +
		"secured repository variable BITBUCKET_TOKEN"
	values, err := c.need(map[string]string{
		token:             advice,
		"BITBUCKET_PR_ID": "run the step below `pull-requests:`",
	}, token, "BITBUCKET_WORKSPACE", "BITBUCKET_REPO_SLUG", "BITBUCKET_PR_ID")
	if err != nil {
		return nil, err
	}
	cl, err := newClient(c, "Bitbucket", cmp.Or(c.API, "https://api.bitbucket.org/2.0"), values[0],
		http.Header{"Authorization": {"Bearer " + values[0]}, "Accept": {"application/json"}})
	if err != nil {
		return nil, err
	}
	cl.denied = "It needs the permission to write pull requests: " + advice
	cl.missing = cl.denied
	return &bitbucket{cl, "/repositories/" + url.PathEscape(values[1]) + "/" + url.PathEscape(values[2]) +
		"/pullrequests/" + url.PathEscape(values[3]) + "/comments"}, nil
}

// caller: the access token of a repository, project or workspace may not ask, and writes as an app.
func (b *bitbucket) caller(ctx context.Context) (account, error) {
	var user struct {
		UUID string `json:"uuid"`
	}
	err := b.call(ctx, http.MethodGet, "/user", nil, &user)
	if mayNotAsk(err) {
		return account{app: true}, nil
	}
	return account{id: user.UUID}, err
}

func (b *bitbucket) notes(ctx context.Context, mark string) ([]note, error) {
	var found []note
	path := fmt.Sprintf("%s?pagelen=%d", b.path, perPage)
	for page := 1; path != "" && page <= maxPages; page++ {
		var comments struct {
			Next   string `json:"next"`
			Values []struct {
				ID      int64 `json:"id"`
				Deleted bool  `json:"deleted"`
				Content struct {
					Raw string `json:"raw"`
				} `json:"content"`
				User struct {
					UUID string `json:"uuid"`
					Type string `json:"type"`
				} `json:"user"`
			} `json:"values"`
		}
		if err := b.call(ctx, http.MethodGet, path, nil, &comments); err != nil {
			return nil, err
		}
		for _, c := range comments.Values {
			author := account{c.User.UUID, c.User.Type == "app_user"}
			if n, ok := marked(c.Content.Raw, mark, fmt.Sprintf("%s/%d", b.path, c.ID), author); ok && !c.Deleted {
				found = append(found, n)
			}
		}
		path = comments.Next
	}
	return found, nil
}

func (b *bitbucket) create(ctx context.Context, body string) error {
	return b.call(ctx, http.MethodPost, b.path, raw(body), nil)
}

func (b *bitbucket) update(ctx context.Context, n note, body string) error {
	return b.call(ctx, http.MethodPut, n.path, raw(body), nil)
}

func raw(body string) map[string]any {
	return map[string]any{"content": map[string]string{"raw": body}}
}
