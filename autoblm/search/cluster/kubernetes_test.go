package cluster

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/nats-io/nats-server/v2/server"
	"go.yaml.in/yaml/v3"
)

// TestKubernetesPermissions renders the values as the chart of NATS does, with variables of the
// environment, and lets the server read them: both roles have the permissions of [Serve].
func TestKubernetesPermissions(t *testing.T) {
	content, err := os.ReadFile("../../../docker/kubernetes/nats-values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var values struct {
		Config    struct{ Merge map[string]any }
		Container struct {
			Env map[string]struct{ Value string }
		}
	}
	if err := yaml.Unmarshal(content, &values); err != nil {
		t.Fatal(err)
	}
	users := map[string]string{}
	for _, name := range []string{"COORDINATOR", "WORKER"} {
		key, err := NewKey()
		if err != nil {
			t.Fatal(err)
		}
		users[name] = key.Public
		t.Setenv(name, key.Public)
		inbox := values.Container.Env[name+"_INBOX"].Value
		t.Setenv(name+"_INBOX", strings.ReplaceAll(inbox, "$("+name+")", key.Public))
	}
	config, err := json.Marshal(values.Config.Merge)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(string(config))
	text = regexp.MustCompile(`"<< (\$\w+) >>"`).ReplaceAllString(text, "$1")
	file := filepath.Join(t.TempDir(), "nats.conf")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	options, err := server.ProcessConfigFile(file)
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	want := map[string]*server.Permissions{
		users["COORDINATOR"]: coordinatorPermissions(users["COORDINATOR"]),
		users["WORKER"]:      workerPermissions(users["WORKER"]),
	}
	got := map[string]*server.Permissions{}
	for _, user := range options.Nkeys {
		got[user.Nkey] = user.Permissions
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("permissions (-code +values):\n%s", diff)
	}
}
