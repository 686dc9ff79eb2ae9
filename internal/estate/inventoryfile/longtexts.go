// Limit of the memory that long cells need.

package inventoryfile

// longTexts contains the distinct long texts of a file.
type longTexts struct {
	texts map[string]bool
	bytes int
}

// addRow adds the long texts of a row. It returns an error if the texts become too large.
func (l *longTexts) addRow(r *row) error {
	vm := &r.vm
	texts := append([]string{
		vm.ID,
		vm.Name,
		vm.InstanceUUID,
		vm.Datacenter,
		vm.Cluster,
		vm.Host,
		vm.Folder,
		r.server,
		r.serverUUID,
		vm.UUID,
	}, vm.KeptCells...)
	for _, text := range texts {
		l.add(text)
		if l.bytes > maxLongBytes {
			return fileError(
				"row %d: the file has more than 16 MiB of text in cells of more than %d bytes",
				vm.Row,
				longText,
			)
		}
	}
	return nil
}

func (l *longTexts) add(text string) {
	if len(text) > longText && !l.texts[text] {
		l.texts[text] = true
		l.bytes += len(text)
	}
}
