package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

const newFileMode = 0o644

// write calls content with standard output if name is empty or "-". Otherwise, it writes to a file, which is replaced
// atomically once content has succeeded. Devices and named pipes are written to directly.
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
			_ = os.Remove(file.Name()) // keep the first error
		}
	}()
	if err = errors.Join(content(file), file.Chmod(mode), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), name)
}

func overwrite(name string, content func(io.Writer) error) error {
	file, err := os.OpenFile(name, os.O_WRONLY, 0) //nolint:gosec // the user chooses the file
	if err != nil {
		return err
	}
	return errors.Join(content(file), file.Close())
}

// argument is a file that the command line names, and how it names it.
type argument struct{ as, file string }

// checkOutputs refuses an output that would replace an input or another output.
func checkOutputs(inputs []argument, outputs ...argument) error {
	for i, out := range outputs {
		for _, other := range outputs[:i] {
			if out.file == "-" && other.file == "-" {
				return fmt.Errorf("only one of %s and %s can write to standard output", other.as, out.as)
			}
		}
		for _, other := range slices.Concat(inputs, outputs[:i]) {
			if isSameFile(out.file, other.file) {
				return fmt.Errorf("%s %s is the same file as %s %s, which it would replace: write to another file",
					out.as, out.file, other.as, other.file)
			}
		}
	}
	return nil
}

// isSameFile reports whether two names are of one regular file, which need not exist yet.
func isSameFile(a, b string) bool {
	if a == "" || b == "" || a == "-" || b == "-" {
		return false
	}
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	switch {
	case errA == nil && errB == nil:
		return x.Mode().IsRegular() && os.SameFile(x, y)
	case errA == nil || errB == nil || filepath.Base(a) != filepath.Base(b):
		return false
	}
	x, errA = os.Stat(filepath.Dir(a))
	y, errB = os.Stat(filepath.Dir(b))
	return errA == nil && errB == nil && os.SameFile(x, y)
}
