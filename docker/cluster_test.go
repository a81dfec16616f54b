package docker

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/types"
	apps "k8s.io/api/apps/v1"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// TestComposeCluster checks the services of the profile cluster: they run the program with flags that
// it has, and only they reach the queue.
func TestComposeCluster(t *testing.T) {
	p, err := load(t, "compose.yaml", "cluster")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"coordinator", "notebook", "queue", "worker"}
	if names := p.ServiceNames(); !slices.Equal(names, want) {
		t.Errorf("services with the profile cluster: %q", names)
	}
	if !p.Networks["cluster"].Internal {
		t.Error("the queue has no keys, but its network is not internal")
	}
	for _, name := range []string{"coordinator", "worker", "queue"} {
		s := p.Services[name]
		if len(s.Ports) > 0 || len(s.Networks) != 1 {
			t.Errorf("%s can be reached from outside: ports %v, networks %v", name, s.Ports, s.Networks)
		}
		if s.Restart != types.RestartPolicyOnFailure {
			t.Errorf("%s has the restart policy %q", name, s.Restart)
		}
		if name == "queue" {
			port := s.Command[slices.Index(s.Command, "--http_port")+1]
			if h := s.HealthCheck; h == nil || h.Test[len(h.Test)-1] != "http://127.0.0.1:"+port+"/healthz" {
				t.Errorf("the queue serves its health on port %s, and is checked by %+v", port, h)
			}
			continue
		}
		if s.Image != "autoblm:cli" || s.Build.Target != "cli" || !s.ReadOnly {
			t.Errorf("%s runs %s of the stage %s", name, s.Image, s.Build.Target)
		}
		if queue := s.DependsOn["queue"]; queue.Condition != types.ServiceConditionHealthy {
			t.Errorf("%s does not wait for a healthy queue: %+v", name, queue)
		}
		checkCommand(t, name, s.Command)
	}
	worker := p.Services["worker"]
	if replicas := worker.GetScale(); replicas != 2 {
		t.Errorf("%d workers, want 2", replicas)
	}
}

// checkCommand checks that the program has the flags of a command.
func checkCommand(t *testing.T, name string, command []string) {
	t.Helper()
	document, err := os.ReadFile("../docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	_, about, found := strings.Cut(string(document), "\n## autoblm "+command[0]+"\n")
	about, _, _ = strings.Cut(about, "\n## ")
	if !found {
		t.Fatalf("%s runs the unknown command %s", name, command[0])
	}
	for _, word := range command {
		if strings.HasPrefix(word, "--") && !regexp.MustCompile(regexp.QuoteMeta(word)+`\b`).MatchString(about) {
			t.Errorf("%s: autoblm %s has no flag %s", name, command[0], word)
		}
	}
}

// decode decodes a manifest strictly into the type of its kind.
func decode(document []byte) (object any, pod *core.PodSpec, err error) {
	var kind struct{ APIVersion, Kind string }
	if err := yaml.Unmarshal(document, &kind); err != nil {
		return nil, nil, err
	}
	switch kind.APIVersion + " " + kind.Kind {
	case "apps/v1 Deployment":
		var o apps.Deployment
		object, pod = &o, &o.Spec.Template.Spec
	case "batch/v1 Job":
		var o batch.Job
		object, pod = &o, &o.Spec.Template.Spec
	case "v1 PersistentVolumeClaim":
		object = &core.PersistentVolumeClaim{}
	default:
		return nil, nil, fmt.Errorf("unknown kind %s %s", kind.APIVersion, kind.Kind)
	}
	return object, pod, yaml.UnmarshalStrict(document, object)
}

// TestKubernetes decodes the manifests with the types of Kubernetes, and checks that commands, volumes
// and probes fit together.
func TestKubernetes(t *testing.T) {
	var kinds []string
	for _, name := range []string{"search.yaml", "workers.yaml"} {
		content, err := os.ReadFile(filepath.Join("kubernetes", name))
		if err != nil {
			t.Fatal(err)
		}
		for _, document := range bytes.Split(content, []byte("\n---\n")) {
			object, pod, err := decode(document)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			kinds = append(kinds, fmt.Sprintf("%T", object))
			if pod != nil {
				checkPod(t, name, pod)
			}
			if d, is := object.(*apps.Deployment); is {
				for key, value := range d.Spec.Selector.MatchLabels {
					if d.Spec.Template.Labels[key] != value {
						t.Errorf("%s selects %s=%s, but its pods lack it", name, key, value)
					}
				}
			}
		}
	}
	want := []string{"*v1.PersistentVolumeClaim", "*v1.Job", "*v1.Deployment"}
	if !slices.Equal(kinds, want) {
		t.Errorf("kinds %q, want %q", kinds, want)
	}
}

func checkPod(t *testing.T, name string, pod *core.PodSpec) {
	t.Helper()
	c := pod.Containers[0]
	checkCommand(t, name, c.Args)
	if c.Image != "autoblm:cli" {
		t.Errorf("%s runs %s", name, c.Image)
	}
	if s := pod.SecurityContext; s.RunAsUser == nil || *s.RunAsUser != 65532 { // as in the Dockerfile
		t.Errorf("%s runs as another user than the image", name)
	}
	volumes := map[string]bool{}
	for _, v := range pod.Volumes {
		volumes[v.Name] = true
	}
	for _, m := range c.VolumeMounts {
		if !volumes[m.Name] {
			t.Errorf("%s mounts the unknown volume %s", name, m.Name)
		}
	}
	probed := c.ReadinessProbe.HTTPGet
	address := c.Args[slices.Index(c.Args, "--metrics")+1]
	if probed.Path != "/healthz" || probed.Port.StrVal != c.Ports[0].Name ||
		address != fmt.Sprintf("0.0.0.0:%d", c.Ports[0].ContainerPort) {
		t.Errorf("%s probes %s on %v, and serves on %s", name, probed.Path, probed.Port, address)
	}
}

// TestKubernetesMistakes checks that decode refuses unknown fields, wrong types and other kinds.
func TestKubernetesMistakes(t *testing.T) {
	content, err := os.ReadFile("kubernetes/workers.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for old, new := range map[string]string{
		"replicas: 3":          "replica: 3",
		"readinessProbe:":      "readynessProbe:",
		"containerPort: 9090":  `containerPort: "9090"`,
		"memory: 2Gi":          "memory: 2 GiB",
		"kind: Deployment":     "kind: Deploy",
		"apiVersion: apps/v1":  "apiVersion: apps/v1beta1",
		"runAsNonRoot: true":   "runAsNonRoot: yes please",
		"secretName: autoblm-": "name: autoblm-",
	} {
		wrong := bytes.Replace(content, []byte(old), []byte(new), 1)
		if bytes.Equal(wrong, content) {
			t.Errorf("the manifest has no %q", old)
		}
		if _, _, err := decode(wrong); err == nil {
			t.Errorf("%q was accepted", new)
		}
	}
}
