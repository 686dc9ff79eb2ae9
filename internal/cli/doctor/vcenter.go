package doctor

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vsphere"
)

type vcenterExaminer struct {
	*session

	client     *vsphere.Client
	categories []string
	// eventTypeIDs contains the IDs of the event types to read. replicatedVM is the ID of the VM whose events are
	// reported. It is empty if there is none.
	eventTypeIDs []string
	replicatedVM string
}

func (s *session) examineVCenter(ctx context.Context, client *vsphere.Client) {
	v := &vcenterExaminer{session: s, client: client}
	if err := v.connect(ctx); err != nil {
		s.report.Failed.add("vCenter: %s.", reason(err))
		s.report.noVCenter = true
		s.report.loginRefused = errors.Is(err, transport.ErrLogin)
		return
	}
	v.reportPermissions(ctx)
	for _, name := range []string{"config.vpxd.stats.maxQueryMetrics", "event.maxAge", "event.maxAgeEnabled"} {
		v.reportSetting(ctx, name)
	}
	for _, check := range vcenterChecks {
		if ctx.Err() != nil {
			s.report.Failed.add("vCenter: interrupted.")
			break
		}
		result, meaning := check.run(ctx, v)
		s.report.addCheck(check.id, result, meaning)
		s.countStep()
	}
	v.examineReplication(ctx)
	if ctx.Err() == nil {
		result, meaning := checkEndedSession(ctx, v)
		s.report.addCheck("ended-session", result, meaning)
	}
}

// connect logs in over SOAP and REST. It does not retry a rejected login, because that could lock the account.
func (v *vcenterExaminer) connect(ctx context.Context) error {
	about, err := v.client.About(ctx)
	if err != nil {
		return err
	}
	v.report.VCenter.add("Release %s, build %s, API %s.", v.versionText(about.Version), v.versionText(about.Build),
		v.versionText(about.APIVersion))
	if v.categories, err = v.client.CategoryIDs(ctx); err != nil {
		if errors.Is(err, transport.ErrPermission) {
			return nil
		}
		return err
	}
	v.report.VCenter.add("Tagging uses %s and lists %s.",
		cmp.Or(v.client.Protocol(), "an unknown path"), countText(len(v.categories), "category", "categories"))
	return nil
}

func (v *vcenterExaminer) reportSetting(ctx context.Context, name string) {
	value, set, err := v.client.Setting(ctx, name)
	switch {
	case err != nil:
		value = "cannot be read: " + reason(err)
	case !set:
		value = "not set, so the default applies"
	case !isNumber(strings.TrimPrefix(value, "-")) && value != "true" && value != "false":
		value = "neither a number nor a boolean"
	}
	v.report.limits = append(v.report.limits, []string{name, value})
}
