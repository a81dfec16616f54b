// Package docker has the images' tests that need no engine.
package docker

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
)

// load reads a file as docker compose does, by its schema.
func load(t *testing.T, file string, profiles ...string) (*types.Project, error) {
	t.Helper()
	options, err := cli.NewProjectOptions([]string{file}, cli.WithProfiles(profiles))
	if err != nil {
		t.Fatal(err)
	}
	return options.LoadProject(t.Context())
}

// TestCompose: the services are what the Dockerfile builds, at its port and its volume.
func TestCompose(t *testing.T) {
	usual, err := load(t, "compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if names := usual.ServiceNames(); !slices.Equal(names, []string{"notebook"}) {
		t.Errorf("without a profile there are %q", names)
	}
	all, err := load(t, "compose.yaml", "gpu")
	if err != nil {
		t.Fatal(err)
	}
	if names := all.ServiceNames(); !slices.Equal(names, []string{"cuda", "notebook"}) {
		t.Errorf("for a GPU there are %q", names)
	}
	for name, s := range all.Services {
		dockerfile, err := os.ReadFile(filepath.Join(s.Build.Context, s.Build.Dockerfile))
		if err != nil {
			t.Fatal(err)
		}
		said := func(pattern string) (all []string) {
			for _, found := range regexp.MustCompile("(?m)^"+pattern+"$").FindAllStringSubmatch(string(dockerfile), -1) {
				all = append(all, found[1])
			}
			return all
		}
		if stages := said(`FROM .* AS (\S+)`); !slices.Contains(stages, s.Build.Target) || s.Build.Target != name || s.Image != "autoblm:"+name {
			t.Errorf("%s builds %s of the stages %q as %s", name, s.Build.Target, stages, s.Image)
		}
		for _, port := range s.Ports { // the token is no secret in an open network
			if want := said(`EXPOSE (\d+)`); !slices.Equal(want, []string{port.Published}) || port.HostIP != "127.0.0.1" {
				t.Errorf("%s has the port %s of %s, and the image %q", name, port.Published, port.HostIP, want)
			}
		}
		for _, volume := range s.Volumes {
			if want := said(`VOLUME (\S+)`); !slices.Contains(want, volume.Target) {
				t.Errorf("%s has the volume %s, and the image %q", name, volume.Target, want)
			}
		}
		if len(s.Ports) != 1 || len(s.Volumes) != 1 {
			t.Errorf("%s has %d ports and %d volumes", name, len(s.Ports), len(s.Volumes))
		}
	}
	var drivers []string
	for _, device := range all.Services["cuda"].Deploy.Resources.Reservations.Devices {
		drivers = append(drivers, device.Driver+" "+strings.Join(device.Capabilities, " "))
	}
	if !slices.Equal(drivers, []string{"nvidia gpu"}) {
		t.Errorf("cuda has the devices %q", drivers)
	}
}

// TestWrongCompose: what is mistaken in the file does not load.
func TestWrongCompose(t *testing.T) {
	right, err := os.ReadFile("compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for old, mistake := range map[string]string{
		"    ports:":            "    port:",
		"capabilities: [gpu]":   "capabilities: gpu",
		"work:/home":            "works:/home",
		"<<: *notebook":         "<<: *notebooks",
		`"127.0.0.1:8888:8888"`: `"127.0.0.1:8888:eighty"`,
		"  cuda:\n":             "  cuda:\n    depends_on: [nothing]\n",
	} {
		file := filepath.Join(t.TempDir(), "compose.yaml")
		wrong := strings.Replace(string(right), old, mistake, 1)
		if wrong == string(right) {
			t.Errorf("the file has no %q", old)
		}
		if err := os.WriteFile(file, []byte(wrong), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := load(t, file, "gpu"); err == nil {
			t.Errorf("%q in the place of %q loads", mistake, old)
		}
	}
}
