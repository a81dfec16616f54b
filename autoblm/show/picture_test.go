package show

import (
	"bytes"
	"image/png"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/plot"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/require"
	"github.com/janpfeifer/gonb/gonbui/protocol"
)

var complEx = structure.MustParse("complex")

func curve() plot.Picture {
	points := []plot.Point{{X: 1, Y: 0.2}, {X: 2, Y: 0.3}}
	series := []plot.Series{{Name: "best", Points: points}}
	return plot.Curve{Title: "a search", X: "structures", Y: "MRR", Series: series}.Picture()
}

// TestPicture checks the PNG and its width.
func TestPicture(t *testing.T) {
	n := openNotebook(t)
	Picture(curve())
	sent := n.only()
	file, _ := sent.Data[protocol.MIMEImagePNG].([]byte)
	want, err := curve().PNG()
	require.NoError(t, err)
	if !bytes.Equal(file, want) {
		t.Error("another PNG than that of the picture")
	}
	size, err := png.DecodeConfig(bytes.NewReader(file))
	require.NoError(t, err)
	shown, _ := sent.Metadata["image/png"].(map[string]int)
	if inches := float64(size.Width) / 150; shown["width"] != int(96*inches) {
		t.Errorf("%d pixels wide for %.2f inches", shown["width"], inches)
	}
}

func TestStructure(t *testing.T) {
	n := openNotebook(t)
	Structure(complEx, "ComplEx")
	sent := n.only()
	want, err := plot.Structure(complEx, "ComplEx").PNG()
	require.NoError(t, err)
	file, _ := sent.Data[protocol.MIMEImagePNG].([]byte)
	if !bytes.Equal(file, want) {
		t.Error("another PNG than that of the picture")
	}
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
	for _, want := range []string{"one\n" + complEx.Draw(false), "two\n", "[picture]"} {
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
