// Package browsertest opens pages in Chromium for tests. Without a browser the tests skip. The
// variable AUTOBLM_CHROMIUM names the browser if it is not on the path.
package browsertest

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// Variable names the environment variable with the path of the browser.
const Variable = "AUTOBLM_CHROMIUM"

// patience is the time after which a condition on a page counts as failed.
const (
	patience     = time.Minute
	pollInterval = 50 * time.Millisecond
)

// Browser is a running browser.
type Browser struct {
	t   testing.TB
	ctx context.Context
}

// Start starts a browser that ends with the test, or skips the test if there is none.
func Start(t testing.TB) *Browser {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path(t)),
		chromedp.UserDataDir(t.TempDir()),
		// Names of other machines do not exist for the browser.
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"),
	)
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium has none for root
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, end := chromedp.NewContext(allocator)
	t.Cleanup(end)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("start the browser: %v", err)
	}
	return &Browser{t, ctx}
}

// path returns the path of the browser, or skips the test.
func path(t testing.TB) string {
	t.Helper()
	names := []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}
	if given := os.Getenv(Variable); given != "" {
		names = []string{given}
	}
	for _, name := range names {
		if found, err := exec.LookPath(name); err == nil {
			return found
		}
	}
	t.Skipf("no browser: install Chromium, or set %s to its path", Variable)
	return ""
}
