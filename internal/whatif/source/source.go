// Package source makes the model of a page from an inventory file. It runs both in the program and in the page.
package source

import (
	"bytes"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/estate"
	"terraform-provider-vsla/internal/estate/inventoryfile"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/whatif"
	"terraform-provider-vsla/internal/wording"
)

// FromReview returns the model of a review.
func FromReview(file string, r *estate.Review) *whatif.Model {
	m := &whatif.Model{
		Kind:       "inventory",
		File:       file,
		Name:       "estate",
		TiersFile:  r.TiersFile,
		BlockedVMs: len(r.Blocked),
	}
	m.Contain(r.Plan, r.Moves)
	m.Notes = append(m.Notes, r.Notes...)
	for _, open := range r.OpenPoints {
		m.Open = append(m.Open, whatif.Gap{Name: open.Name, Text: open.Text})
	}
	return m
}

// Reader reads the files that a user gives to a page: an inventory, and optionally a tiers file.
type Reader struct {
	// Progress is called with the number of rows that have been read.
	Progress func(rows int)

	name      string
	content   []byte
	found     inventoryfile.Inventory
	groupings []estate.Grouping
	// tiersName is the name of the tiers file. It is empty for the initial tiers and for those of a grouping.
	tiersName, tiers string
}

// Choice is a way to assign the VMs to tiers.
type Choice struct {
	Text   string `json:"text"`
	Chosen bool   `json:"chosen"`
}

// Answer contains the model of the files, and what the page shows about them.
type Answer struct {
	Model   *whatif.Model `json:"model"`
	File    string        `json:"file"`
	VMs     int           `json:"vms"`
	Choices []Choice      `json:"choices"`
}

// Read reads a file. It returns nil if the file is a tiers file and there is no inventory yet.
func (r *Reader) Read(name string, content []byte) (*Answer, error) {
	name = wording.Clean(name)
	if ext := strings.ToLower(path.Ext(name)); ext == ".yaml" || ext == ".yml" {
		if _, err := estate.ReadTiers(name, bytes.NewReader(content)); err != nil {
			return nil, err
		}
		if r.content == nil {
			r.tiersName, r.tiers = name, string(content)
			return nil, nil //nolint:nilnil // there is no inventory yet
		}
		return r.apply(name, string(content), -1)
	}
	found, err := r.read(content, nil)
	if err != nil {
		return nil, errors.New(name + ": " + err.Error())
	}
	if len(found.VMs) == 0 {
		return nil, errors.New(name + ": the file contains no VMs")
	}
	before := *r
	r.name = name
	r.content = content
	r.found = found
	r.groupings = estate.Groupings(found)
	var answer *Answer
	if r.tiersName != "" {
		answer, err = r.apply(r.tiersName, r.tiers, -1)
	} else {
		answer, err = r.Group(0)
	}
	if err != nil {
		*r = before
	}
	return answer, err
}

// Group assigns the VMs to tiers by a choice. Choice 0 contains the tiers of --init.
func (r *Reader) Group(choice int) (*Answer, error) {
	if choice < 0 || choice >= len(r.groupings) {
		return nil, errors.New("there is no such choice")
	}
	var text strings.Builder
	command := "vsla review " + r.name + " --tiers tiers.yaml -o review.html"
	if err := estate.WriteTiers(&text, r.name, command, r.found, r.groupings[choice]); err != nil {
		return nil, err
	}
	return r.apply("", text.String(), choice)
}

// apply returns the model with a tiers file.
func (r *Reader) apply(name, text string, choice int) (*Answer, error) {
	tiers, err := estate.ReadTiers(name, strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	found := r.found
	if columns := tiers.Columns(); len(columns) > 0 {
		if found, err = r.read(r.content, columns); err != nil {
			return nil, errors.New(r.name + ": " + err.Error())
		}
	}
	review, err := estate.Prepare(r.name, found, tiers)
	if err != nil {
		return nil, err
	}
	r.tiersName, r.tiers = name, text
	if name == "" {
		r.tiers = ""
	}
	empty := dropEmpty(&review.Plan)
	model := FromReview(r.name, review)
	model.Empty = empty
	a := &Answer{Model: model, File: r.name, VMs: len(found.VMs)}
	for i, g := range r.groupings {
		a.Choices = append(a.Choices, Choice{g.Label(), choice == i})
	}
	return a, nil
}

// dropEmpty removes the tiers without VMs from the plan, unless all are empty. There is nothing to promise to them.
func dropEmpty(p *promise.Plan) []string {
	var empty []string
	for _, name := range slices.Sorted(maps.Keys(p.Tiers)) {
		if len(p.Tiers[name].VirtualMachines) == 0 {
			empty = append(empty, name)
		}
	}
	if len(empty) == len(p.Tiers) {
		return nil
	}
	for _, name := range empty {
		delete(p.Tiers, name)
	}
	return empty
}

func (r *Reader) read(content []byte, columns []string) (inventoryfile.Inventory, error) {
	o := inventoryfile.Options{Survey: true, Progress: r.Progress, KeepColumns: columns}
	found, err := inventoryfile.Read(bytes.NewReader(content), o)
	file, ok := errors.AsType[*inventoryfile.FileError](err)
	if !ok || file.Columns == nil {
		return found, err
	}
	// The page has no flags. The mapping is one with which the file can be read.
	o.Columns = file.Columns
	found, err = inventoryfile.Read(bytes.NewReader(content), o)
	for _, field := range slices.Sorted(maps.Keys(o.Columns)) {
		found.Notes = append(found.Notes, "The column "+o.Columns[field]+" is read as "+field+".")
	}
	return found, err
}
