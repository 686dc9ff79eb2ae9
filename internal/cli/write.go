package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
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
