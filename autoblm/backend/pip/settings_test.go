package pip

import (
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
	"github.com/autoblm/autoblm-go/autoblm/backend/probe/probetest"
	"github.com/google/go-cmp/cmp"
)

func contents(texts map[string]string) map[string][]byte {
	all := map[string][]byte{}
	for file, text := range texts {
		all[file] = []byte(text)
	}
	return all
}

// TestSettings: whose word counts, by pip's documentation of its configuration.
func TestSettings(t *testing.T) {
	index := func(name string) string { return "[global]\nindex-url = https://" + name + "/simple\n" }
	for name, c := range map[string]struct {
		variables map[string]string
		files     map[string]string
		want      string // the indexes
	}{
		"nobody":                       {nil, nil, "https://pypi.org/simple"},
		"the variable":                 {map[string]string{"PIP_INDEX_URL": "https://v/simple"}, map[string]string{"/etc/pip.conf": index("etc")}, "https://v/simple"},
		"an empty variable":            {map[string]string{"PIP_INDEX_URL": ""}, map[string]string{"/etc/pip.conf": index("etc")}, "https://etc/simple"},
		"further ones":                 {map[string]string{"PIP_EXTRA_INDEX_URL": "https://a https://b/"}, nil, "https://pypi.org/simple https://a https://b/"},
		"none":                         {map[string]string{"PIP_NO_INDEX": "1", "PIP_EXTRA_INDEX_URL": "https://a"}, nil, ""},
		"none, no":                     {map[string]string{"PIP_NO_INDEX": "off"}, nil, "https://pypi.org/simple"},
		"global":                       {nil, map[string]string{"/etc/pip.conf": index("etc")}, "https://etc/simple"},
		"/etc over xdg":                {nil, map[string]string{"/etc/pip.conf": index("etc"), "/etc/xdg/pip/pip.conf": index("xdg")}, "https://etc/simple"},
		"xdg elsewhere":                {map[string]string{"XDG_CONFIG_DIRS": "/a:/b"}, map[string]string{"/a/pip/pip.conf": index("a"), "/etc/xdg/pip/pip.conf": index("xdg")}, "https://a/simple"},
		"user over global":             {map[string]string{"HOME": "/h"}, map[string]string{"/etc/pip.conf": index("etc"), "/h/.config/pip/pip.conf": index("user")}, "https://user/simple"},
		"user over user's old":         {map[string]string{"HOME": "/h"}, map[string]string{"/h/.pip/pip.conf": index("old"), "/h/.config/pip/pip.conf": index("user")}, "https://user/simple"},
		"user's old":                   {map[string]string{"HOME": "/h"}, map[string]string{"/h/.pip/pip.conf": index("old")}, "https://old/simple"},
		"user elsewhere":               {map[string]string{"HOME": "/h", "XDG_CONFIG_HOME": "/x"}, map[string]string{"/x/pip/pip.conf": index("x"), "/h/.config/pip/pip.conf": index("user")}, "https://x/simple"},
		"environment over user":        {map[string]string{"HOME": "/h", "VIRTUAL_ENV": "/v"}, map[string]string{"/v/pip.conf": index("venv"), "/h/.config/pip/pip.conf": index("user")}, "https://venv/simple"},
		"the chosen file over all":     {map[string]string{"PIP_CONFIG_FILE": "/c.conf", "VIRTUAL_ENV": "/v"}, map[string]string{"/v/pip.conf": index("venv"), "/c.conf": index("chosen")}, "https://chosen/simple"},
		"and without the user's":       {map[string]string{"PIP_CONFIG_FILE": "/c.conf", "HOME": "/h"}, map[string]string{"/h/.pip/pip.conf": index("user"), "/c.conf": ""}, "https://pypi.org/simple"},
		"but global beside it":         {map[string]string{"PIP_CONFIG_FILE": "/c.conf"}, map[string]string{"/etc/pip.conf": index("etc"), "/c.conf": ""}, "https://etc/simple"},
		"one that is not there":        {map[string]string{"PIP_CONFIG_FILE": "/gone", "HOME": "/h"}, map[string]string{"/h/.pip/pip.conf": index("user")}, "https://user/simple"},
		"no file":                      {map[string]string{"PIP_CONFIG_FILE": "/dev/null", "HOME": "/h"}, map[string]string{"/etc/pip.conf": index("etc"), "/h/.pip/pip.conf": index("user")}, "https://pypi.org/simple"},
		"part by part":                 {map[string]string{"HOME": "/h"}, map[string]string{"/etc/pip.conf": index("etc"), "/h/.pip/pip.conf": "[global]\nextra-index-url = https://more\n"}, "https://etc/simple https://more"},
		"of installations":             {nil, map[string]string{"/etc/pip.conf": "[install]\nindex-url: https://install\n[global]\nindex-url: https://global\n[search]\nindex-url: https://search\n"}, "https://install"},
		"of installations, before all": {map[string]string{"HOME": "/h"}, map[string]string{"/etc/pip.conf": "[install]\nindex-url=https://install\n", "/h/.pip/pip.conf": index("user")}, "https://install"},
		"nothing said":                 {map[string]string{"HOME": "/h"}, map[string]string{"/etc/pip.conf": index("etc"), "/h/.pip/pip.conf": "[install]\nindex-url =\n"}, "https://etc/simple"},
		"several lines":                {nil, map[string]string{"/etc/pip.conf": "[global]\nextra-index-url =\n    https://a\n    https://b\n\nno-index = no\n"}, "https://pypi.org/simple https://a https://b"},
		"a folder":                     {map[string]string{"HOME": "/h"}, map[string]string{"/etc/pip.conf": "[global]\nindex-url = /srv/a b\nextra-index-url = ~/simple file:///c\n"}, "file:///srv/a%20b file:///h/simple file:///c"},
	} {
		s, err := SettingsOf(probetest.Machine(c.variables, contents(c.files)))
		if got := strings.Join(s.Indexes, " "); err != nil || got != c.want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, c.want)
		}
	}
}

// TestSignsInFiles: what Python's configparser makes of them.
func TestSignsInFiles(t *testing.T) {
	const text = "# of us\n[global]\n; no more\nINDEX_URL = https://u:p%40ss;w#d@h/%(a)s/simple#x\\\n--proxy: \"p\" \n"
	got, err := options(probetest.Machine(nil, contents(map[string]string{"/etc/pip.conf": text})))
	want := map[string]string{"index-url": `https://u:p%40ss;w#d@h/%(a)s/simple#x\`, "proxy": `"p"`}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}

// TestSettingsOnMacOS: where pip looks there.
func TestSettingsOnMacOS(t *testing.T) {
	const support = "/Users/u/Library/Application Support/pip/pip.conf"
	for want, there := range map[string][]string{
		"https://shared":  {"/Library/Application Support/pip/pip.conf", "/etc/pip.conf"},
		"https://support": {support, "/Users/u/.config/pip/pip.conf"},
		"https://config":  {"/Users/u/.config/pip/pip.conf", "/nowhere"},
	} {
		m := probetest.Machine(map[string]string{"HOME": "/Users/u"}, contents(map[string]string{
			there[0]: "[global]\nindex-url=" + want, there[1]: "[global]\nindex-url=https://other",
		}))
		m.System = "darwin"
		if s, err := SettingsOf(m); err != nil || !slices.Equal(s.Indexes, []string{want}) {
			t.Errorf("%v: %v, %v", there, s.Indexes, err)
		}
	}
}

// TestAllSettings: each one that counts, from files on a real disk.
func TestAllSettings(t *testing.T) {
	folder := t.TempDir()
	if filepath.VolumeName(folder) != "" {
		t.Skip("paths here have volumes")
	}
	file := filepath.Join(folder, "pip.conf")
	const text = "[global]\nproxy = proxy:3128\ncert = ~/ca.pem\ntrusted-host = a b:80\ntimeout = 2.5\n[install]\nfind-links = wheels https://links/page.html\nclient-cert = /own.pem\nno-index = yes\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, ".netrc"), []byte("machine h login u password p"), 0o600); err != nil {
		t.Fatal(err)
	}
	m := probetest.Machine(map[string]string{"PIP_CONFIG_FILE": file, "HOME": folder, "PWD": "/here"}, nil)
	m.Files = os.DirFS("/")
	got, err := SettingsOf(m)
	want := Settings{
		Links: []string{"file:///here/wheels", "https://links/page.html"}, Proxy: "proxy:3128", Certificates: filepath.Join(folder, "ca.pem"), Client: "/own.pem",
		Trusted: []string{"a", "b:80"}, Timeout: 2500 * time.Millisecond, Netrc: map[string]*url.Userinfo{"h": url.UserPassword("u", "p")},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(url.Userinfo{})); err != nil || diff != "" {
		t.Errorf("%v: %s", err, diff)
	}
	if s, err := SettingsOf(probetest.Machine(map[string]string{"CURL_CA_BUNDLE": "/curl.pem"}, nil)); err != nil || s.Certificates != "/curl.pem" {
		t.Errorf("the variable of pip's library: %+v, %v", s, err)
	}
}

// TestSettingsInVain: what cannot be meant is told, in one line and without a password.
func TestSettingsInVain(t *testing.T) {
	for says, c := range map[string]struct{ variables, files map[string]string }{
		"/etc/pip.conf cannot be read": {nil, map[string]string{"/etc/pip.conf": "[global\nindex-url = https://u:secret@a\n"}},
		"no-index":                     {map[string]string{"PIP_NO_INDEX": "perhaps"}, nil},
		"timeout":                      {map[string]string{"PIP_TIMEOUT": "soon"}, nil},
		"ftp://u:xxxxx@a":              {map[string]string{"PIP_INDEX_URL": "ftp://u:secret@a"}, nil},
		"no address":                   {map[string]string{"PIP_INDEX_URL": "https://u:secret@a:b:c"}, nil},
	} {
		_, err := SettingsOf(probetest.Machine(c.variables, contents(c.files)))
		if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "pip's") || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, which should say %q", err, says)
		}
	}
}

func TestNetrc(t *testing.T) {
	const text = "# of us\nmachine a login u password p # and so on\nmacdef init\nmachine not login x password y\n\n" +
		"machine b\n\tlogin v\n\taccount z\n\tpassword #q\ndefault login d password e\nmachine a login late password late"
	want := map[string]string{"a": "u:p", "b": "v:%23q", "": "d:e"}
	got := map[string]string{}
	for host, user := range parseNetrc(text) {
		got[host] = user.String()
	}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	m := probetest.Machine(map[string]string{"NETRC": "/n", "HOME": "/h"}, contents(map[string]string{"/n": "machine n login x", "/h/.netrc": text}))
	if got := netrcOf(m); len(got) != 1 || got["n"] == nil {
		t.Errorf("the file that is named: %v", got)
	}
}

func FuzzNetrc(f *testing.F) {
	f.Add("machine a login b password c\ndefault")
	f.Add("machine")
	f.Fuzz(func(t *testing.T, text string) {
		for host, user := range parseNetrc(text) {
			if !strings.Contains(text, host) || !strings.Contains(text, user.Username()) {
				t.Errorf("%q has %s", text, host)
			}
		}
	})
}

func FuzzConfiguration(f *testing.F) {
	f.Add("[global]\nindex-url = https://a\n  b\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := SettingsOf(probetest.Machine(nil, map[string][]byte{"/etc/pip.conf": []byte(text)}))
		if err == nil && len(s.Indexes)+len(s.Links) == 0 && !strings.Contains(strings.ToLower(text), "index") {
			t.Errorf("%q leaves nothing to ask", text)
		}
	})
}

// TestThisMachine: the settings here can be read.
func TestThisMachine(t *testing.T) {
	s, err := SettingsOf(probe.This())
	if err != nil {
		t.Skip("pip's settings here are unusual: ", err)
	}
	if _, err := NewClient(s); err != nil {
		t.Skip("pip's settings here are unusual: ", err)
	}
}
