package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"terraform-provider-vsla/internal/assess/document"
)

// openFile opens a file to read. It refuses a named pipe, because opening it waits for a writer. The descriptor of a
// process substitution, such as /dev/fd/63, is already open, so it is accepted.
func openFile(name string) (*os.File, error) {
	about, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !about.Mode().IsRegular() && !strings.HasPrefix(name, "/dev/fd/") && name != "/dev/stdin":
		return nil, fmt.Errorf("%s: must be a regular file; write the content of a pipe to a file first", name)
	}
	return os.Open(name) //nolint:gosec // the user chooses the file
}

// readAll reads a plan or a state from a file, or from standard input.
func readAll(name string, stdin io.Reader) ([]byte, error) {
	in := stdin
	if name != "-" {
		file, err := openFile(name)
		if err != nil {
			return nil, err
		}
		defer file.Close() //nolint:errcheck // nothing was written
		in = file
	}
	// One more byte shows that the file is too large.
	return io.ReadAll(io.LimitReader(in, document.MaxBytes+1))
}
