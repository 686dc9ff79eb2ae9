package contract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/google/uuid"
)

func (d *Definition) validation() *openapi3filter.Options {
	return &openapi3filter.Options{
		IncludeResponseStatus: true,
		// Otherwise, the validator would add default values to the query.
		SkipSettingDefaults: true,
		AuthenticationFunc:  d.authenticate,
		SchemaValidationOptions: []openapi3.SchemaValidationOption{
			openapi3.WithStringFormatValidator("uuid", openapi3.NewCallbackValidator(isUUID)),
		},
	}
}

func isUUID(s string) error {
	if len(s) != 36 {
		return fmt.Errorf("%q is not a UUID", s)
	}
	return uuid.Validate(s)
}

// authenticate requires that credentials are present. Only the server can verify them.
func (d *Definition) authenticate(_ context.Context, in *openapi3filter.AuthenticationInput) error {
	r := in.RequestValidationInput.Request
	if in.SecuritySchemeName == "SessionHeader" {
		if r.Header.Get(d.options.SessionHeader) == "" {
			return errors.New("missing header " + d.options.SessionHeader)
		}
		return nil
	}
	if _, _, ok := r.BasicAuth(); !ok {
		return errors.New("missing basic authentication")
	}
	return nil
}

type checked struct {
	contract *Definition
	input    *openapi3filter.RequestValidationInput
	route    *routers.Route
	answerOf func(status int, body []byte, success int) (int, []byte, error)
	err      error
}

func (k checked) answer(ctx context.Context, status int, header http.Header, body []byte) error {
	if k.answerOf != nil {
		var err error
		status, body, err = k.answerOf(status, body, k.success())
		if err != nil {
			return err
		}
	}
	return openapi3filter.ValidateResponse(ctx, &openapi3filter.ResponseValidationInput{
		RequestValidationInput: k.input,
		Status:                 status,
		Header:                 header,
		Body:                   io.NopCloser(bytes.NewReader(body)),
		Options:                k.contract.validation(),
	})
}

// success returns the lowest status of the operation, which is that of its success.
func (k checked) success() int {
	lowest := 0
	for text := range k.route.Operation.Responses.Map() {
		status, err := strconv.Atoi(text)
		isLower := lowest == 0 || status < lowest
		if err == nil && isLower {
			lowest = status
		}
	}
	return lowest
}
