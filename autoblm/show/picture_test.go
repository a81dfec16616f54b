package show

import (
	"bytes"
	"image/color"
	"image/png"
	"math"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/plot"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/janpfeifer/gonb/gonbui/protocol"
)

var complEx = structure.MustParse("complex")

func curve() plot.Picture {
	points := []plot.Point{{X: 1, Y: 0.2}, {X: 2, Y: 0.3}}
	series := []plot.Series{{Name: "best", Points: points}}
	return plot.Curve{Title: "a search", X: "structures", Y: "MRR", Series: series}.Picture()
}

// checkCompressed checks that a PNG looks like another one with fewer colours and bytes.
func checkCompressed(t *testing.T, sent, own []byte) {
	t.Helper()
	got, err := png.Decode(bytes.NewReader(sent))
	if err != nil {
		t.Fatal(err)
	}
	want, err := png.Decode(bytes.NewReader(own))
	if err != nil {
		t.Fatal(err)
	}
	if got.Bounds() != want.Bounds() || len(sent) > 2*len(own)/3 {
		t.Fatalf("%v in %d bytes, the original has %v in %d",
			got.Bounds(), len(sent), want.Bounds(), len(own))
	}
	colours, off, same := map[color.Color]bool{}, 0.0, 0
	for y := range want.Bounds().Dy() {
		for x := range want.Bounds().Dx() {
			colours[got.At(x, y)] = true
			r, g, b, _ := got.At(x, y).RGBA()
			r0, g0, b0, _ := want.At(x, y).RGBA()
			channel := func(x, y uint32) float64 { return math.Abs(float64(x)-float64(y)) / 0xffff }
			worst := max(channel(r, r0), channel(g, g0), channel(b, b0))
			if off = max(off, worst); worst == 0 {
				same++
			}
		}
	}
	share := float64(same) / float64(want.Bounds().Dx()*want.Bounds().Dy())
	if len(colours) > 256 || off > 0.25 || share < 0.97 {
		t.Errorf("%d colours, off by up to %.2f, a share of %.4f of the points is equal",
			len(colours), off, share)
	}
}

// TestPicture checks the PNG, its width and its alternative text.
func TestPicture(t *testing.T) {
	n := openNotebook(t)
	Picture(curve())
	sent := n.only()
	file, _ := sent.Data[protocol.MIMEImagePNG].([]byte)
	want, err := curve().PNG()
	if err != nil {
		t.Fatal(err)
	}
	checkCompressed(t, file, want)
	size, err := png.DecodeConfig(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	shown, _ := sent.Metadata["image/png"].(map[string]int)
	if inches := float64(size.Width) / 150; shown["width"] != int(96*inches) {
		t.Errorf("%d pixels wide for %.2f inches", shown["width"], inches)
	}
	for _, word := range []string{"a search", "structures", "MRR", "best"} {
		if text, _ := sent.Data[protocol.MIMETextPlain].(string); !strings.Contains(text, word) {
			t.Errorf("the text %q lacks %q", text, word)
		}
	}
}

func TestStructure(t *testing.T) {
	n := openNotebook(t)
	Structure(complEx, "ComplEx")
	sent := n.only()
	want, err := plot.Structure(complEx, "ComplEx").PNG()
	if err != nil {
		t.Fatal(err)
	}
	file, _ := sent.Data[protocol.MIMEImagePNG].([]byte)
	checkCompressed(t, file, want)
	if text, _ := sent.Data[protocol.MIMETextPlain].(string); text+"\n" != "ComplEx\n"+complEx.Draw(
		false) {
		t.Errorf("the text is %q", text)
	}
}

func TestPicturesAsText(t *testing.T) {
	text := terminal(t)
	Structures([]plot.Titled{
		{Title: "one", Structure: complEx},
		{Title: "two", Structure: structure.MustParse("1,0;0,2")},
	})
	Picture(curve())
	got := text.String()
	for _, want := range []string{"one\n" + complEx.Draw(false), "two\n", "[picture: "} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}

func TestNothingToDraw(t *testing.T) {
	n := openNotebook(t)
	n.t = t
	for _, show := range []func(){
		func() { Picture(plot.Picture{}) },
		func() { Structures(nil) },
	} {
		n.status = 0
		show()
		if n.status != 1 || !strings.Contains(n.problems.String(), "nothing to draw") {
			t.Errorf("status %d, %q", n.status, n.problems.String())
		}
	}
}
