package flags

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/internal/enum"
	"github.com/autoblm/autoblm-go/internal/inputfile"
	"github.com/autoblm/autoblm-go/internal/settings"
	"go.yaml.in/yaml/v3"
)

// ConfigFile is a flag that names a YAML file with values of other flags. A flag in the file counts
// as given, unless the command line has it.
type ConfigFile string

// BeforeResolve reads the file.
func (ConfigFile) BeforeResolve(ctx *kong.Context, at *kong.Path) error {
	file := string(ctx.FlagValue(at.Flag).(ConfigFile))
	content, err := inputfile.Read(file)
	if err != nil {
		return fmt.Errorf("read the configuration: %w", err)
	}
	values, err := parseConfig(content)
	if err == nil {
		err = values.check(ctx)
	}
	if err != nil {
		return fmt.Errorf("read the configuration %s: %w", file, err)
	}
	ctx.AddResolver(values)
	return nil
}

// config has the values of a file by the names of flags.
type config map[string]configValue

type configValue struct {
	line   int
	texts  []string // the value, or those of a list
	isList bool
}

// Validate implements [kong.Resolver].
func (config) Validate(*kong.Application) error { return nil }

// Resolve implements [kong.Resolver].
func (c config) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	value, found := c[flag.Name]
	switch {
	case !found:
		return nil, nil
	case !value.isList:
		return value.texts[0], nil
	case flag.Tag.Sep == noSeparator:
		return value.all(), nil
	}
	return kong.JoinEscaped(value.texts, flag.Tag.Sep), nil
}

// noSeparator is the separator of a flag that takes one value at a time.
const noSeparator = -1

// all returns the values of a list as kong takes them.
func (v configValue) all() (all []any) {
	for _, text := range v.texts {
		all = append(all, text)
	}
	return all
}

// check returns an error if a name is no setting of the selected command.
func (c config) check(ctx *kong.Context) error {
	var names []string
	for _, flag := range ctx.Flags() {
		if isSetting(flag) {
			names = append(names, flag.Name)
		}
	}
	return c.checkNames(ctx.Selected().FullPath(), names)
}

// checkNames returns an error for the first name in the file that a command does not have.
func (c config) checkNames(command string, names []string) error {
	unknown, line := "", math.MaxInt
	for name, value := range c {
		if value.line < line && !slices.Contains(names, name) {
			unknown, line = name, value.line
		}
	}
	if line == math.MaxInt {
		return nil
	}
	hint := enum.DidYouMean(enum.Near(names, unknown))
	if hint == "" {
		hint = "; see " + command + " --help-all"
	}
	return fmt.Errorf("line %d: %s has no flag --%s%s", line, command, unknown, hint)
}

// isSetting reports whether a flag may be in a configuration.
func isSetting(f *kong.Flag) bool {
	return f.Name != "help" && (f.Group == nil || f.Group.Title != general)
}

// parseConfig parses YAML that maps names to values or lists of values.
func parseConfig(content []byte) (config, error) {
	decoder, document := yaml.NewDecoder(bytes.NewReader(content)), yaml.Node{}
	switch err := decoder.Decode(&document); {
	case errors.Is(err, io.EOF): // no settings
		return config{}, nil
	case err != nil:
		return nil, err
	}
	if err := decoder.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return nil, errors.New("it has a second document: use one")
	}
	root := document.Content[0]
	if root.Kind != yaml.MappingNode {
		return nil, errors.New("it does not map flags to values: write lines such as dim: 64")
	}
	c := config{}
	for i := 0; i < len(root.Content); i += 2 {
		key := root.Content[i]
		if _, found := c[key.Value]; found {
			return nil, fmt.Errorf("line %d: %s is given twice", key.Line, key.Value)
		}
		texts, err := textsOf(root.Content[i+1])
		if err != nil {
			return nil, fmt.Errorf("line %d: %s: %w", key.Line, key.Value, err)
		}
		c[key.Value] = configValue{key.Line, texts, root.Content[i+1].Kind == yaml.SequenceNode}
	}
	return c, nil
}

var errNotValue = errors.New("it must have one value, or a list of values")

// textsOf returns a value, or the values of a list.
func textsOf(node *yaml.Node) (texts []string, err error) {
	all := []*yaml.Node{node}
	if node.Kind == yaml.SequenceNode {
		all = node.Content
	}
	for _, value := range all {
		if value.Kind != yaml.ScalarNode || value.Tag == "!!null" {
			return nil, errNotValue
		}
		texts = append(texts, value.Value)
	}
	return texts, nil
}

// Use says how a configuration has the value of a flag.
type Use int

const (
	// Pinned values are read again.
	Pinned Use = iota
	// Open values are comments, because a run chooses them if they are not given.
	Open
	// Unused values have no effect.
	Unused
)

// Config returns a configuration with the present values of the flags of a command. Flags with the
// tag output have none: they say where a run writes. Given flags are pinned unless they are unused,
// also if they are zero, because a recipe may have another value.
func Config(line *kong.Context, title string, useOf func(*kong.Flag) Use) ([]byte, error) {
	var w bytes.Buffer
	fmt.Fprintf(&w, "# %s\n", strings.ReplaceAll(title, "\n", "\n# "))
	for _, flag := range line.Flags() {
		if !isSetting(flag) || flag.Tag.Has("output") {
			continue
		}
		given := IsGiven(line, flag.Name)
		if flag.Target.IsZero() && !given && (!flag.Tag.Has("json") || flag.Tag.Has("needs")) {
			continue
		}
		value, err := yamlOf(flag.Target)
		if err != nil {
			return nil, err
		}
		switch use := useOf(flag); {
		case use == Unused:
		case use == Open && !given:
			fmt.Fprintf(&w, "# %s: %s\n", flag.Name, value)
		default:
			fmt.Fprintf(&w, "%s: %s\n", flag.Name, value)
		}
	}
	return w.Bytes(), nil
}

// yamlOf returns a value in YAML, on one line.
func yamlOf(v reflect.Value) (string, error) {
	text, err := yaml.Marshal(nodeOf(v))
	return strings.TrimSuffix(string(text), "\n"), err
}

func nodeOf(v reflect.Value) *yaml.Node {
	if v.Kind() == reflect.Slice {
		list := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
		for i := range v.Len() {
			list.Content = append(list.Content, nodeOf(v.Index(i)))
		}
		return list
	}
	text := settings.TextOf(v, ", ")
	if v.CanInt() || v.CanUint() || v.CanFloat() || v.Kind() == reflect.Bool {
		return &yaml.Node{Kind: yaml.ScalarNode, Value: text} // a number, or an enumeration
	}
	node := &yaml.Node{}
	node.SetString(text)
	return node
}
