package datasets

import (
	"fmt"
	"strconv"
	"time"

	"github.com/autoblm/autoblm-go/datasets/facts"
)

// clock turns the times of facts into numbers. All must be numbers, or all dates.
type clock struct{ numbers, dates bool }

// layouts are the forms of a date, without spaces for T.
var layouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02", "2006/01/02",
	"2006-01",
}

// parse returns a time as a number that grows with it.
func (c *clock) parse(text string) (float64, error) {
	if text == "" {
		return 0, fmt.Errorf("%w: the fact has no time; fill it in, or name the column of times, "+
			"as in time=TITLE", facts.ErrMalformed)
	}
	at, isNumber := 0.0, true
	var err error
	if at, err = strconv.ParseFloat(text, 64); err != nil {
		isNumber = false
		for _, layout := range layouts {
			var date time.Time
			if date, err = time.Parse(layout, text); err == nil {
				at = float64(date.Unix()) + float64(date.Nanosecond())/1e9
				break
			}
		}
	}
	if err != nil || at != at {
		return 0, fmt.Errorf("%w: the time %q is neither a number nor a date such as 2024-12-31",
			facts.ErrMalformed, text)
	}
	c.numbers, c.dates = c.numbers || isNumber, c.dates || !isNumber
	if c.numbers && c.dates {
		return 0, fmt.Errorf("the time %q: some times are numbers and others dates; use one kind", text)
	}
	return at, nil
}
