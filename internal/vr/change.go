package vr

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"terraform-provider-vsla/internal/transport"
)

// maxBusyAttempts is the maximum number of attempts while a replication is busy. At one attempt every slowPollInterval,
// they take five minutes.
const maxBusyAttempts = 21

// Change starts a change and waits for its task. It retries while the replication is busy, which can last for minutes
// after another change.
func (c *Client) Change(ctx context.Context, progress func(Task), start func(context.Context) (Task, error)) error {
	for attempt := 1; ; attempt++ {
		task, err := start(ctx)
		if err == nil {
			err = c.Wait(ctx, task, progress)
		}
		if attempt == maxBusyAttempts || !isBusy(err) {
			return err
		}
		if failed := c.config.Sleep(ctx, slowPollInterval); failed != nil {
			return fmt.Errorf("%w: %w", failed, err)
		}
	}
}

// busyWords matches the messages of temporary rejections, for which the API documents no error code.
var busyWords = regexp.MustCompile(`(?i)busy|in progress|another (?:operation|task)|being (?:re)?configured|try again`)

// loginWords matches messages about rejected logins. Such failures are not retried, because each attempt counts towards
// a lockout.
var loginWords = regexp.MustCompile(`(?i)password|credential|log ?in|authenticat`)

// isBusy reports whether a replication rejected a change only temporarily.
func isBusy(err error) bool {
	if result, ok := transport.AsAPIError(err); ok && !errors.Is(err, ErrUncertain) {
		text := result.Type + " " + strings.Join(result.Messages, " ")
		switch result.Status {
		case http.StatusConflict, http.StatusLocked:
			return true
		case http.StatusBadRequest:
			return isBusyText(text)
		}
		return false
	}
	failed, ok := errors.AsType[*TaskError](err)
	return ok && isBusyText(failed.Task.Message+" "+failed.Task.Details)
}

// isBusyText reports whether a message is about a busy replication, and not about a login.
func isBusyText(text string) bool {
	return busyWords.MatchString(text) && !loginWords.MatchString(text)
}
