package calculator

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"terraform-provider-vsla/internal/plan/calculator"
)

// complete returns config with the results filled in. Configured values keep their full precision.
func complete(
	ctx context.Context, fields []calculator.Field, t tftypes.Type, config map[string]tftypes.Value,
	results map[string]any,
) (tftypes.Value, error) {
	values := make(map[string]tftypes.Value, len(fields))
	for _, f := range fields {
		var err error
		configured := config[f.Name]
		result := results[f.Name]
		switch {
		case f.Input && f.Kind == calculator.Objects && f.HasResult():
			values[f.Name], err = completeElements(ctx, f, configured, result)
		case f.Result && configured.IsNull():
			values[f.Name], err = fromPlain(result, typeOf(f).TerraformType(ctx))
		default:
			values[f.Name] = configured
		}
		if err != nil {
			return tftypes.Value{}, fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return tftypes.NewValue(t, values), nil
}

func completeElements(
	ctx context.Context, f calculator.Field, configured tftypes.Value, result any,
) (tftypes.Value, error) {
	if configured.IsNull() {
		return configured, nil
	}
	var elements map[string]tftypes.Value
	if err := configured.As(&elements); err != nil {
		return tftypes.Value{}, err
	}
	results, _ := result.(map[string]any)
	for key, e := range elements {
		var members map[string]tftypes.Value
		if err := e.As(&members); err != nil {
			return tftypes.Value{}, err
		}
		computed, ok := results[key].(map[string]any)
		if !ok {
			return tftypes.Value{}, fmt.Errorf("element %q has no result", key)
		}
		var err error
		elements[key], err = complete(ctx, f.Fields, e.Type(), members, computed)
		if err != nil {
			return tftypes.Value{}, fmt.Errorf("element %q: %w", key, err)
		}
	}
	return tftypes.NewValue(configured.Type(), elements), nil
}
