package task

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
)

// bareTrial is a trial with the default JSON encoding, without Details.
type bareTrial Trial

// MarshalJSON appends the fields of Details to those of the trial.
func (t Trial) MarshalJSON() ([]byte, error) {
	own, err := json.Marshal(bareTrial(t))
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

// UnmarshalJSON collects all fields that a trial does not define in Details, in
// their order.
func (t *Trial) UnmarshalJSON(text []byte) error {
	var own bareTrial
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

// ownFields has the JSON names of the fields that a trial defines.
var ownFields = func() map[string]bool {
	names := map[string]bool{}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Trial]()) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		names[name] = true
	}
	return names
}()
