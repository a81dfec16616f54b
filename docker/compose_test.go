// Package docker tests the files of the images without a container engine.
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

// load reads a file with the schema of docker compose.
func load(t *testing.T, file string, profiles ...string) (*types.Project, error) {
	t.Helper()
	options, err := cli.NewProjectOptions([]string{file}, cli.WithProfiles(profiles))
	if err != nil {
		t.Fatal(err)
	}
	return options.LoadProject(t.Context())
}

// TestCompose checks that the services use the stages, ports and volumes of the Dockerfile.
func TestCompose(t *testing.T) {
	defaults, err := load(t, "compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if names := defaults.ServiceNames(); !slices.Equal(names, []string{"notebook"}) {
		t.Errorf("services without a profile: %q", names)
	}
	all, err := load(t, "compose.yaml", "gpu")
	if err != nil {
		t.Fatal(err)
	}
	if names := all.ServiceNames(); !slices.Equal(names, []string{"cuda", "notebook"}) {
		t.Errorf("services with the profile gpu: %q", names)
	}
	for name, s := range all.Services {
		dockerfile, err := os.ReadFile(filepath.Join(s.Build.Context, s.Build.Dockerfile))
		if err != nil {
			t.Fatal(err)
		}
		find := func(pattern string) (all []string) {
			lines := regexp.MustCompile("(?m)^" + pattern + "$")
			for _, match := range lines.FindAllStringSubmatch(string(dockerfile), -1) {
				all = append(all, match[1])
			}
			return all
		}
		stages := find(`FROM .* AS (\S+)`)
		if !slices.Contains(stages, s.Build.Target) || s.Build.Target != name ||
			s.Image != "autoblm:"+name {
			t.Errorf("%s builds %s of the stages %q as %s", name, s.Build.Target, stages, s.Image)
		}
		for _, port := range s.Ports { // the token is sent without encryption
			exposed := find(`EXPOSE (\d+)`)
			if !slices.Equal(exposed, []string{port.Published}) || port.HostIP != "127.0.0.1" {
				t.Errorf("%s publishes %s on %s, and the image exposes %q",
					name, port.Published, port.HostIP, exposed)
			}
		}
		for _, volume := range s.Volumes {
			if want := find(`VOLUME (\S+)`); !slices.Contains(want, volume.Target) {
				t.Errorf("%s mounts %s, and the image has the volumes %q", name, volume.Target, want)
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
		t.Errorf("cuda reserves the devices %q", drivers)
	}
}
