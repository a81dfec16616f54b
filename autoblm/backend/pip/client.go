package pip

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Client asks indexes and downloads files.
type Client struct {
	settings Settings
	web      *http.Client
}

// NewClient has the settings of a user, or says which of their files cannot be used.
func NewClient(s Settings) (*Client, error) {
	usual := http.DefaultTransport.(*http.Transport).Clone()
	usual.ResponseHeaderTimeout = s.Timeout
	usual.DialContext = (&net.Dialer{Timeout: s.Timeout}).DialContext
	usual.RegisterProtocol("file", http.NewFileTransport(http.Dir("/")))
	if s.Proxy != "" {
		proxy := s.Proxy
		if !strings.Contains(proxy, "://") {
			proxy = "http://" + proxy
		}
		u, err := url.Parse(proxy)
		if err != nil {
			return nil, fmt.Errorf("pip's setting proxy is no address of a proxy: write http://host:port")
		}
		usual.Proxy = http.ProxyURL(u)
	}
	usual.TLSClientConfig = &tls.Config{}
	if s.Certificates != "" {
		roots, err := authorities(s.Certificates)
		if err != nil {
			return nil, fmt.Errorf("pip's setting cert: %w", err)
		}
		usual.TLSClientConfig.RootCAs = roots
	}
	if s.Client != "" {
		own, err := tls.LoadX509KeyPair(s.Client, s.Client)
		if err != nil {
			return nil, fmt.Errorf("pip's setting client-cert: %w", err)
		}
		usual.TLSClientConfig.Certificates = []tls.Certificate{own}
	}
	t := transport{usual: usual, trusting: usual.Clone(), hosts: s.Trusted, credentials: map[string]*url.Userinfo{}, netrc: s.Netrc}
	t.trusting.TLSClientConfig.InsecureSkipVerify = true
	for _, place := range slices.Concat(s.Indexes, s.Links) {
		if u, err := url.Parse(place); err == nil && u.User != nil && t.credentials[u.Host] == nil {
			t.credentials[u.Host] = u.User
		}
	}
	return &Client{s, &http.Client{Transport: t, CheckRedirect: checkRedirect}}, nil
}

// authorities are the certificates of a file, or of a folder of files.
func authorities(place string) (*x509.CertPool, error) {
	files := []string{place}
	if entries, err := os.ReadDir(place); err == nil {
		files = nil
		for _, entry := range entries {
			files = append(files, filepath.Join(place, entry.Name()))
		}
	}
	pool, found := x509.NewCertPool(), false
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil && file == place {
			return nil, err
		}
		found = pool.AppendCertsFromPEM(content) || found
	}
	if !found {
		return nil, fmt.Errorf("%s has no certificate in it: name a file of authorities, in PEM", place)
	}
	return pool, nil
}

// checkRedirect keeps a page from sending us to files that lie here.
func checkRedirect(next *http.Request, before []*http.Request) error {
	switch {
	case next.URL.Scheme == "file" && before[0].URL.Scheme != "file":
		return fmt.Errorf("it sends us to a file of this machine")
	case len(before) > 20:
		return fmt.Errorf("it sends us round in a circle")
	}
	return nil
}

// transport adds to a request what is known of its host.
type transport struct {
	usual, trusting *http.Transport
	// hosts are trusted whatever their certificates.
	hosts       []string
	credentials map[string]*url.Userinfo
	netrc       map[string]*url.Userinfo
}

func (t transport) RoundTrip(request *http.Request) (*http.Response, error) {
	if user := t.user(request.URL); user != nil && request.Header.Get("Authorization") == "" && request.URL.Scheme != "file" {
		request = request.Clone(request.Context())
		password, _ := user.Password()
		request.SetBasicAuth(user.Username(), password)
	}
	if slices.Contains(t.hosts, request.URL.Host) || slices.Contains(t.hosts, request.URL.Hostname()) {
		return t.trusting.RoundTrip(request)
	}
	return t.usual.RoundTrip(request)
}

func (t transport) user(u *url.URL) *url.Userinfo {
	if user := t.credentials[u.Host]; user != nil {
		return user
	}
	if user := t.netrc[u.Hostname()]; user != nil {
		return user
	}
	return t.netrc[""]
}

// Error is a place that does not give what it was asked for.
type Error struct {
	// Address has no password in it.
	Address string
	// Status is that of the answer, or 0 where something else was wrong: Err.
	Status int
	Err    error
}

// Error says in one line who answers what.
func (e *Error) Error() string {
	if e.Status == 0 {
		return e.Address + " " + e.Err.Error()
	}
	text := fmt.Sprintf("%s: the server says %d %s", e.Address, e.Status, http.StatusText(e.Status))
	switch e.Status {
	case http.StatusUnauthorized, http.StatusForbidden:
		text += " (a name and a password go into its address in pip's settings, or into ~/.netrc)"
	}
	return text
}

// Unwrap is what else was wrong.
func (e *Error) Unwrap() error { return e.Err }

// Get opens a file or a page. No answer is an [Error], and so is any but 200.
func (c *Client) Get(ctx context.Context, address, accept string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("%s is no address", hidden(address))
	}
	if accept != "" {
		request.Header.Set("Accept", accept)
	}
	response, err := c.web.Do(request)
	var network *url.Error
	switch {
	case errors.As(err, &network):
		return nil, &Error{Address: host(network.URL), Err: fmt.Errorf("cannot be reached (%w)", network.Err)}
	case err != nil:
		return nil, err
	case response.StatusCode != http.StatusOK:
		response.Body.Close()
		return nil, &Error{Address: hidden(address), Status: response.StatusCode}
	}
	return response, nil
}

func host(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Host
	}
	return hidden(address)
}
