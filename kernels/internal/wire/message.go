package wire

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Version is the version of the protocol that sent messages claim.
const Version = "5.3"

// delimiter ends the routing frames, of which the protocol allows any number.
var delimiter = []byte("<IDS|MSG>")

// Header says what a message is. Replies and outputs carry that of the request
// they belong to as their parent.
type Header struct {
	ID       string `json:"msg_id"`
	Session  string `json:"session"`
	Username string `json:"username"`
	Date     string `json:"date"`
	Type     string `json:"msg_type"`
	Version  string `json:"version"`
}

// Message is one message, without its routing frames.
type Message struct {
	Header Header
	// Parent is zero in a message that answers nothing.
	Parent   Header
	Metadata json.RawMessage
	Content  json.RawMessage
	Buffers  [][]byte
}

// New is a message of a client's session. The content is anything that has a
// form as JSON.
func New(session, kind string, content any) (Message, error) {
	encoded, err := json.Marshal(content)
	if err != nil {
		return Message{}, fmt.Errorf("cannot write a message %s: %w", kind, err)
	}
	return Message{
		Header: Header{
			ID:       rand.Text(),
			Session:  session,
			Username: "autoblm",
			Date:     time.Now().UTC().Format(time.RFC3339Nano),
			Type:     kind,
			Version:  Version,
		},
		Metadata: json.RawMessage("{}"),
		Content:  encoded,
	}, nil
}

// Decode reads the content into a value.
func (m Message) Decode(content any) error {
	if err := json.Unmarshal(m.Content, content); err != nil {
		return fmt.Errorf("message %s: %w", m.Header.Type, err)
	}
	return nil
}

// Frames is the message as it travels, signed by the key. An empty key stands
// for no signature.
func (m Message) Frames(key []byte) ([][]byte, error) {
	header, err := json.Marshal(m.Header)
	if err != nil {
		return nil, err
	}
	parent := []byte("{}")
	if m.Parent != (Header{}) {
		if parent, err = json.Marshal(m.Parent); err != nil {
			return nil, err
		}
	}
	signed := [][]byte{header, parent, m.Metadata, m.Content}
	frames := append([][]byte{delimiter, sign(key, signed)}, signed...)
	return append(frames, m.Buffers...), nil
}

// Parse reads a message and checks its signature.
func Parse(frames [][]byte, key []byte) (Message, error) {
	for len(frames) > 0 && !bytes.Equal(frames[0], delimiter) {
		frames = frames[1:]
	}
	const fixed = 6 // delimiter, signature, and the four that are signed
	if len(frames) < fixed {
		return Message{}, errors.New("a message lacks frames")
	}
	signature, signed := frames[1], frames[2:fixed]
	if !hmac.Equal(signature, sign(key, signed)) {
		return Message{}, errors.New("a message has a wrong signature: another program may be using the kernel's ports")
	}
	m := Message{Metadata: signed[2], Content: signed[3], Buffers: frames[fixed:]}
	for i, header := range []*Header{&m.Header, &m.Parent} {
		if err := json.Unmarshal(signed[i], header); err != nil {
			return Message{}, fmt.Errorf("a message has no readable header: %w", err)
		}
	}
	return m, nil
}

// sign is the hexadecimal HMAC-SHA256 of the frames one after another.
func sign(key []byte, frames [][]byte) []byte {
	if len(key) == 0 {
		return []byte{}
	}
	mac := hmac.New(sha256.New, key)
	for _, frame := range frames {
		mac.Write(frame)
	}
	return hex.AppendEncode(nil, mac.Sum(nil))
}
