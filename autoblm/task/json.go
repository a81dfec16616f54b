package task

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
)

// plain is a trial as encoding/json would write it by itself, without Details.
type plain Trial

// MarshalJSON puts the fields of Details after those of the trial.
func (t Trial) MarshalJSON() ([]byte, error) {
	own, err := json.Marshal(plain(t))
	if err != nil {
		return nil, err
	}
	if len(t.Details) == 0 {
		return own, nil
	}
	var details bytes.Buffer
	if err := json.Compact(&details, t.Details); err != nil || details.String() == "{}" {
		return own, err
	}
	return slices.Concat(own[:len(own)-1], []byte(","), details.Bytes()[1:]), nil
}

// UnmarshalJSON takes all fields that a trial does not have itself for Details, in
// their order.
func (t *Trial) UnmarshalJSON(text []byte) error {
	var own plain
	if err := json.Unmarshal(text, &own); err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	if _, err := decoder.Token(); err != nil { // the brace before the first field
		return err
	}
	var details []string
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return err
		}
		if name := name.(string); !ownFields[name] {
			key, err := json.Marshal(name)
			if err != nil {
				return err
			}
			details = append(details, string(key)+":"+string(value))
		}
	}
	if len(details) > 0 {
		own.Details = json.RawMessage("{" + strings.Join(details, ",") + "}")
	}
	*t = Trial(own)
	return nil
}

// ownFields are the names that a trial itself has in JSON.
var ownFields = func() map[string]bool {
	names := map[string]bool{}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Trial]()) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		names[name] = true
	}
	return names
}()
