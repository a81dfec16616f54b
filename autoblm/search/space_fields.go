package search

import (
	"fmt"
	"reflect"
	"strings"
)

// spaceField is a field of a [Space] that a flag sets.
type spaceField struct {
	flag   string
	values reflect.Value // a slice
}

// fields returns the fields of a space with a flag.
func (s *Space) fields() (all []spaceField) {
	v := reflect.ValueOf(s).Elem()
	for i := range v.NumField() {
		if flag, has := v.Type().Field(i).Tag.Lookup("flag"); has {
			all = append(all, spaceField{flag, v.Field(i)})
		}
	}
	return all
}

// Without returns the space without the fields whose flag is given, so that their values stay fixed.
func (s Space) Without(isGiven func(flag string) bool) *Space {
	for _, of := range s.fields() {
		if isGiven(of.flag) {
			of.values.SetZero()
		}
	}
	return &s
}

// SpaceLine describes a field of a [Space]: the name of its flag, and its values.
type SpaceLine struct{ Flag, Values string }

// Lines describes the fields with values.
func (s Space) Lines() (lines []SpaceLine) {
	for _, of := range s.fields() {
		var values []string
		for i := range of.values.Len() {
			values = append(values, fmt.Sprint(of.values.Index(i)))
		}
		if len(values) > 0 {
			lines = append(lines, SpaceLine{of.flag, strings.Join(values, ", ")})
		}
	}
	return lines
}
