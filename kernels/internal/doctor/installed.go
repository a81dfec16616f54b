package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/autoblm/autoblm-go/kernels/internal/install"
	"github.com/autoblm/autoblm-go/kernels/internal/kernelspec"
)

// tool sees whether a program is there, in the version that is pinned.
func (p Patient) tool(t install.Tool) Finding {
	path := p.Home.Program(t.Name)
	want, err := p.Pins.Version(t)
	if err != nil {
		return bad(t.Name, err.Error(), reinstall)
	}
	got, err := t.InstalledVersion(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && t.Optional:
		return note(t.Name, "it is not installed; cells run, but are not completed as you type", reinstall+" --gopls")
	case errors.Is(err, fs.ErrNotExist):
		return bad(t.Name, path+" is missing, and no cell runs without it", reinstall)
	case err != nil:
		return bad(t.Name, err.Error(), reinstall)
	case got != want:
		return bad(t.Name, fmt.Sprintf("it has version %s instead of %s", got, want), reinstall)
	}
	return good(t.Name, got)
}

// library sees whether cells import the library that they should.
func (p Patient) library() Finding {
	const subject = "library"
	m, err := install.ReadManifest(p.Home)
	if err != nil {
		return bad(subject, err.Error(), reinstall)
	}
	if _, err := os.Stat(filepath.Join(p.Home.Module(), "go.mod")); err != nil {
		return bad(subject, "the module that cells import from is missing: "+err.Error(), reinstall)
	}
	if checkout := m.Library.Checkout; checkout != "" {
		if _, err := install.AtCheckout(checkout); err != nil {
			return bad(subject, err.Error(), "in the checkout of your choice, "+reinstall)
		}
	}
	if p.Library != (install.Library{}) && p.Library != m.Library {
		return note(subject, fmt.Sprintf("cells import %v, while you are at %v", m.Library, p.Library), "if cells are to import this one, "+reinstall)
	}
	return good(subject, fmt.Sprintf("cells import %v", m.Library))
}

// spec sees whether Jupyter's folder has a spec that starts this installation.
func (p Patient) spec(v install.Variant) Finding {
	file := v.File(p.Jupyter)
	spec, err := kernelspec.Read(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return bad(v.Title, file+" is missing, and Jupyter does not know the kernel", reinstall)
	case err != nil:
		return bad(v.Title, err.Error(), reinstall)
	case !p.Home.Starts(spec):
		return bad(v.Title, fmt.Sprintf("%s does not start the installation in %s, but %q", file, p.Home, spec.Argv), reinstall)
	}
	return good(v.Title, file)
}
