package comment_test

import (
	"net/http"
	"testing"

	"terraform-provider-vsla/internal/report/comment"
)

// TestPost_foreign: another user's comment is not changed, even if it has the marker.
func TestPost_foreign(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f *fake, r *run) {
		t.Helper()
		theirs := f.add(other, mark+"a copy")
		f.add(me, "A reply that quotes it:\n\n> "+mark)
		r.post(t, "ours", comment.Created)
		r.post(t, "ours again", comment.Updated)
		last := f.comments[len(f.comments)-1]
		if theirs.body != mark+"a copy" || len(f.comments) != 3 || last.body != mark+"ours again" {
			t.Errorf("%d comments, theirs is %q, the last %q", len(f.comments), theirs.body, last.body)
		}
	})
}

// TestPost_app: the token of a GitHub workflow may not ask whose it is. Its comments are those of an app, and a
// person's is left alone.
func TestPost_app(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden} {
		f := newFake(t, comment.GitHub)
		f.app = true
		f.intercept = func(name string, _ int, w http.ResponseWriter) bool {
			if name != "me" {
				return false
			}
			w.WriteHeader(status)
			return true
		}
		r := newRun(f)
		theirs := f.add(other, mark+"a copy by a person")
		r.post(t, "first", comment.Created)
		r.post(t, "second", comment.Updated)
		if theirs.body != mark+"a copy by a person" || len(f.comments) != 2 || f.comments[1].body != mark+"second" {
			t.Errorf("%d: %q, %d comments", status, theirs.body, len(f.comments))
		}
	}
}

// TestPost_anotherApp: whether the comment of an app is that of the token is not known. Where the service refuses the
// edit, or the comment was deleted since the list, the comment is created.
func TestPost_anotherApp(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusForbidden, http.StatusNotFound} {
		f := newFake(t, comment.GitHub)
		f.app = true
		f.intercept = func(name string, call int, w http.ResponseWriter) bool {
			switch {
			case name == "me":
				w.WriteHeader(http.StatusForbidden)
			case name == "update" && call == 1:
				w.WriteHeader(status)
			default:
				return false
			}
			return true
		}
		r := newRun(f)
		theirs := f.add(otherApp, mark+"of another app")
		r.post(t, "ours", comment.Created)
		if theirs.body != mark+"of another app" || f.count("update") != 1 || f.comments[1].body != mark+"ours" {
			t.Errorf("%d: %q, %d updates", status, theirs.body, f.count("update"))
		}
	}
}

// TestPost_nobody: where the service does not say whose the token is, no comment is taken for its own, and a refusal
// that is no matter of apps is an error.
func TestPost_nobody(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, f *fake, r *run) {
		t.Helper()
		status := http.StatusOK
		f.intercept = func(name string, _ int, w http.ResponseWriter) bool {
			if name != "me" {
				return false
			}
			w.WriteHeader(status)
			_, err := w.Write([]byte("{}"))
			return err == nil
		}
		theirs := f.add(other, mark+"a copy")
		r.post(t, "ours", comment.Created)
		if theirs.body != mark+"a copy" || f.count("update") != 0 {
			t.Errorf("their comment is %q after %d updates, want it unchanged", theirs.body, f.count("update"))
		}
		if f.forge == comment.GitHub {
			return
		}
		status = http.StatusForbidden
		if _, err := comment.Post(t.Context(), r.Config, "text"); err == nil || f.count("list") != 1 {
			t.Errorf("%v, %d requests for comments", err, f.count("list"))
		}
	})
}
