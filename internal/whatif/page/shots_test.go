package page_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"terraform-provider-vsla/internal/dev/browser"
)

// TestShots writes screenshots of the page that VSLA_TEST_PAGE names into the folder VSLA_TEST_SHOTS.
func TestShots(t *testing.T) {
	dir, name := os.Getenv("VSLA_TEST_SHOTS"), os.Getenv("VSLA_TEST_PAGE")
	if dir == "" {
		t.Skip("VSLA_TEST_SHOTS names no folder")
	}
	p := browser.New(t)
	for _, width := range []int{1280, 390} {
		for _, scheme := range []string{"light", "dark"} {
			p.View(width, scheme)
			p.Open("about:blank")
			p.Open("file://" + name)
			p.Wait(ready)
			if script := os.Getenv("VSLA_TEST_DO"); script != "" {
				p.Eval(script, nil)
				p.Wait(ready)
			}
			for _, whole := range []bool{false, true} {
				file := filepath.Join(dir, strconv.Itoa(width)+scheme+map[bool]string{true: "-whole"}[whole]+".png")
				if err := os.WriteFile(file, p.Screenshot(whole), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	t.Log(p.Console())
}
