package wire

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestSignature: the first case was signed by Python's jupyter_client 7.4.9
// (Session.sign), the second is the example of HMAC-SHA256 in the English Wikipedia.
func TestSignature(t *testing.T) {
	for _, test := range []struct {
		key    string
		frames []string
		want   string
	}{
		{
			"a0436f6c-1916-498b-8eb9-e81ab9368e84",
			[]string{
				`{"msg_id":"1","msg_type":"execute_request","session":"s","username":"u","date":"2026-01-02T03:04:05Z","version":"5.3"}`,
				`{}`, `{}`, `{"code":"fmt.Println(\"é\")"}`,
			},
			"e5f40fd7717d22c919e34be199203344063e8607682a5e4197c11d902d61717f",
		},
		{
			"key",
			[]string{"The quick brown fox ", "jumps over ", "the lazy dog"},
			"f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8",
		},
		{"", []string{"unsigned"}, ""},
	} {
		var frames [][]byte
		for _, f := range test.frames {
			frames = append(frames, []byte(f))
		}
		if got := string(sign([]byte(test.key), frames)); got != test.want {
			t.Errorf("key %q: %s, want %s", test.key, got, test.want)
		}
	}
}

func TestMessagesTravel(t *testing.T) {
	text := rapid.String().Filter(utf8.ValidString)
	rapid.Check(t, func(t *rapid.T) {
		key := []byte(rapid.String().Draw(t, "key"))
		sent, err := New(text.Draw(t, "session"), "execute_request", map[string]string{"code": text.Draw(t, "code")})
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "answers") {
			sent.Parent = Header{ID: "1", Type: text.Draw(t, "type")}
		}
		sent.Buffers = rapid.SliceOfN(rapid.SliceOf(rapid.Byte()), 0, 3).Draw(t, "buffers")
		frames, err := sent.Frames(key)
		if err != nil {
			t.Fatal(err)
		}
		routed := append([][]byte{[]byte("route"), nil}, frames...)
		got, err := Parse(routed, key)
		if err != nil {
			t.Fatal(err)
		}
		if len(sent.Buffers) == 0 {
			sent.Buffers, got.Buffers = nil, nil
		}
		if diff := cmp.Diff(sent, got, cmp.Comparer(func(a, b json.RawMessage) bool { return bytes.Equal(a, b) })); diff != "" {
			t.Fatal(diff)
		}
		if len(key) > 0 {
			frames[rapid.IntRange(2, 5).Draw(t, "changed")] = []byte(`{"msg_id":"forged"}`)
			if _, err := Parse(frames, key); err == nil {
				t.Fatal("a changed message was taken")
			}
		}
	})
}

func TestWhatIsNoMessage(t *testing.T) {
	key := []byte("key")
	good, err := Message{Metadata: []byte("{}"), Content: []byte("{}")}.Frames(key)
	if err != nil {
		t.Fatal(err)
	}
	headless := [][]byte{[]byte("x"), []byte("{}"), []byte("{}"), []byte("{}")}
	for want, frames := range map[string][][]byte{
		"lacks frames":       nil,
		"frames":             good[:5],
		"signature":          append([][]byte{good[0], []byte("00")}, good[2:]...),
		"no readable header": append([][]byte{delimiter, sign(key, headless)}, headless...),
	} {
		if _, err := Parse(frames, key); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", frames, err, want)
		}
	}
}
