// Files and folders by path.

package inventoryfile

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ReadPath reads an inventory from a file, or from a folder of CSV files.
func ReadPath(name string, o Options) (found Inventory, err error) {
	err = openPath(name, func(folder fs.FS) error {
		found, err = ReadFolder(folder, o)
		return err
	}, func(file *os.File) error {
		found, err = Read(file, o)
		return err
	})
	return found, err
}

// Digest returns the SHA-256 checksum of a file, or of the names and checksums of the CSV files in a folder.
func Digest(name string) ([]byte, error) {
	sum := sha256.New()
	err := openPath(name, func(folder fs.FS) error {
		names, err := csvFiles(folder)
		for _, name := range names {
			content, readErr := fs.ReadFile(folder, name)
			err = errors.Join(err, readErr)
			fmt.Fprintf(sum, "%x %s\n", sha256.Sum256(content), name)
		}
		return err
	}, func(file *os.File) error {
		_, err := io.Copy(sum, file)
		return err
	})
	return sum.Sum(nil), err
}

func openPath(name string, readFolder func(fs.FS) error, readFile func(*os.File) error) error {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return readFolder(os.DirFS(name))
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s: must be a regular file or a folder", name)
	}
	file, err := os.Open(name) //nolint:gosec // the user chooses the file
	if err != nil {
		return err
	}
	return errors.Join(readFile(file), file.Close())
}
