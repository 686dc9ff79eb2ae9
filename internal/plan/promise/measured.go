package promise

import (
	"errors"
	"fmt"
	"maps"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
)

// Measurement is what vsla_replication_link reports about a link. Both numbers are nil if the link was not measured.
type Measurement struct {
	ThroughputMbps, AgeDays *float64
	// PairingID identifies the pairing whose appliance measured the link.
	PairingID string
}

const inputMeasured = "measured"

var measuredInputs = calculator.Inputs[Measurement]{
	calculator.Absent("min_throughput_mbps", RangeThroughputMbps, "Measured throughput, in Mbit/s.",
		func(m *Measurement) **float64 { return &m.ThroughputMbps }).Better(calculator.Higher),
	calculator.Absent("age_days", RangeAgeDays, "Age of the measurement, in days.",
		func(m *Measurement) **float64 { return &m.AgeDays }).Better(calculator.Lower),
	calculator.Choice("pairing_id", false, nil, "ID of the pairing whose appliance measured the link.",
		func(m *Measurement) *string { return &m.PairingID }).Neutral("it identifies the source"),
}

var (
	errNotMeasured = errors.New("is null, because the link was not measured or its unit is not known: run the action " +
		"vsla_replication_link_test, or set throughput_mbps in place of measured")
	errNoMeasurement = errors.New("requires measured, whose age it limits")
	errInMeasured    = errors.New("must not be set together with measured, whose basis is network")
)

// checkMeasured returns errors for what a measurement lacks, or contradicts.
func (l Link) checkMeasured(at plan.Path) plan.InputErrors {
	var errs plan.InputErrors
	if l.Measured == nil {
		if l.measurement == nil && l.MaxAgeDays != LinkDefaults().MaxAgeDays {
			errs = errs.With(at.Attr("max_age_days"), errNoMeasurement)
		}
		return errs
	}
	if l.ThroughputBasis != "" {
		errs = errs.With(at.Attr("throughput_basis"), errInMeasured)
	}
	switch m := at.Attr(inputMeasured); {
	case l.Measured.ThroughputMbps == nil:
		errs = errs.With(m.Attr("min_throughput_mbps"), errNotMeasured)
	case l.Measured.AgeDays == nil:
		errs = errs.With(m.Attr("age_days"), errNotMeasured)
	}
	return errs
}

// withMeasured returns the link with the throughput of its measurement.
func (l Link) withMeasured() Link {
	if l.Measured != nil {
		l.ThroughputMbps, l.ThroughputBasis = l.Measured.ThroughputMbps, plan.BasisNetwork
		l.measurement, l.Measured = l.Measured, nil
	}
	return l
}

func (p Plan) withMeasured() Plan {
	p.Links = maps.Clone(p.Links)
	for name, l := range p.Links {
		p.Links[name] = l.withMeasured()
	}
	return p
}

// isOld reports whether the throughput of a link was measured too long ago to be relied on.
func (l Link) isOld() bool { return l.measurement != nil && *l.measurement.AgeDays > l.MaxAgeDays }

func (m Measurement) ageText() string { return plan.Thousands(plan.Up.Round(*m.AgeDays, 1), -1) }

// source states where the throughput of a measured link comes from, and its age.
func (m Measurement) source() string {
	if m.PairingID == "" {
		return fmt.Sprintf("measured %s days ago", m.ageText())
	}
	return fmt.Sprintf("vsla_replication_link of pairing %s, measured %s days ago", m.PairingID, m.ageText())
}
