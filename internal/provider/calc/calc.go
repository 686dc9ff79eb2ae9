// Package calc gives each calculator its two doors: a data source and a provider function, made from one schema, one
// model and one pure function, so that they cannot give different results.
//
// It knows nothing of what is calculated, opens no connection and is not configured: a calculator works with an empty
// provider block and no network.
package calc

import (
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-vsla/internal/plan"
)

// Calculator describes a calculator. M is its model: a struct with a tfsdk tag for each attribute.
type Calculator[M any] struct {
	// DataSource is the data source's full name, "vsla_replication_estimate".
	DataSource string
	// Function is the function's name, "replication_estimate".
	Function string
	// Summary is one line of plain text, Description Markdown.
	Summary, Description string
	// Attributes are the data source's: the computed ones are the result, the others the input.
	Attributes map[string]schema.Attribute
	// Compute reads the input from the model and writes the result into it. Input without a meaning is a
	// plan.InputErrors.
	Compute func(*M) error
}

// inputErrors takes a computation's error apart; what is no InputError is a defect of the provider.
func inputErrors(err error) ([]*plan.InputError, error) {
	if list, ok := errors.AsType[plan.InputErrors](err); ok {
		return list, nil
	}
	if one, ok := errors.AsType[*plan.InputError](err); ok {
		return []*plan.InputError{one}, nil
	}
	return nil, fmt.Errorf("this is a bug in the provider; please report it to its developers: %w", err)
}

// attributePath translates a path of the planning core into Terraform's.
func attributePath(p plan.Path) path.Path {
	at := path.Empty()
	for i, step := range p {
		switch {
		case i == 0:
			at = path.Root(step.Name)
		case step.Kind == plan.StepAttribute:
			at = at.AtName(step.Name)
		case step.Kind == plan.StepKey:
			at = at.AtMapKey(step.Name)
		default:
			at = at.AtListIndex(step.Index)
		}
	}
	return at
}
