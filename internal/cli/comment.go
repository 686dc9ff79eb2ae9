// The comment of a pull request.

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"terraform-provider-vsla/internal/report/comment"
	"terraform-provider-vsla/internal/report/difference"
)

// When a comment is written.
const (
	commentAlways  = "always"
	commentChanged = "changed"
)

// commentPrinted in place of a service prints the comment.
const commentPrinted = "-"

// commentOptions are the flags of a comment.
type commentOptions struct{ forge, id, when string }

func (o *commentOptions) addTo(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.forge, "comment", "",
		"Write what changed into the pull request of this `SERVICE`: "+strings.Join(comment.Forges(), " or ")+
			". One comment is created and then updated. Token, repository and pull request come from the environment of "+
			"the pipeline: GITHUB_TOKEN or GITLAB_TOKEN. With -, the comment is printed and nothing is sent.")
	flags.StringVar(&o.id, "comment-id", "default",
		"Distinguish the comments of several configurations in one pull request by this `ID`.")
	flags.StringVar(&o.when, "comment-when", commentAlways,
		"When to comment: `always|changed`; changed creates no comment where nothing changes, and updates one that is there.")
	fixed := func(values ...string) cobra.CompletionFunc {
		return cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
	}
	// The only error is that the flag has not been added.
	_ = cmd.RegisterFlagCompletionFunc("comment", fixed(comment.Forges()...))
	_ = cmd.RegisterFlagCompletionFunc("comment-when", fixed(commentAlways, commentChanged))
}

// check checks the flags. A comment is one about a difference.
func (o *commentOptions) check(baseline bool) error {
	if o.forge == "" {
		return nil
	}
	if o.forge != commentPrinted && !slices.Contains(comment.Forges(), o.forge) {
		return fmt.Errorf("--comment must be one of %s, or - to print the comment, got %q",
			strings.Join(comment.Forges(), ", "), o.forge)
	}
	if o.when != commentAlways && o.when != commentChanged {
		return fmt.Errorf("--comment-when must be always or changed, got %q", o.when)
	}
	if err := comment.CheckID(o.id); err != nil {
		return fmt.Errorf("--comment-id %w", err)
	}
	if !baseline {
		return errors.New("--comment needs --baseline, the plan or state to compare with; `terraform show -json` without " +
			"a plan file prints the state")
	}
	return nil
}

// post writes the comment, where one is asked for.
func (p Program) post(ctx context.Context, d *difference.Difference, o commentOptions) error {
	if o.forge == "" {
		return nil
	}
	text := d.Markdown(comment.Space(o.id))
	if o.forge == commentPrinted {
		_, err := io.WriteString(p.Out, text)
		return err
	}
	config := comment.Standard
	if p.Comment != nil {
		config = p.Comment
	}
	c := config(o.forge, o.id)
	c.UpdateOnly = o.when == commentChanged && !d.Changed()
	outcome, err := comment.Post(ctx, c, text)
	if err != nil {
		return fmt.Errorf("cannot comment: %w", err)
	}
	fmt.Fprintf(p.Err, "Comment %s.\n", outcome)
	return nil
}
