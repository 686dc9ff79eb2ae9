// Where results are written.

package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// newFileMode is the mode of files that did not exist before.
const newFileMode = 0o644

// write passes standard output to content for an empty name or "-". Otherwise it replaces the file of that name in one
// step after content has succeeded: a reader never sees half of it, and a failure leaves the old file unchanged.
// Anything but a regular file, such as a device or a named pipe, is written directly.
func (p Program) write(name string, content func(io.Writer) error) (err error) {
	if name == "" || name == "-" {
		return content(p.Out)
	}
	mode := os.FileMode(newFileMode)
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	if info, err := os.Stat(name); err == nil {
		if !info.Mode().IsRegular() {
			return overwrite(name, content)
		}
		mode = info.Mode().Perm()
	}
	file, err := os.CreateTemp(filepath.Dir(name), ".vsla-*")
	if err != nil {
		return &os.PathError{Op: "write", Path: name, Err: err}
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file.Name()) // the first error counts
		}
	}()
	if err = errors.Join(content(file), file.Chmod(mode), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), name)
}

func overwrite(name string, content func(io.Writer) error) error {
	file, err := os.OpenFile(name, os.O_WRONLY, 0) //nolint:gosec // the file that the user names
	if err != nil {
		return err
	}
	return errors.Join(content(file), file.Close())
}

var plainWord = regexp.MustCompile(`^[\w./:\\=@%+,-]+$`)

// shellWord returns a word of a command line that a POSIX shell and PowerShell read as it is.
func shellWord(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
