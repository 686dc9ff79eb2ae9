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
		Short: "Write the Terraform configuration of existing tags and replications",
		Long: "Reads tag categories, tags and tagged objects from vCenter, and replications from a vSphere " +
			"Replication appliance if " + connect.ReplicationServer + " is set. Writes a folder with their " +
			"configuration and an import block for each of them: the first plan shows imports only. Does not change " +
			"anything on the servers. The connection is configured with the environment variables of the provider " +
			"and is not written to the folder. The file ADOPTED.md lists skipped objects with the reason, and VMs " +
			"whose RPO differs from the RPO of their tag.",
		Example: "  " + programName + " adopt --output estate\n" +
			"  " + programName + " adopt --output estate --category sla --folder prod --name '^db-'",
		Args: cobra.NoArgs,
		Annotations: map[string]string{codesAnnotation: `  0  configuration written
  1  a read or write failed
  2  invalid flags or settings
`},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.complete(); err != nil {
				return err
			}
			return p.writeAdopted(cmd.Context(), o)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&o.folder, "output", "o", "", "`FOLDER` for the configuration. Files with other content are kept.")
	flags.StringArrayVar(&o.scope.Categories, "category", nil,
		"`NAME` of a tag category to adopt. Can be repeated. Default: all except those of Site Recovery Manager.")
	flags.StringArrayVar(&o.scope.Folders, "folder", nil,
		"Only adopt VMs in the folder with this `NAME` or inventory path. Can be repeated.")
	flags.StringArrayVar(&o.scope.Clusters, "cluster", nil,
		"Only adopt VMs in the cluster with this `NAME` or inventory path. Can be repeated.")
	flags.StringVar(&o.name, "name", "", "Only adopt VMs whose name matches this `REGEX`.")
	flags.StringVar(&o.scope.TierCategory, "tier-category", "",
		"`NAME` of the tag category for tiers. Default: the category of the tags on replicated VMs, if there is only "+
			"one.")
	// SetAnnotation fails only if the flag does not exist.
	_ = flags.SetAnnotation("output", requiredAnnotation, []string{"true"})
	return cmd
}

func (o *adoptOptions) complete() error {
	if o.folder == "" {
		return errors.New("--output is required: the folder for the configuration")
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
	clients, end, err := p.newClients(replicationOptional)
	if err != nil {
		return err
	}
	var read adopt.Reading
	p.withProgressCount("Reading tags and replications", func(count func(done, all int)) {
		defer end(ctx)
		read, err = adopt.Reader{
			VSphere:     clients.VSphere,
			Replication: clients.Replication,
			Count:       count,
		}.Read(ctx, o.scope)
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
	if err := p.writeConfiguration(read.Configure(), o.folder); err != nil {
		return &failure{code: ExitError, err: err}
	}
	return nil
}

func (p Program) writeConfiguration(configuration adopt.Configuration, folder string) error {
	files, err := configuration.Files()
	if err != nil {
		return err
	}
	if err := p.writeFolder(folder, files); err != nil {
		return err
	}
	if err := configuration.WriteSummary(p.Out); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.Out, "\nNext:\n\n  cd %s\n  terraform init\n  terraform plan -out=adopt.tfplan\n"+
		"  terraform apply adopt.tfplan\n  rm imports.tf imports.json\n", shellWord(folder))
	return err
}

func (p Program) writeFolder(folder string, files []adopt.File) error {
	var changed []string
	for _, file := range files {
		existing, err := readAll(filepath.Join(folder, file.Name), nil)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		case !bytes.Equal(existing, file.Content):
			changed = append(changed, file.Name)
		}
	}
	if len(changed) > 0 {
		return fmt.Errorf("the folder %s already contains %s with other content; nothing was written, choose another "+
			"folder with --output", folder, strings.Join(changed, ", "))
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
