package actions

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/vr"
)

type reconnect struct{ base.Action }

type reconnectModel struct {
	PairingID  types.String `tfsdk:"pairing_id"`
	Address    types.String `tfsdk:"remote_address"`
	Thumbprint types.String `tfsdk:"remote_thumbprint"`
	Force      types.Bool   `tfsdk:"force"`
	Wait       types.Bool   `tfsdk:"wait"`
	Timeout    types.String `tfsdk:"timeout"`
}

// NewReconnect returns the action vsla_replication_reconnect.
func NewReconnect() action.Action {
	return &reconnect{base.Action{TypeName: "vsla_replication_reconnect"}}
}

// thumbprint matches the SHA-1 or SHA-256 thumbprint of a certificate.
var thumbprint = regexp.MustCompile(`^[0-9A-Fa-f]{2}(?:(?::[0-9A-Fa-f]{2}){19}|(?::[0-9A-Fa-f]{2}){31})$`)

// Schema sets the schema.
func (a *reconnect) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reconnects the two sites of a pairing, for example after the certificate or the " +
			"address of the remote vCenter has changed. Logs in to the remote site with `remote_user` and " +
			"`remote_password` of the provider. Does nothing if the sites are connected, unless `force` is `true`. " +
			"Does not create a pairing or restore one that was broken deliberately." + docNotRepeated,
		Attributes: map[string]schema.Attribute{
			"pairing_id": schema.StringAttribute{
				MarkdownDescription: "UUID of the pairing.",
				Required:            true,
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"remote_address": schema.StringAttribute{
				MarkdownDescription: "Address of the Platform Services Controller at the remote site, as host or " +
					"host:port. Defaults to the remote vCenter of the pairing and port 443.",
				Optional:   true,
				Validators: []validator.String{isAddress{}},
			},
			"remote_thumbprint": schema.StringAttribute{
				MarkdownDescription: "SHA-256 or SHA-1 thumbprint of the certificate to trust at that address, such " +
					"as `5D:2B:...`. If not set, the appliance decides whether to trust the certificate.",
				Optional: true,
				Validators: []validator.String{stringvalidator.RegexMatches(thumbprint,
					"must be 32 or 20 pairs of hexadecimal digits separated by colons")},
			},
			"force": schema.BoolAttribute{
				MarkdownDescription: "Whether to reconnect the sites even if they are connected. Defaults to `false`.",
				Optional:            true,
			},
			"wait": schema.BoolAttribute{
				MarkdownDescription: "Whether to wait until the sites are connected. If `false`, the action waits " +
					"only until its task ends. Defaults to `true`.",
				Optional: true,
			},
			"timeout": timeoutSchema(stateTimeout),
		},
	}
}

// Invoke reconnects the sites and reports its progress.
func (a *reconnect) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config reconnectModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	c := a.Clients.Replication(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := withTimeout(ctx, config.Timeout, stateTimeout)
	defer cancel()
	err := config.reconnect(ctx, c, progressSender(resp))
	if err == nil {
		return
	}
	f := explain.Failure{
		Summary: fmt.Sprintf("Unable to Reconnect Pairing %q", config.PairingID.ValueString()),
		Err:     err,
	}
	if errors.Is(err, vr.ErrPairing) {
		at := path.Root("pairing_id")
		f.Attribute = &at
	}
	f.AddTo(&resp.Diagnostics)
}

func (m reconnectModel) reconnect(ctx context.Context, c *vr.Client, sendProgress func(string, ...any)) error {
	pairing := m.PairingID.ValueString()
	force := m.Force.ValueBool()
	if !force {
		connected, err := c.IsConnected(ctx, pairing)
		if err != nil {
			return err
		}
		if connected {
			sendProgress("nothing to do, the sites are connected")
			return nil
		}
	}
	host, port, err := splitAddress(m.Address.ValueString())
	if err != nil {
		return err
	}
	peer := vr.Peer{Host: host, Port: port, Thumbprint: m.Thumbprint.ValueString()}
	err = c.Change(ctx, func(t vr.Task) { sendProgress("task %s, %d%%", t.Status, t.Percent) },
		func(ctx context.Context) (vr.Task, error) { return c.Reconnect(ctx, pairing, peer) })
	unclear := errors.Is(err, vr.ErrUncertain) || errors.Is(err, vr.ErrTaskLost)
	wait := m.Wait.IsNull() || m.Wait.ValueBool()
	mayVerify := unclear && wait && !force // with force, the sites may have been connected before
	if err != nil && !mayVerify {
		return err
	}
	if !wait {
		sendProgress("the task is complete")
		return nil
	}
	if connectErr := c.AwaitConnected(ctx, pairing); connectErr != nil {
		return errors.Join(connectErr, err)
	}
	sendProgress("done, the sites are connected")
	return nil
}

// splitAddress splits an address, which is a host or host:port. An empty address yields an empty host.
func splitAddress(address string) (host string, port int32, err error) {
	if address == "" {
		return "", 0, nil
	}
	u, err := url.Parse("//" + address)
	if err != nil || u.Hostname() == "" || u.User != nil || u.Host != address {
		return "", 0, errAddress
	}
	if u.Port() == "" {
		return u.Hostname(), 0, nil
	}
	n, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil || n == 0 {
		return "", 0, errAddress
	}
	return u.Hostname(), int32(n), nil
}

var errAddress = errors.New("remote_address must be a host or host:port")

type isAddress struct{}

// Description describes the validation.
func (isAddress) Description(context.Context) string {
	return `value must be a host or host:port such as "vc.example.com" or "vc.example.com:443"`
}

// MarkdownDescription returns the result of Description.
func (v isAddress) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateString parses the address.
func (v isAddress) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if host, _, err := splitAddress(req.ConfigValue.ValueString()); err != nil || host == "" {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid Address", v.Description(ctx)+".")
	}
}
