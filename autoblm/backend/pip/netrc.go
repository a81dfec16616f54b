package pip

import (
	"net/url"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
)

// netrcOf reads the file of credentials that the variable NETRC names, or that the home has.
func netrcOf(m probe.Machine) map[string]*url.Userinfo {
	chosen, _ := m.Env("NETRC")
	for _, file := range []string{chosen, "~/.netrc", "~/_netrc"} {
		if file == "" {
			continue
		}
		if content, err := read(m, file); err == nil {
			return parseNetrc(string(content))
		}
	}
	return nil
}

// parseNetrc gives names and passwords by host, those of all others by "". What is no such
// file gives none.
func parseNetrc(content string) map[string]*url.Userinfo {
	all := map[string]*url.Userinfo{}
	host, login, password, within := "", "", "", false
	keep := func() {
		if _, known := all[host]; within && login+password != "" && !known {
			all[host] = url.UserPassword(login, password)
		}
		host, login, password = "", "", ""
	}
	macro := false
	for line := range strings.Lines(content) {
		words := strings.Fields(line)
		if macro = macro && len(words) > 0; macro { // a macro ends with an empty line
			continue
		}
		for i := 0; i < len(words) && !strings.HasPrefix(words[i], "#"); i++ {
			word, value := words[i], ""
			if i+1 < len(words) {
				value = words[i+1]
			}
			switch word {
			case "default":
				keep()
				within = true
				continue
			case "machine":
				keep()
				host, within = value, value != ""
			case "login":
				login = value
			case "password":
				password = value
			case "macdef":
				macro = true
			}
			i++
		}
	}
	keep()
	return all
}
