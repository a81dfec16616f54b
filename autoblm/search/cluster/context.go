package cluster

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/adrg/xdg"
)

// defaultURL is the address of a server on this machine.
const defaultURL = "nats://127.0.0.1:4222"

// natsContext is a context of the program nats: how to reach a cluster. The other fields of its file,
// such as the description, do not matter here.
type natsContext struct {
	URL         string `json:"url"`
	User        string `json:"user"`
	Password    string `json:"password"`
	Token       string `json:"token"`
	Creds       string `json:"creds"`
	NKey        string `json:"nkey"`
	Cert        string `json:"cert"`
	Key         string `json:"key"`
	CA          string `json:"ca"`
	InboxPrefix string `json:"inbox_prefix"`
	TLSFirst    bool   `json:"tls_first"`
	// The following ones are not supported.
	NSC       string `json:"nsc"`
	Domain    string `json:"jetstream_domain"`
	APIPrefix string `json:"jetstream_api_prefix"`
	SOCKS     string `json:"socks_proxy"`
	UserJWT   string `json:"user_jwt"`
	UserSeed  string `json:"user_seed"`
	CertStore string `json:"windows_cert_store"`
	CertField string `json:"windows_cert_match_by"`
	CertMatch string `json:"windows_cert_match"`
}

// readContext reads the context with a name from the folder of the program nats.
func readContext(name string) (c natsContext, err error) {
	if name == "" || filepath.Base(name) != name {
		return c, fmt.Errorf("read the context %q: not a name; nats context ls lists them", name)
	}
	// The program nats uses ~/.config on all systems.
	config := cmp.Or(os.Getenv("XDG_CONFIG_HOME"), filepath.Join(xdg.Home, ".config"))
	file := filepath.Join(config, "nats", "context", name+".json")
	content, err := os.ReadFile(file)
	if err != nil {
		return c, fmt.Errorf("read the context %s: %w; nats context ls lists those that exist", name, err)
	}
	if err := json.Unmarshal(content, &c); err != nil {
		return c, fmt.Errorf("read the context %s: %s: %w", name, file, err)
	}
	for field, value := range map[string]string{
		"nsc": c.NSC, "jetstream_domain": c.Domain, "jetstream_api_prefix": c.APIPrefix,
		"socks_proxy": c.SOCKS, "user_jwt": c.UserJWT, "user_seed": c.UserSeed,
		"windows_cert_store": c.CertStore, "windows_cert_match_by": c.CertField,
		"windows_cert_match": c.CertMatch,
	} {
		if value != "" {
			return c, fmt.Errorf("read the context %s: %s is not supported; use another context, "+
				"or the flags for addresses, keys and certificates", name, field)
		}
	}
	for _, path := range []*string{&c.Creds, &c.NKey, &c.Cert, &c.Key, &c.CA} {
		*path = os.ExpandEnv(*path)
		if rest, inHome := strings.CutPrefix(*path, "~/"); inHome {
			*path = filepath.Join(xdg.Home, rest)
		}
	}
	return c, nil
}

// withContext returns the options with the values of their context where they have none, and with
// an address.
func (o Options) withContext() (Options, error) {
	if o.Context == "" {
		o.URL = cmp.Or(o.URL, defaultURL)
		return o, nil
	}
	c, err := readContext(o.Context)
	if err != nil {
		return o, err
	}
	o.URL = cmp.Or(o.URL, c.URL, defaultURL)
	if o.NKey == "" && o.Credentials == "" {
		o.NKey, o.Credentials = c.NKey, c.Creds
		o.user, o.password, o.token = c.User, c.Password, c.Token
		o.inbox = c.InboxPrefix // another user may not have the permission for it
	}
	if o.TLSCert == "" {
		o.TLSCert, o.TLSKey = c.Cert, c.Key
	}
	o.TLSCA = cmp.Or(o.TLSCA, c.CA)
	o.tlsFirst = c.TLSFirst
	return o, nil
}
