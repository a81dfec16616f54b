package kge

import (
	"encoding"
	"reflect"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// Inapplicable returns the settings that a model cannot be trained with, by the names that errors have,
// such as "walk-hops". The model has a form, a structure if the form needs one, and an encoder;
// [NoEncoder] stands for any. A setting applies if [Settings.ValidateFor] accepts some value of it,
// together with some values of the settings that others depend on.
func Inapplicable(f form.Form, s structure.Structure, e Encoder) map[string]bool {
	names, accepted := map[string]bool{}, map[string]bool{}
	for _, v := range variants(f, s, e) {
		for _, settings := range []any{&v.settings, &v.member.Weights} {
			for name, field := range settingFields(settings) {
				names[name] = true
				accepted[name] = accepted[name] || v.accepts(field)
			}
		}
	}
	for name := range accepted {
		if accepted[name] {
			delete(names, name)
		}
	}
	return names
}

// variant is a training of a model with settings that others depend on.
type variant struct {
	settings Settings
	member   Member
}

func (v *variant) isValid() bool { return v.settings.ValidateFor(v.member) == nil }

// accepts reports whether the training is valid with a setting, a field of the variant, that is not
// zero. The field keeps its value.
func (v *variant) accepts(field reflect.Value) bool {
	if !field.IsZero() {
		return true
	}
	defer field.SetZero()
	for _, value := range trialValues(field) {
		field.Set(reflect.ValueOf(value).Convert(field.Type()))
		if v.isValid() {
			return true
		}
	}
	return false
}

// trialValues returns values of a setting, one of which is valid if any is.
func trialValues(field reflect.Value) []any {
	if _, isEnum := field.Interface().(encoding.TextMarshaler); isEnum && field.Kind() == reflect.Int {
		return []any{1, 2, 3, 4, 5}
	}
	switch field.Kind() {
	case reflect.Bool:
		return []any{true}
	case reflect.Int:
		return []any{2, 3, 4, 5, 7} // one divides the number of chunks, if that is not 1; 4 of a message
	case reflect.Float64:
		return []any{.5, 2.}
	}
	if field.Type() == reflect.TypeFor[structure.Structure]() {
		return []any{structure.MustParse("distmult")}
	}
	return nil
}

// settingFields returns the settings in a struct, given a pointer, and in its embedded structs by their
// names in errors. Texts are no settings but names.
func settingFields(pointer any) map[string]reflect.Value {
	all, s := map[string]reflect.Value{}, reflect.ValueOf(pointer).Elem()
	for _, f := range reflect.VisibleFields(s.Type()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if own := f.Tag.Get("name"); own != "" {
			name = own
		}
		if name != "" && name != "-" && f.Type.Kind() != reflect.String {
			all[strings.ReplaceAll(name, "_", "-")] = s.FieldByIndex(f.Index)
		}
	}
	return all
}

// variants returns the valid trainings of a model that differ in its encoder, reverse relations and
// loss.
func variants(f form.Form, s structure.Structure, e Encoder) (all []variant) {
	add := func(e Encoder, reciprocal bool, change func(*Settings)) {
		v := variant{DefaultSettings(), Member{Form: f, Structure: s, Seed: 1, LearningRate: 1}}
		v.settings.ValidateEvery, v.settings.PlateauFactor = 1, .5
		v.settings.Encoder, v.settings.Reciprocal = e, reciprocal
		if e == BLM && s.K() == 0 {
			v.settings.Message = structure.MustParse("distmult")
		}
		change(&v.settings)
		if v.settings.Dim = smallestDim(f, max(1, s.K())); v.isValid() {
			all = append(all, v)
		}
	}
	unchanged := func(*Settings) {}
	for _, reciprocal := range []bool{true, false} {
		add(e, reciprocal, unchanged)
		add(e, reciprocal, func(s *Settings) { s.Loss = BCE })
		add(e, reciprocal, func(s *Settings) { s.Negatives = 2 })
		add(e, reciprocal, func(s *Settings) { s.SampledSoftmax = 2 })
		add(e, reciprocal, func(s *Settings) { s.TeacherWeight, s.Temperature = .5, 1 })
		add(e, reciprocal, func(s *Settings) { s.WalkHops = 2 })
	}
	if e == NoEncoder {
		for _, e := range []Encoder{CompGCNMult, BLM, RGCN} {
			add(e, true, unchanged)
		}
	}
	return all
}

// smallestDim returns the smallest valid dimension that is a multiple of K, of all trial values and of
// the chunks of a message, 0 if a model has none.
func smallestDim(f form.Form, k int) int {
	const most = 1 << 12
	for dim := 4 * k; dim <= most; dim += 4 * k {
		if f.CheckDim(dim) == nil {
			return dim
		}
	}
	return 0
}
