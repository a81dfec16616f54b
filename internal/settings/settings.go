// Package settings walks over structs of settings. The tags of a field describe a setting: json
// is its name, help describes it, and min, max, above and below limit its value. Its default is
// in a value of the struct.
package settings

import (
	"encoding"
	"fmt"
	"reflect"
	"strings"
)

// Setting is a field of a struct of settings.
type Setting struct {
	// Name is the JSON name after those of the enclosing structs, such as "training dim".
	Name string
	// Option is its name on the command line, without those of the enclosing structs.
	Option string
	// Help describes the setting.
	Help  string
	Value any
	// Omitted is true if the setting is not set: JSON omits it or has null.
	Omitted bool
}

// Of returns the settings in a struct and in the structs inside it, in the order of their fields.
// A pointer stands for its target. Fields that are not in JSON are left out.
func Of(s any) []Setting {
	var all []Setting
	for _, f := range fields(reflect.ValueOf(s)) {
		switch {
		case !f.inJSON:
		case f.nested != nil:
			for _, inner := range Of(f.nested) {
				inner.Name = f.name + " " + inner.Name
				all = append(all, inner)
			}
		case f.value.Kind() != reflect.Pointer: // a nil pointer has no settings
			all = append(all, Setting{
				Name: f.name, Option: f.option(), Help: f.tag.Get("help"), Value: f.value.Interface(),
				Omitted: f.value.IsZero() && f.mayBeOmitted(),
			})
		}
	}
	return all
}

// Set lists the nonzero numbers and the enabled switches of a struct, such as
// "n3 0.2, n3-block 2, entity-l2 0.1".
func Set(s any) string {
	var parts []string
	for _, each := range Of(s) {
		name := strings.ReplaceAll(each.Name, "_", "-")
		switch x := each.Value.(type) {
		case float64:
			if x != 0 {
				parts = append(parts, fmt.Sprintf("%s %.3g", name, x))
			}
		case int:
			if x != 0 {
				parts = append(parts, fmt.Sprintf("%s %d", name, x))
			}
		case bool:
			if x {
				parts = append(parts, name)
			}
		}
	}
	return strings.Join(parts, ", ")
}

// Text returns the value as text, with all significant digits and with commas in lists.
func (s Setting) Text() string { return TextOf(reflect.ValueOf(s.Value), ", ") }

// TextOf returns a value as text, with a separator in lists.
func TextOf(v reflect.Value, separator string) string {
	if marshaler, ok := v.Interface().(encoding.TextMarshaler); ok {
		if text, err := marshaler.MarshalText(); err == nil {
			return string(text)
		}
	}
	if v.Kind() != reflect.Slice && v.Kind() != reflect.Array {
		return fmt.Sprint(v.Interface())
	}
	parts := make([]string, v.Len())
	for i := range parts {
		parts[i] = TextOf(v.Index(i), separator)
	}
	return strings.Join(parts, separator)
}

// field is a field of a struct or of an embedded struct.
type field struct {
	name   string // in JSON, or the lower-case name of the field
	inJSON bool
	tag    reflect.StructTag
	value  reflect.Value
	nested any // the struct that value is or points to, otherwise nil
}

// mayBeOmitted reports whether JSON omits the zero value of the field.
func (f field) mayBeOmitted() bool {
	return f.value.Kind() == reflect.Slice || strings.Contains(f.tag.Get("json"), ",omit")
}

func fields(v reflect.Value) []field {
	v = reflect.Indirect(v)
	var all []field
	for i := range v.NumField() {
		t, value := v.Type().Field(i), v.Field(i)
		if t.Anonymous {
			all = append(all, fields(value)...)
			continue
		}
		name, _, _ := strings.Cut(t.Tag.Get("json"), ",")
		f := field{name: name, inJSON: name != "-", tag: t.Tag, value: value}
		if !f.inJSON || name == "" {
			f.name = strings.ToLower(t.Name)
		}
		_, isText := value.Interface().(encoding.TextMarshaler)
		if inner := reflect.Indirect(value); inner.Kind() == reflect.Struct && !isText {
			f.nested = inner.Interface()
		}
		all = append(all, f)
	}
	return all
}
