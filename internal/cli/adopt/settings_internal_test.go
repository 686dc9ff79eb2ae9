package adopt

import "testing"

// TestTextOf: a name cannot read as another in a pull request, and stays the name that it is.
func TestTextOf(t *testing.T) {
	t.Parallel()
	if got, want := textOf("a\u202egold\u2028\u009b<é>"), `"a\u202egold\u2028\u009b<é>"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
