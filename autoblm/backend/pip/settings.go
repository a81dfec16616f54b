package pip

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
)

// usualIndex is pip's own.
const usualIndex = "https://pypi.org/simple"

// Settings say where packages come from, and how these places are reached.
type Settings struct {
	// Indexes are the addresses of pip's index-url and extra-index-url, in this order; none
	// where pip is told no-index.
	Indexes []string
	// Links are addresses of folders and pages with links to files (find-links), and of files.
	Links []string
	// Proxy is the address of the proxy for all; "" leaves it to HTTPS_PROXY and its kin.
	Proxy string
	// Certificates is the file of the authorities that are trusted, or a folder of such;
	// "" are the system's. Client is the file with a certificate of our own and its key, or "".
	Certificates, Client string
	// Trusted are hosts, some with a port, whose certificates are not looked at.
	Trusted []string
	// Timeout is how long a server may take to begin an answer.
	Timeout time.Duration
	// Netrc are credentials by host, "" for all others.
	Netrc map[string]*url.Userinfo
}

// known are the options that count here.
var known = []string{"index-url", "extra-index-url", "no-index", "find-links", "proxy", "cert", "client-cert", "trusted-host", "default-timeout", "timeout"}

// usualTimeout is longer than pip's 15 seconds: a mirror may fetch a gigabyte before it answers.
const usualTimeout = time.Minute

// SettingsOf are the settings that pip would have on a machine.
func SettingsOf(m probe.Machine) (Settings, error) {
	all, err := options(m)
	if err != nil {
		return Settings{}, err
	}
	s := Settings{
		Proxy: all["proxy"], Client: all["client-cert"], Certificates: all["cert"],
		Trusted: strings.Fields(all["trusted-host"]), Timeout: usualTimeout, Netrc: netrcOf(m),
	}
	for _, variable := range []string{"REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"} { // which pip's library hears
		if value, _ := m.Env(variable); s.Certificates == "" {
			s.Certificates = value
		}
	}
	for _, file := range []*string{&s.Certificates, &s.Client} {
		if *file != "" {
			*file = absolute(m, *file)
		}
	}
	for _, name := range []string{"default-timeout", "timeout"} {
		if all[name] == "" {
			continue
		}
		seconds, err := strconv.ParseFloat(all[name], 64)
		if err != nil || !(seconds > 0 && seconds < 1e9) {
			return Settings{}, fmt.Errorf("pip's setting %s is %q: it must be a number of seconds", name, all[name])
		}
		s.Timeout = time.Duration(seconds * float64(time.Second))
	}
	for _, link := range strings.Fields(all["find-links"]) {
		s.Links = append(s.Links, address(m, link))
	}
	none, err := isTrue(all["no-index"])
	if err != nil {
		return Settings{}, err
	}
	if !none {
		index := all["index-url"]
		if index == "" {
			index = usualIndex
		}
		for _, index := range append([]string{index}, strings.Fields(all["extra-index-url"])...) {
			s.Indexes = append(s.Indexes, address(m, index))
		}
	}
	for _, place := range slices.Concat(s.Links, s.Indexes) {
		if u, err := url.Parse(place); err != nil || !slices.Contains([]string{"http", "https", "file"}, u.Scheme) {
			return Settings{}, fmt.Errorf("pip's settings name the index %s: it must be the address of a web page, of a file, or a path", hidden(place))
		}
	}
	return s, nil
}

// isTrue reads a setting of yes or no with pip's words.
func isTrue(value string) (bool, error) {
	switch strings.ToLower(value) {
	case "y", "yes", "t", "true", "on", "1":
		return true, nil
	case "", "n", "no", "f", "false", "off", "0":
		return false, nil
	}
	return false, fmt.Errorf("pip's setting no-index is %q: write yes or no", value)
}

// address makes one of a path.
func address(m probe.Machine, place string) string {
	if strings.Contains(place, "://") || strings.HasPrefix(place, "file:") {
		return place
	}
	return (&url.URL{Scheme: "file", Path: absolute(m, place)}).String()
}

// hidden is an address without its password.
func hidden(place string) string {
	if u, err := url.Parse(place); err == nil {
		return u.Redacted()
	}
	return "that is no address" // which is not told, for it may have a password
}
