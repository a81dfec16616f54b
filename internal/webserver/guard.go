// Package webserver has what the servers of this module share: who may ask, the headers of an
// answer, and an end that lets requests finish.
package webserver

import (
	"fmt"
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

// Guard adds headers that keep other sites out, and refuses requests with an unknown host name. A
// site that makes its name point to this machine (DNS rebinding) could read the answers in a
// browser, but its requests have its own name as their host. Known are IP addresses, localhost, the
// name of this machine and hosts. fix says how to use another name.
func Guard(next http.Handler, hosts []string, fix string) http.Handler {
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
		if !isKnown(r.Host, names) {
			Refuse(w, http.StatusForbidden, "unknown host name: "+fix)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Refuse sends an error as JSON (RFC 9457).
func Refuse(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"title":%q,"status":%d,"detail":%q}`+"\n",
		http.StatusText(status), status, detail)
}

// PrintedAddress is the fix of [Guard] for a server without an option for host names.
const PrintedAddress = "use the address that the server printed"

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
