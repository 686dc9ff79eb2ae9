// Package quantity implements the provider functions parse_size_gib, parse_rate_mbps, transfer_seconds and
// format_duration, which are based on internal/plan/quantity.
package quantity

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/provider/kit/types/anynumber"
)

type quantityFunction struct {
	name       string
	definition function.Definition
	run        func(context.Context, function.ArgumentsData) (any, *function.FuncError)
}

// Metadata sets the function name.
func (f quantityFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = f.name
}

// Definition sets the function definition.
func (f quantityFunction) Definition(
	_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse,
) {
	resp.Definition = f.definition
}

// Run computes the result.
func (f quantityFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	value, err := f.run(ctx, req.Arguments)
	if err != nil {
		resp.Error = err
		return
	}
	resp.Error = resp.Result.Set(ctx, value)
}

// NewParseSize returns the function parse_size_gib.
func NewParseSize() function.Function {
	return quantityFunction{
		name: "parse_size_gib",
		definition: function.Definition{
			Summary: "Parses a size and returns GiB",
			MarkdownDescription: "Parses a size such as `\"102400 MB\"` or `\"1.5 TiB\"` and returns it in GiB (2^30 " +
				"bytes). kB, MB, GB, TB, PB and EB are powers of 1,000. KiB, MiB, GiB, TiB, PiB and EiB are powers " +
				"of 1,024. Units are case-sensitive, because `b` means bit. An ambiguous unit such as `Mb` causes an " +
				"error.",
			Parameters: []function.Parameter{
				function.StringParameter{
					Name: "size",
					MarkdownDescription: "Number followed by a unit. Use a point as the decimal separator and no " +
						"thousands separators.",
				},
			},
			Return: function.Float64Return{},
		},
		run: parse(func(text string) (float64, error) {
			size, err := quantity.ParseSize(text)
			return size.GiB(), err
		}),
	}
}

// NewParseRate returns the function parse_rate_mbps.
func NewParseRate() function.Function {
	return quantityFunction{
		name: "parse_rate_mbps",
		definition: function.Definition{
			Summary: "Parses a transfer rate and returns Mbit/s",
			MarkdownDescription: "Parses a rate such as `\"112.625 MB/s\"`, `\"901 Mbit/s\"`, `\"10 Gbps\"` or `\"55 " +
				"MiB/s\"` and returns it in Mbit/s (10^6 bit/s). `bit/s`, `b/s` and `bps` are bits per second. `B/s` " +
				"and `Bps` are bytes per second. The prefixes k, M, G, T, P and E are powers of 1,000. Ki, Mi, Gi, " +
				"Ti, Pi and Ei are powers of 1,024.",
			Parameters: []function.Parameter{
				function.StringParameter{
					Name: "rate",
					MarkdownDescription: "Number followed by a unit. Use a point as the decimal separator and no " +
						"thousands separators.",
				},
			},
			Return: function.Float64Return{},
		},
		run: parse(func(text string) (float64, error) {
			rate, err := quantity.ParseRate(text)
			return rate.Mbps(), err
		}),
	}
}

func parse(
	read func(string) (float64, error),
) func(context.Context, function.ArgumentsData) (any, *function.FuncError) {
	return func(ctx context.Context, arguments function.ArgumentsData) (any, *function.FuncError) {
		var text string
		if err := arguments.Get(ctx, &text); err != nil {
			return nil, err
		}
		value, err := read(text)
		if err != nil {
			return nil, function.NewArgumentFuncError(0, err.Error())
		}
		return value, nil
	}
}

// NewTransferSeconds returns the function transfer_seconds.
func NewTransferSeconds() function.Function {
	parameters := []string{"gib", "mbps"}
	return quantityFunction{
		name: "transfer_seconds",
		definition: function.Definition{
			Summary: "Computes the transfer time over a link",
			MarkdownDescription: "Returns the time to transfer an amount of data, in seconds: `gib * 2^33 / (mbps * " +
				"10^6)`.",
			Parameters: []function.Parameter{
				function.Float64Parameter{
					CustomType: anynumber.Type{},
					Name:       parameters[0],
					MarkdownDescription: "Amount of data, in GiB (2^30 bytes). Must be " +
						quantity.RangeTransferGiB.String() + ".",
				},
				function.Float64Parameter{
					CustomType: anynumber.Type{},
					Name:       parameters[1],
					MarkdownDescription: "Rate, in Mbit/s (10^6 bit/s). Must be " +
						quantity.RangeTransferMbps.String() + ".",
				},
			},
			Return: function.Float64Return{},
		},
		run: func(ctx context.Context, arguments function.ArgumentsData) (any, *function.FuncError) {
			var gib, mbps float64
			if err := arguments.Get(ctx, &gib, &mbps); err != nil {
				return nil, err
			}
			seconds, err := quantity.TransferSeconds(gib, mbps)
			return seconds, argumentError(err, parameters)
		},
	}
}

func argumentError(err error, parameters []string) *function.FuncError {
	if err == nil {
		return nil
	}
	if list, ok := errors.AsType[plan.InputErrors](err); ok {
		for i, name := range parameters {
			if list[0].Path.String() == name {
				return function.NewArgumentFuncError(int64(i), list[0].Reason)
			}
		}
	}
	return function.NewFuncError(err.Error())
}

// NewFormatDuration returns the function format_duration.
func NewFormatDuration() function.Function {
	return quantityFunction{
		name: "format_duration",
		definition: function.Definition{
			Summary: "Formats seconds as days, hours, minutes and seconds",
			MarkdownDescription: "Formats a duration in seconds. For example, `13638.2` becomes `3h 47m 18s`. " +
				"Durations are rounded to whole seconds. Durations below one second are formatted in milliseconds.",
			Parameters: []function.Parameter{
				function.Float64Parameter{
					CustomType: anynumber.Type{},
					Name:       "seconds",
					MarkdownDescription: "Duration, in seconds. Must be between 0 " +
						"and 10^12.",
				},
			},
			Return: function.StringReturn{},
		},
		run: func(ctx context.Context, arguments function.ArgumentsData) (any, *function.FuncError) {
			var seconds float64
			if err := arguments.Get(ctx, &seconds); err != nil {
				return nil, err
			}
			text, err := quantity.FormatDuration(seconds)
			if err != nil {
				return nil, function.NewArgumentFuncError(0, err.Error())
			}
			return text, nil
		},
	}
}
