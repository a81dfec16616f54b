// Package settings walks over structs of settings. What there is to say of a setting,
// its field says by tags, once: json has its name, help a sentence on what it is, and min,
// max, above and below what it may be. Its default is in a value of the struct.
package settings

import (
	"encoding"
	"fmt"
	"reflect"
	"strings"
)

// Setting is a field of a struct of settings.
type Setting struct {
	// Name is that in JSON, behind those of the structs around it, as "training dim".
	Name string
	// Help is a sentence.
	Help  string
	Value any
	// Omitted says that the setting is not set: JSON leaves it out, or has null.
	Omitted bool
}

// Of are the settings of a struct and of the structs in it, in the order of their fields.
// A pointer stands for what it points to, nil for nothing. What is not in JSON is left
// out.
func Of(s any) []Setting {
	var all []Setting
	for _, f := range fields(reflect.ValueOf(s)) {
		switch {
		case !f.inJSON:
		case f.holds != nil:
			for _, inner := range Of(f.holds) {
				inner.Name = f.name + " " + inner.Name
				all = append(all, inner)
			}
		case f.value.Kind() != reflect.Pointer: // which a pointer to nothing is
			all = append(all, Setting{
				Name: f.name, Help: f.tag.Get("help"), Value: f.value.Interface(),
				Omitted: f.value.IsZero() && (f.value.Kind() == reflect.Slice || strings.Contains(f.tag.Get("json"), ",omit")),
			})
		}
	}
	return all
}

// Set lists the numbers of a struct that are not 0, and what is switched on, as
// "n3 0.2, n3-moduli, entity-l2 0.1".
func Set(s any) string {
	var parts []string
	for _, each := range Of(s) {
		name := strings.ReplaceAll(each.Name, "_", "-")
		switch x := each.Value.(type) {
		case float64:
			if x != 0 {
				parts = append(parts, fmt.Sprintf("%s %.3g", name, x))
			}
		case bool:
			if x {
				parts = append(parts, name)
			}
		}
	}
	return strings.Join(parts, ", ")
}

// Text is the value for people: numbers with all digits that tell them apart, lists with
// commas.
func (s Setting) Text() string { return textOf(reflect.ValueOf(s.Value)) }

func textOf(v reflect.Value) string {
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
		parts[i] = textOf(v.Index(i))
	}
	return strings.Join(parts, ", ")
}

// field is one of a struct, or of a struct that is embedded in it.
type field struct {
	name   string // in JSON, or as it would be there
	inJSON bool
	tag    reflect.StructTag
	value  reflect.Value
	holds  any // the struct that the value is or points to, nil where it is no such thing
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
			f.holds = inner.Interface()
		}
		all = append(all, f)
	}
	return all
}
