package transport

import (
	"io"
	"net/http"
	"net/url"
)

// CheckRedirect returns a *RedirectError if resp is a redirect. Otherwise it returns nil.
func CheckRedirect(resp *http.Response) error {
	if resp.StatusCode < http.StatusMultipleChoices || resp.StatusCode >= http.StatusBadRequest {
		return nil
	}
	to := "no address"
	if location, err := resp.Location(); err == nil {
		to = location.Scheme + "://" + location.Host // omit the path, which may contain secrets
	}
	from := (&url.URL{Scheme: resp.Request.URL.Scheme, Host: resp.Request.URL.Host}).String()
	return &RedirectError{From: from, To: to}
}

// MaxResponseSize is the maximum size of a response in bytes.
const MaxResponseSize = 64 << 20

// LimitBody returns ErrTooLarge if the content length exceeds MaxResponseSize. Otherwise it replaces the body with a
// reader that fails with ErrTooLarge beyond MaxResponseSize.
func LimitBody(resp *http.Response) error {
	if resp.ContentLength > MaxResponseSize {
		return ErrTooLarge
	}
	resp.Body = &limitedBody{ReadCloser: resp.Body, remaining: MaxResponseSize}
	return nil
}

type limitedBody struct {
	io.ReadCloser

	remaining int64
}

// Read implements io.Reader.
func (l *limitedBody) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	l.remaining -= int64(n)
	if l.remaining < 0 {
		return 0, ErrTooLarge
	}
	return n, err
}
