package vcsim

import (
	"net/http"

	_ "github.com/vmware/govmomi/sts/simulator"

	"terraform-provider-vsla/internal/dev/lab/tagging"
)

const libraryPath = "/api/content/library"

// Library returns the only content library. It is not affected by roles on the root folder. Use Tags().Hide to hide it
// from lists of attached objects.
func (*VCenter) Library() tagging.Object {
	return tagging.Object{Type: "com.vmware.content.Library", ID: "40000000-0000-4000-8000-000000000001"}
}

func (v *VCenter) serveLibraries(w http.ResponseWriter, r *http.Request) {
	switch {
	case !v.tags.HasAPI() || r.Method != http.MethodGet:
		tagging.NoSuchOperation(w, r)
	case !v.sessions.valid(r):
		v.sessions.refuse(w, r)
	default:
		tagging.Answer(w, tagging.API, http.StatusOK, []string{v.Library().ID})
	}
}
