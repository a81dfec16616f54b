package torchfile

// Tuple is a tuple of Python.
type Tuple []any

// List is a list or a set of Python.
type List struct{ Items []any }

// Dict is a dictionary of Python in the order of insertion.
type Dict struct {
	Keys, Values []any
	index        map[string]int // of keys that are strings
}

// Set sets a value. Of keys that are no strings, such as numbers, each is a new one.
func (d *Dict) Set(key, value any) {
	if name, isString := key.(string); isString {
		if at, found := d.index[name]; found {
			d.Values[at] = value
			return
		}
		if d.index == nil {
			d.index = map[string]int{}
		}
		d.index[name] = len(d.Keys)
	}
	d.Keys, d.Values = append(d.Keys, key), append(d.Values, value)
}

// Get returns the value of a key, nil if there is none.
func (d *Dict) Get(key string) any {
	if d == nil {
		return nil
	}
	if at, found := d.index[key]; found {
		return d.Values[at]
	}
	return nil
}

// Object is an instance of an accepted class, or the class or function itself. Nothing of it was
// executed.
type Object struct {
	// Class is the full name, such as "torch.nn.modules.sparse.Embedding".
	Class string
	// Arguments has the arguments of its construction; nil for the class itself.
	Arguments []any
	// State is the last state that was set, as a rule a dictionary of attributes.
	State any
}

// Attribute returns an attribute of the state, nil if there is none.
func (o *Object) Attribute(name string) any {
	state, _ := o.State.(*Dict)
	return state.Get(name)
}
