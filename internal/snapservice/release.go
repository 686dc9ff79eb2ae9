package snapservice

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Release returns the appliance's version.
func (c *Client) Release(ctx context.Context) (string, error) {
	return c.versions.Get(ctx, "", func(ctx context.Context) (string, error) {
		var result struct {
			Version string `json:"version"`
		}
		err := c.call(ctx, request{operation: getAbout}, &result)
		return Printable(result.Version), err
	})
}

// IsRelease90 reports whether the appliance runs release 9.0.
func (c *Client) IsRelease90(ctx context.Context) (bool, error) {
	version, err := c.Release(ctx)
	return version == "9.0" || strings.HasPrefix(version, "9.0."), err
}

// asReleaseError replaces the error with ErrRelease if the appliance runs release 9.0 and lacks the operation. It
// checks the version because the errors that release 9.0 returns are undocumented.
func (c *Client) asReleaseError(ctx context.Context, err error) error {
	if !mayMeanOldRelease(err) {
		return err
	}
	is90, failed := c.IsRelease90(ctx)
	if failed == nil && is90 {
		return fmt.Errorf("%w: %s", ErrRelease, err.Error())
	}
	return err
}

// mayMeanOldRelease reports whether an appliance that lacks an operation might return this error for it.
func mayMeanOldRelease(err error) bool {
	return errors.Is(err, ErrNoOperation) ||
		errors.Is(err, ErrNotFound) ||
		errors.Is(err, ErrInvalid) ||
		errors.Is(err, ErrRelease)
}
