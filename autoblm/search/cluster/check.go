package cluster

import (
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
)

// Check reads the context, the keys and the certificates without connecting. It returns an error for
// one that is missing or damaged, with which [Connect] would always fail.
func (o Options) Check() error {
	o, err := o.withContext()
	if err != nil {
		return err
	}
	var options nats.Options
	for _, set := range o.nats() {
		if err := set(&options); err != nil {
			return fmt.Errorf("connect to %s: %w", Redacted(o.URL), err)
		}
	}
	return nil
}

// IsRefused reports whether a server refused the key, the credentials or the password of an attempt
// to connect.
func IsRefused(err error) bool {
	return errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrAuthExpired) ||
		errors.Is(err, nats.ErrAuthRevoked) || errors.Is(err, nats.ErrAccountAuthExpired)
}
