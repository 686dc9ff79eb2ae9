package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"terraform-provider-vsla/internal/cli/adopt"
	"terraform-provider-vsla/internal/connect"
)

const newFolderMode = 0o755

type adoptOptions struct {
	scope        adopt.Scope
	name, folder string
}

func (p Program) adoptCommand() *cobra.Command {
	var o adoptOptions
	cmd := &cobra.Command{
		Use:   "adopt --output FOLDER [flags]",
		Short: "Write the Terraform configuration for tags and replications that exist",
		Long: "Reads tag categories, tags and their objects from vCenter, and replications from a vSphere Replication " +
			"appliance if " + connect.ReplicationServer + " is set. It writes a folder of configuration with an import block " +
			"for everything, so that the first plan shows imports and nothing else. It changes nothing on the servers. The " +
			"connection comes from the environment variables of the provider; none of it is written. The file ADOPTED.md " +
			"lists what was left out and why, and where tags and RPOs disagree.",
		Example: "  " + programName + " adopt --output estate\n" +
			"  " + programName + " adopt --output estate --category sla --folder prod --name '^db-'",
		Args: cobra.NoArgs,
		Annotations: map[string]string{codesAnnotation: `  0  written
  1  something cannot be read or written
  2  wrong flags or settings
`},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.complete(); err != nil {
				return err
			}
			return p.writeAdopted(cmd.Context(), o)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&o.folder, "output", "o", "", "The `FOLDER` to write. Files in it that differ are not replaced.")
	flags.StringArrayVar(&o.scope.Categories, "category", nil,
		"Only the tag category of this `NAME`. May be repeated. Default: all but those of Site Recovery Manager.")
	flags.StringArrayVar(&o.scope.Folders, "folder", nil,
		"Only VMs in the folder of this `NAME` or inventory path. May be repeated.")
	flags.StringArrayVar(&o.scope.Clusters, "cluster", nil,
		"Only VMs in the cluster of this `NAME` or inventory path. May be repeated.")
	flags.StringVar(&o.name, "name", "", "Only VMs whose name this `REGEX` matches.")
	flags.StringVar(&o.scope.TierCategory, "tier-category", "",
		"The tag category of this `NAME` has the tiers. Default: the only one whose tags replicated VMs carry.")
	// SetAnnotation fails only if the flag does not exist.
	_ = flags.SetAnnotation("output", requiredAnnotation, []string{"true"})
	return cmd
}

func (o *adoptOptions) complete() error {
	if o.folder == "" {
		return errors.New("--output must name the folder to write")
	}
	if o.name == "" {
		return nil
	}
	var err error
	if o.scope.Name, err = regexp.Compile(o.name); err != nil {
		return fmt.Errorf("--name: %w", err)
	}
	return nil
}

func (p Program) writeAdopted(ctx context.Context, o adoptOptions) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	clients, end, err := p.newClients(false)
	if err != nil {
		return err
	}
	var read adopt.Reading
	p.withProgressCount("Reading tags and replications", func(count func(done, all int)) {
		defer end(ctx)
		read, err = adopt.Reader{VSphere: clients.VSphere, Replication: clients.Replication, Count: count}.Read(ctx, o.scope)
	})
	if ctx.Err() != nil {
		return errInterrupted
	}
	if scope, ok := errors.AsType[*adopt.ScopeError](err); ok {
		return scope
	}
	if err != nil {
		return &failure{code: ExitError, err: err}
	}
	configuration := read.Configure()
	files, err := configuration.Files()
	if err == nil {
		err = p.writeFolder(o.folder, files)
	}
	if err == nil {
		err = configuration.WriteSummary(p.Out)
	}
	if err == nil {
		_, err = fmt.Fprintf(p.Out, "\nNext:\n\n  cd %s\n  terraform init\n  terraform plan -out=adopt.tfplan\n"+
			"  terraform apply adopt.tfplan\n  rm imports.tf imports.json\n", shellWord(o.folder))
	}
	if err != nil {
		return &failure{code: ExitError, err: err}
	}
	return nil
}

func (p Program) writeFolder(folder string, files []adopt.File) error {
	var changed []string
	for _, file := range files {
		existing, err := os.ReadFile(filepath.Join(folder, file.Name)) //nolint:gosec // the user chooses the folder
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		case !bytes.Equal(existing, file.Content):
			changed = append(changed, file.Name)
		}
	}
	if len(changed) > 0 {
		return fmt.Errorf("the folder %s has other content in %s; nothing was written, name another folder with --output",
			folder, strings.Join(changed, ", "))
	}
	if err := os.MkdirAll(folder, newFolderMode); err != nil {
		return err
	}
	for _, file := range files {
		err := p.write(filepath.Join(folder, file.Name), func(w io.Writer) error {
			_, err := w.Write(file.Content)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
