package cluster

import (
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// errDamaged means that the files of the server are damaged, and that waiting does not help.
var errDamaged = errors.New("the store of the queue is damaged")

// withRemoval returns errDamaged with the folder to remove. The server creates it again.
func withRemoval(folder string) error {
	return fmt.Errorf("%w: stop the queue, remove the folder %s below streams in its store, and start "+
		"it again", errDamaged, folder)
}

// withDamage explains the error of a server that cannot read or write the folder of a consumer. It
// knows nothing of such a consumer, so that it cannot delete it either.
func withDamage(err error, consumer string) error {
	const createFailed = 10012
	refused, is := errors.AsType[*jetstream.APIError](err)
	if is && refused.ErrorCode == createFailed &&
		refused.Description == "error creating store for consumer" {
		return fmt.Errorf("%w, or its disk is full (%w)",
			withRemoval(trialStream+"/obs/"+consumer), err)
	}
	return err
}
