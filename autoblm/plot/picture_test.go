package plot

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/require"
)

// onePictureEach has one picture of each kind.
func onePictureEach() map[string]Picture {
	return map[string]Picture{
		"structure":  Structure(structure.MustParse("quate"), "QuatE"),
		"structures": Structures(examples()[:5]),
		"curve":      searchCurve(Level{"ComplEx", 0.6}).Picture(),
		"scatter":    Scatter{Clouds: []Cloud{{"a", []Point{{1, 2}, {2, 1}}}}, Identity: true}.Picture(),
	}
}

// Many at once, because reports and notebooks may draw in parallel.
func TestSameInputGivesSameBytes(t *testing.T) {
	first := onePictureEach()
	var workers sync.WaitGroup
	for range 2 {
		for name, picture := range onePictureEach() {
			workers.Go(func() {
				for _, encode := range []func(Picture) ([]byte, error){Picture.PNG, Picture.SVG} {
					wanted, err := encode(first[name])
					if err != nil {
						t.Errorf("%s: %v", name, err)
					}
					got, err := encode(picture)
					if err != nil {
						t.Errorf("%s: %v", name, err)
					}
					if !bytes.Equal(wanted, got) {
						t.Errorf("%s: drawn twice, the bytes differ", name)
					}
				}
			})
		}
	}
	workers.Wait()
}

func TestBothFormatsHaveOneSizeOnWhite(t *testing.T) {
	for name, picture := range onePictureEach() {
		pixels := readPNG(t, picture)
		drawing := readSVG(t, picture)
		for _, side := range []struct {
			pixels int
			points float64
		}{{pixels.Bounds().Dx(), drawing.width}, {pixels.Bounds().Dy(), drawing.height}} {
			if math.Abs(float64(side.pixels)-side.points*150/72) > 1 {
				t.Errorf("%s: %d pixels at 150 dots per inch are not %v points", name, side.pixels, side.points)
			}
		}
		if r, g, b, a := pixels.At(0, 0).RGBA(); [4]uint32{r, g, b, a} != [4]uint32{
			0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF,
		} {
			t.Errorf("%s: the corner of the PNG is %v", name, color.NRGBAModel.Convert(pixels.At(0, 0)))
		}
		corners := fmt.Sprintf("M0,0L%.5g,0L%.5g,%.5gL0,%.5gZ", drawing.width, drawing.width,
			drawing.height, drawing.height)
		if ground := drawing.paths[0]; ground.style != "fill:#FFFFFF" || ground.data != corners {
			t.Errorf("%s: the SVG begins with %v and not with a white ground", name, ground)
		}
	}
}

func TestSaveWritesByExtension(t *testing.T) {
	picture := Structure(structure.MustParse("complex"), "ComplEx")
	folder := t.TempDir()
	for _, file := range []struct {
		name   string
		encode func() ([]byte, error)
		older  string
	}{
		{"a.png", picture.PNG, "\x89PNG\r\n\x1a\n..."}, {"b.svg", picture.SVG, "<?xml version=\"1.0\"?>"},
		{"c.PNG", picture.PNG, ""},
	} {
		path := filepath.Join(folder, file.name)
		require.NoError(t, os.WriteFile(path, []byte(file.older), 0o600))
		require.NoError(t, picture.Save(path))
		found, err := os.ReadFile(path)
		require.NoError(t, err)
		wanted, err := file.encode()
		require.NoError(t, err)
		if !bytes.Equal(found, wanted) {
			t.Errorf("%s does not have the bytes of its format", file.name)
		}
	}
	if names := namesIn(t, folder); !slices.Equal(names, []string{"a.png", "b.svg", "c.PNG"}) {
		t.Errorf("the folder has %q", names)
	}
}

func TestSaveRefuses(t *testing.T) {
	picture := Structure(structure.MustParse("complex"), "")
	folder := t.TempDir()
	plain := filepath.Join(folder, "plain")
	require.NoError(t, os.WriteFile(plain, nil, 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(folder, "folder.png"), 0o700))
	study := filepath.Join(folder, "study.svg")
	require.NoError(t, os.WriteFile(study, []byte("SQLite format 3\x00"), 0o600))
	before := namesIn(t, folder)
	for _, refused := range []struct {
		picture Picture
		path    string
		reason  string
	}{
		{picture, filepath.Join(folder, "a.jpg"), `".jpg"; it must be .png or .svg`},
		{picture, filepath.Join(folder, "a"), `""; it must be .png or .svg`},
		{
			picture, filepath.Join(folder, "missing", "a.png"), "the folder does not exist; create it first",
		},
		{picture, filepath.Join(plain, "a.svg"), "not a directory"},
		{picture, filepath.Join(folder, "folder.png"), "not replaced"},
		{picture, study, "is a study, and not replaced"},
		{Picture{}, filepath.Join(folder, "a.png"), "nothing to draw"},
		{Structures(nil), filepath.Join(folder, "a.svg"), "nothing to draw"},
		{Structure(structure.Structure{}, "zero"), filepath.Join(folder, "a.svg"), "nothing to draw"},
	} {
		err := refused.picture.Save(refused.path)
		if err == nil {
			t.Errorf("%s was saved; wanted an error about %s", refused.path, refused.reason)
			continue
		}
		if text := err.Error(); !strings.Contains(text, refused.reason) ||
			strings.Count(text, refused.path) != 1 || strings.Contains(text, "\n") {
			t.Errorf("%s: the error is %q; wanted %s", refused.path, text, refused.reason)
		}
	}
	if after := namesIn(t, folder); !slices.Equal(before, after) {
		t.Errorf("refused pictures leave %q where %q was", after, before)
	}
}

func TestPNGRefusesWhatMemoryCannotHold(t *testing.T) {
	many := slices.Repeat(examples(), 400)
	_, err := Structures(many).PNG()
	require.Error(t, err, "too large")
}

func namesIn(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}
