package actions

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/snapservice"
)

// snapshotModel contains the arguments of vsla_protection_group_snapshot.
type snapshotModel struct {
	model

	Name   types.String `tfsdk:"name"`
	Hours  types.Int64  `tfsdk:"keep_hours"`
	Days   types.Int64  `tfsdk:"keep_days"`
	Weeks  types.Int64  `tfsdk:"keep_weeks"`
	Months types.Int64  `tfsdk:"keep_months"`
	Years  types.Int64  `tfsdk:"keep_years"`
}

// retention returns the only period that is set.
func (m snapshotModel) retention() snapservice.Period {
	for unit, n := range map[string]types.Int64{
		snapservice.Hour:  m.Hours,
		snapservice.Day:   m.Days,
		snapservice.Week:  m.Weeks,
		snapservice.Month: m.Months,
		snapservice.Year:  m.Years,
	} {
		if !n.IsNull() {
			return snapservice.Period{Unit: unit, Duration: n.ValueInt64()}
		}
	}
	return snapservice.Period{}
}

// NewSnapshot returns the action vsla_protection_group_snapshot.
func NewSnapshot() action.Action {
	units := []string{"hours", "days", "weeks", "months", "years"}
	arguments := map[string]schema.Attribute{
		"name": schema.StringAttribute{
			MarkdownDescription: "Name of the snapshot.",
			Required:            true,
			Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
		},
	}
	expressions := make([]path.Expression, 0, len(units))
	for _, unit := range units {
		expressions = append(expressions, path.MatchRoot("keep_"+unit))
	}
	for _, unit := range units {
		arguments["keep_"+unit] = schema.Int64Attribute{
			MarkdownDescription: "Retention of the snapshot, in " + unit + ". Must be at least 1. Exactly one of the " +
				"`keep_*` arguments is required, because a snapshot without retention never expires.",
			Optional:   true,
			Validators: []validator.Int64{int64validator.AtLeast(1), int64validator.ExactlyOneOf(expressions...)},
		}
	}
	return &groupAction[snapshotModel]{
		Action: base.Action{TypeName: "vsla_protection_group_snapshot"},
		verb:   "Take Snapshot of",
		doc: "Takes a local snapshot of all members of a protection group and waits until it is complete. If the " +
			"snapshot of a VM fails, the action fails, and the snapshot contains the other VMs. A local snapshot " +
			"does not replace replication.",
		arguments: arguments,
		ids:       func(m snapshotModel) (cluster, id types.String) { return m.ids() },
		run: func(ctx context.Context, to target, m snapshotModel) (string, error) {
			snapshot, err := to.client.Snapshot(ctx, to.cluster, to.id, m.Name.ValueString(), m.retention(), to.wait)
			if err == nil && snapshot.Failed > 0 {
				err = fmt.Errorf("%w for %d of %d VMs; snapshot %s contains the other VMs",
					snapservice.ErrTask, snapshot.Failed, snapshot.Total, snapshot.ID)
			}
			return fmt.Sprintf("snapshot %s of %d VMs", snapshot.ID, snapshot.Successful), err
		},
	}
}
