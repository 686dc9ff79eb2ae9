// Package comment creates one comment in a pull request of GitHub or GitLab and updates it, configured by the
// environment of their pipelines.
//
// A comment begins with an invisible marker and is found by it. Only comments of the token's own account are changed;
// an app's token, which may not read its account, treats the comments of all apps as its own. The token is sent only to
// the address of the API, and never appears in an error.
package comment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"time"

	"terraform-provider-vsla/internal/transport"
)

// The services.
const (
	GitHub = "github"
	GitLab = "gitlab"
)

// Forges returns the names of the services.
func Forges() []string { return []string{GitHub, GitLab} }

// limit is the longest comment that every service accepts, in characters: GitHub's.
const limit = 65536

// Space returns the longest text of a comment with this id, in bytes, without the marker.
func Space(id string) int { return limit - len(marker(id)) }

// Config is where a comment goes, and how.
type Config struct {
	Forge string
	// ID distinguishes the comments of several configurations in one pull request.
	ID string
	// UpdateOnly: where there is no comment yet, none is created.
	UpdateOnly bool
	// Getenv and ReadFile read what the pipeline offers: os.Getenv and os.ReadFile.
	Getenv   func(string) string
	ReadFile func(string) ([]byte, error)
	// Client sends requests; its redirects are not followed to another host.
	Client *http.Client
	Sleep  func(context.Context, time.Duration) error
	Now    func() time.Time
	// API is the address of the API; empty takes the environment's.
	API string
}

// Standard returns a configuration for this process.
func Standard(forge, id string) Config {
	return Config{
		Forge: forge, ID: id, Getenv: os.Getenv, ReadFile: os.ReadFile, Client: &http.Client{Timeout: time.Minute},
		Sleep: transport.Wait, Now: time.Now, //nolint:forbidigo // limits of a service end by the clock
	}
}

// Outcome is the change that Post made.
type Outcome string

// The outcomes. Unchanged: the comment has the same text already. Skipped: there is no comment, and UpdateOnly is set.
const (
	Created   Outcome = "created"
	Updated   Outcome = "updated"
	Unchanged Outcome = "unchanged"
	Skipped   Outcome = "skipped"
)

var idForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/-]{0,79}$`)

// CheckID returns an error for an invalid id.
func CheckID(id string) error {
	if !idForm.MatchString(id) {
		return fmt.Errorf("must have 1 to 80 letters, digits, dots, dashes, underscores and slashes, "+
			"and begin with a letter or digit, got %q", id)
	}
	return nil
}

// marker is an unused link definition, which Markdown does not render.
func marker(id string) string { return "[//]: # (vsla-report: " + id + ")\n\n" }

// account is who has written a comment, or whose the token is.
type account struct {
	// id is empty where the token may not ask for it, as that of an app may not.
	id string
	// app: not a person.
	app bool
}

// wrote reports whether a comment is the account's own, as far as that is known.
func (a account) wrote(n note) bool {
	if a.id == "" {
		return a.app && n.author.app
	}
	return a.id == n.author.id
}

// mayNotAsk reports whether err refuses the question whose a token is. Where the token is wrong, the next request is
// refused as well.
func mayNotAsk(err error) bool {
	return errors.Is(err, transport.ErrPermission) || errors.Is(err, transport.ErrSession)
}

// note is a comment that is there.
type note struct {
	// path is that of the comment in the API.
	path   string
	body   string
	author account
}

// service is the API of one forge.
type service interface {
	// caller returns whose the token is.
	caller(ctx context.Context) (account, error)
	// notes returns the comments that begin with the marker, the oldest first.
	notes(ctx context.Context, marker string) ([]note, error)
	create(ctx context.Context, body string) error
	update(ctx context.Context, n note, body string) error
}

// Post creates or updates the comment.
func Post(ctx context.Context, c Config, text string) (Outcome, error) {
	if err := CheckID(c.ID); err != nil {
		return "", fmt.Errorf("the id of the comment %w", err)
	}
	s, err := open(c)
	if err != nil {
		return "", err
	}
	body := marker(c.ID) + text
	for attempt := 1; ; attempt++ {
		outcome, err := put(ctx, s, c, body)
		// A request that got no usable response may have created the comment: look again before it is repeated.
		if _, uncertain := errors.AsType[*uncertainError](err); uncertain &&
			transport.Again(ctx, c.Sleep, err, 0, attempt) {
			continue
		}
		return outcome, err
	}
}

// put updates the first comment that the caller wrote, or creates one.
func put(ctx context.Context, s service, c Config, body string) (Outcome, error) {
	me, err := s.caller(ctx)
	if err != nil {
		return "", err
	}
	found, err := s.notes(ctx, strings.TrimSpace(marker(c.ID)))
	if err != nil {
		return "", err
	}
	for _, n := range found {
		if !me.wrote(n) {
			continue
		}
		if normal(n.body) == normal(body) {
			return Unchanged, nil
		}
		err := s.update(ctx, n, body)
		if err == nil {
			return Updated, nil
		}
		// The comment of another app, or deleted since the list.
		if !errors.Is(err, transport.ErrPermission) && !errors.Is(err, transport.ErrNotFound) {
			return "", err
		}
	}
	if c.UpdateOnly {
		return Skipped, nil
	}
	return Created, s.create(ctx, body)
}

// normal is a text as services return it: some change the ends of lines.
func normal(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")) }

// marked reports whether a comment begins with the marker, and returns it as a note.
func marked(body, mark, path string, author account) (note, bool) {
	return note{path, body, author}, strings.HasPrefix(normal(body), mark)
}

// open reads the environment of a pipeline.
func open(c Config) (service, error) {
	switch c.Forge {
	case GitHub:
		return openGitHub(c)
	case GitLab:
		return openGitLab(c)
	}
	return nil, fmt.Errorf("the service must be one of %s, got %q", strings.Join(Forges(), ", "), c.Forge)
}

// need returns variables of the environment, or an error with what to do about the first that is not set.
func (c Config) need(advice map[string]string, names ...string) ([]string, error) {
	values := make([]string, len(names))
	for i, name := range names {
		values[i] = strings.TrimSpace(c.Getenv(name))
		if values[i] == "" {
			what := cmp.Or(advice[name], "run this in a pipeline of a pull request on "+c.Forge+", or set the variable")
			return nil, fmt.Errorf("%s is not set: %s", name, what)
		}
	}
	return values, nil
}
