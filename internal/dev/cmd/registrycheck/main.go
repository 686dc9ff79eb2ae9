// Command registrycheck signs a release with a new key, serves it from a registry with TLS on the loopback interface,
// and installs it from there with the CLI: init verifies the signature and the checksums, and plan runs the provider.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/armor"

	"terraform-provider-vsla/internal/dev/terraformcli"
)

const (
	project = "terraform-provider-vsla"
	sums    = "SHA256SUMS"
	api     = "/v1/providers/"
	files   = "/files/"
)

// configuration uses a calculator, which needs no connection.
const configuration = `terraform {
  required_providers {
    vsla = {
      source  = "%s/vsla/vsla"
      version = "%s"
    }
  }
}

data "vsla_link_throughput" "wan" {
  bandwidth_mbps = 1000
}

output "throughput" {
  value = data.vsla_link_throughput.wan.throughput_mbps
}
`

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: registrycheck FOLDER")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "registrycheck:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, dir string, output io.Writer) error {
	cli, err := terraformcli.FindOrBuild(ctx, "build", output)
	if err != nil {
		return err
	}
	r, err := newRegistry(dir)
	if err != nil {
		return err
	}
	return r.install(ctx, cli, output, "init", "plan")
}

// registry is a provider registry with one version for the platform of this machine.
type registry struct {
	dir     string
	version string
	archive string
	sum     string

	key       string
	keyID     string
	signature []byte
}

var listed = regexp.MustCompile(
	`(?m)^([0-9a-f]{64})  (` + project + `_(\S+)_` + runtime.GOOS + `_` + runtime.GOARCH + `\.zip)$`)

// newRegistry reads the checksums of a release and signs them with a new RSA key.
func newRegistry(dir string) (*registry, error) {
	text, err := os.ReadFile(filepath.Join(dir, sums)) //nolint:gosec // set by the Makefile
	if err != nil {
		return nil, err
	}
	found := listed.FindSubmatch(text)
	if found == nil {
		return nil, fmt.Errorf("%s lists no archive of the provider for %s_%s", sums, runtime.GOOS, runtime.GOARCH)
	}
	r := &registry{dir: dir, sum: string(found[1]), archive: string(found[2]), version: string(found[3])}
	signer, err := openpgp.NewEntity("vsla", "release check", "vsla@example.com", nil)
	if err != nil {
		return nil, err
	}
	var signature, key bytes.Buffer
	if err := openpgp.DetachSign(&signature, signer, bytes.NewReader(text), nil); err != nil {
		return nil, err
	}
	w, err := armor.Encode(&key, openpgp.PublicKeyType, nil)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(signer.Serialize(w), w.Close()); err != nil {
		return nil, err
	}
	r.signature = signature.Bytes()
	r.key = key.String()
	r.keyID = signer.PrimaryKey.KeyIdString()
	return r, nil
}

// handler implements the provider registry protocol, see
// https://developer.hashicorp.com/terraform/internals/provider-registry-protocol.
func (r *registry) handler() http.Handler {
	mux := http.NewServeMux()
	answer := func(path string, value any) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(value)
		})
	}
	protocols := []string{"6.0"}
	answer("/.well-known/terraform.json", map[string]any{"providers.v1": api})
	answer(api+"vsla/vsla/versions", map[string]any{"versions": []any{map[string]any{
		"version":   r.version,
		"protocols": protocols,
		"platforms": []any{map[string]any{"os": runtime.GOOS, "arch": runtime.GOARCH}},
	}}})
	answer(api+"vsla/vsla/"+r.version+"/download/"+runtime.GOOS+"/"+runtime.GOARCH, map[string]any{
		"protocols":             protocols,
		"os":                    runtime.GOOS,
		"arch":                  runtime.GOARCH,
		"filename":              r.archive,
		"shasum":                r.sum,
		"download_url":          files + r.archive,
		"shasums_url":           files + sums,
		"shasums_signature_url": files + sums + ".sig",
		"signing_keys": map[string]any{"gpg_public_keys": []any{
			map[string]any{"key_id": r.keyID, "ascii_armor": r.key},
		}},
	})
	mux.Handle("GET "+files, http.StripPrefix(files, http.FileServer(http.Dir(r.dir))))
	mux.HandleFunc("GET "+files+sums+".sig", func(w http.ResponseWriter, q *http.Request) {
		http.ServeContent(w, q, "", time.Time{}, bytes.NewReader(r.signature))
	})
	return mux
}

// install runs commands of a CLI in a folder that requires the provider from the registry.
func (r *registry) install(ctx context.Context, cli terraformcli.CLI, output io.Writer, commands ...string) error {
	server := httptest.NewTLSServer(r.handler())
	defer server.Close()
	dir, err := os.MkdirTemp("", "vsla-registry-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	host := strings.TrimPrefix(server.URL, "https://")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	for name, content := range map[string][]byte{
		"main.tf":    fmt.Appendf(nil, configuration, host, r.version),
		"ca.pem":     certificate,
		"empty.tfrc": nil,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			return err
		}
	}
	for _, command := range commands {
		cmd := exec.CommandContext(ctx, cli.Path, command, "-input=false", "-no-color") //nolint:gosec // the CLI found
		cmd.Dir = dir
		cmd.Stdout = output
		cmd.Stderr = output
		cmd.Env = append(os.Environ(), "SSL_CERT_FILE="+filepath.Join(dir, "ca.pem"), "NO_PROXY=127.0.0.1",
			"TF_CLI_CONFIG_FILE="+filepath.Join(dir, "empty.tfrc"))
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s %s: %w", cli.Name(), command, err)
		}
	}
	return nil
}
