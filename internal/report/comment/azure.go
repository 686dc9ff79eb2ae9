package comment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
)

const azureVersion = "?api-version=7.1"

// azure is the API of the threads of a pull request in Azure Repos.
type azure struct {
	*client

	path string
}

func openAzure(c Config) (service, error) {
	const token = "SYSTEM_ACCESSTOKEN"
	if provider := c.Getenv("BUILD_REPOSITORY_PROVIDER"); provider != "" && provider != "TfsGit" {
		return nil, fmt.Errorf(
			"the repository is not in Azure Repos but %s: comment there, for example with github",
			provider,
		)
	}
	values, err := c.need(map[string]string{ //nolint:gosec // names and advice
		token: "give the step `env: SYSTEM_ACCESSTOKEN: $(System.AccessToken)`, which Azure Pipelines does not do by itself",
		"SYSTEM_PULLREQUEST_PULLREQUESTID": "run the pipeline as the build validation of a branch policy, which Azure " +
			"Repos needs for pull requests",
	}, token, "SYSTEM_TEAMPROJECT", "BUILD_REPOSITORY_ID", "SYSTEM_PULLREQUEST_PULLREQUESTID")
	if err != nil {
		return nil, err
	}
	address := cmp.Or(c.API, c.Getenv("SYSTEM_COLLECTIONURI"), c.Getenv("SYSTEM_TEAMFOUNDATIONCOLLECTIONURI"))
	if address == "" {
		return nil, errors.New("SYSTEM_COLLECTIONURI is not set: run this in Azure Pipelines, or set the variable")
	}
	cl, err := newClient(c, "Azure DevOps", address, values[0],
		http.Header{"Authorization": {"Bearer " + values[0]}, "Accept": {"application/json"}})
	if err != nil {
		return nil, err
	}
	cl.denied = "Allow the build service of the project to contribute to pull requests of the repository " +
		"(Project settings, Repositories, Security)"
	cl.missing = cl.denied
	return &azure{cl, "/" + url.PathEscape(values[1]) + "/_apis/git/repositories/" + url.PathEscape(values[2]) +
		"/pullRequests/" + url.PathEscape(values[3]) + "/threads"}, nil
}

// caller asks the collection, where this operation is a preview. The token of a pipeline is the build service's.
func (a *azure) caller(ctx context.Context) (account, error) {
	var connection struct {
		AuthenticatedUser struct {
			ID string `json:"id"`
		} `json:"authenticatedUser"`
	}
	err := a.call(ctx, http.MethodGet, "/_apis/connectionData"+azureVersion+"-preview", nil, &connection)
	return account{id: connection.AuthenticatedUser.ID}, err
}

// notes returns the first comments of threads.
func (a *azure) notes(ctx context.Context, mark string) ([]note, error) {
	var threads struct {
		Value []struct {
			ID        int64 `json:"id"`
			IsDeleted bool  `json:"isDeleted"`
			Comments  []struct {
				ID          int64  `json:"id"`
				Content     string `json:"content"`
				CommentType string `json:"commentType"`
				IsDeleted   bool   `json:"isDeleted"`
				Author      struct {
					ID string `json:"id"`
				} `json:"author"`
			} `json:"comments"`
		} `json:"value"`
	}
	if err := a.call(ctx, http.MethodGet, a.path+azureVersion, nil, &threads); err != nil {
		return nil, err
	}
	var found []note
	for _, t := range threads.Value {
		if t.IsDeleted || len(t.Comments) == 0 {
			continue
		}
		first := t.Comments[0]
		path := fmt.Sprintf("%s/%d/comments/%d", a.path, t.ID, first.ID)
		n, ok := marked(first.Content, mark, path, account{id: first.Author.ID})
		if ok && !first.IsDeleted && first.CommentType != "system" {
			found = append(found, n)
		}
	}
	return found, nil
}

// create begins a thread that is closed: an open one blocks a pull request where all comments have to be resolved.
func (a *azure) create(ctx context.Context, body string) error {
	return a.call(ctx, http.MethodPost, a.path+azureVersion, map[string]any{
		"status":   "closed",
		"comments": []any{map[string]any{"parentCommentId": 0, "content": body, "commentType": "text"}},
	}, nil)
}

func (a *azure) update(ctx context.Context, n note, body string) error {
	return a.call(ctx, http.MethodPatch, n.path+azureVersion, map[string]any{"content": body}, nil)
}
