package dashboard

import (
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strings"
)

// policy lets a page use its own styles and scripts and connect to this server, and nothing else.
const policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; " +
	"img-src data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; " +
	"frame-ancestors 'none'"

// guard lets only reading requests of this server's own pages pass. A site that makes its name
// point to this machine (DNS rebinding) could read the pages in a browser, but its requests have
// its own name as their host.
func guard(next http.Handler, hosts []string) http.Handler {
	names := append([]string{"localhost"}, hosts...)
	if own, err := os.Hostname(); err == nil {
		names = append(names, own)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		switch {
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			h.Set("Allow", "GET, HEAD")
			http.Error(w, "the dashboard only shows studies: use GET", http.StatusMethodNotAllowed)
		case !isKnown(r.Host, names):
			http.Error(w, "unknown host name: use the address that the dashboard printed",
				http.StatusForbidden)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// isKnown reports whether a Host header has an IP address or one of the names.
func isKnown(host string, names []string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host // without a port
	}
	if _, err := netip.ParseAddr(strings.Trim(name, "[]")); err == nil {
		return true
	}
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}
