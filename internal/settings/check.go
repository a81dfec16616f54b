package settings

import (
	"cmp"
	"encoding"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Check returns an error if a setting of a struct is outside its limits, such as "epochs is 0: it
// must be at least 1", or has an unknown name. Numbers must be finite. Every element of a list is
// checked. Named fields that are structs check themselves.
func Check(s any) error {
	for _, f := range fields(reflect.ValueOf(s)) {
		if f.nested != nil {
			continue
		}
		if err := f.checkAll(); err != nil {
			return err
		}
	}
	return nil
}

// CheckValue returns an error if the value of a setting is outside the limits in its tags.
func CheckValue(name string, tag reflect.StructTag, value reflect.Value) error {
	return field{name: name, tag: tag, value: value}.checkAll()
}

func (f field) checkAll() error {
	if f.value.Kind() != reflect.Slice {
		return f.check(f.value)
	}
	for i := range f.value.Len() {
		if err := f.check(f.value.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

func (f field) check(v reflect.Value) error {
	if marshaler, ok := v.Interface().(encoding.TextMarshaler); ok && !v.IsZero() {
		_, err := marshaler.MarshalText()
		return err
	}
	number, isFloat := 0.0, v.CanFloat()
	switch {
	case isFloat:
		number = v.Float()
	case v.CanInt():
		number = float64(v.Int())
	default:
		return nil
	}
	limits := f.limits()
	if isFloat && (math.IsNaN(number) || math.IsInf(number, 0)) {
		limits = []string{"a finite number"}
	} else if f.allows(number) {
		return nil
	}
	return fmt.Errorf("%s is %v: it must be %s", f.label(), v, strings.Join(limits, " and "))
}

// label returns the name in the form of a flag, such as "validate-every".
func (f field) label() string { return strings.ReplaceAll(f.name, "_", "-") }

// option returns the name of the setting on the command line.
func (f field) option() string { return cmp.Or(f.tag.Get("name"), f.label()) }

// Limits lists the tags for limits.
var Limits = []string{"min", "above", "max", "below"}

// bounds describes the tags for limits.
var bounds = []struct {
	tag, words string
	allows     func(number, limit float64) bool
}{
	{"min", "at least ", func(x, limit float64) bool { return x >= limit }},
	{"above", "above ", func(x, limit float64) bool { return x > limit }},
	{"max", "at most ", func(x, limit float64) bool { return x <= limit }},
	{"below", "below ", func(x, limit float64) bool { return x < limit }},
}

func (f field) allows(number float64) bool {
	for _, b := range bounds {
		if limit, found := limitOf(f.tag.Get(b.tag)); found && !b.allows(number, limit) {
			return false
		}
	}
	return true
}

// limitOf returns the limit in a tag: a number, or a duration such as 1ms, in nanoseconds.
func limitOf(text string) (limit float64, found bool) {
	if limit, err := strconv.ParseFloat(text, 64); err == nil {
		return limit, true
	}
	duration, err := time.ParseDuration(text)
	return float64(duration), err == nil
}

// limits describes the limits, such as "from 1 to 8" for min and max.
func (f field) limits() []string {
	if least, most := f.tag.Get("min"), f.tag.Get("max"); least != "" && most != "" {
		return []string{"from " + least + " to " + most}
	}
	var all []string
	for _, b := range bounds {
		if limit := f.tag.Get(b.tag); limit != "" {
			all = append(all, b.words+limit)
		}
	}
	return all
}
