package cluster

import (
	"fmt"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"
)

// coordinatorPermissions returns the subjects of a coordinator: everything of this package.
func coordinatorPermissions() *server.Permissions {
	return &server.Permissions{
		Publish: &server.SubjectPermission{Allow: []string{
			"autoblm.>", "$KV.>", "$O.>", "$JS.API.>", "$JS.FC.>", "_INBOX.>",
		}},
		Subscribe: &server.SubjectPermission{Allow: []string{"_INBOX.>"}},
	}
}

// workerPermissions returns the subjects of a worker. It takes trials and stores results and models,
// but publishes no trials, withdraws none, and changes neither the queue nor the data.
func workerPermissions() *server.Permissions {
	kv, objects := "KV_", "OBJ_"
	allow := []string{
		"$JS.API.INFO", "$JS.API.STREAM.INFO." + trialStream,
		"$JS.API.CONSUMER.CREATE." + trialStream + ".>",
		"$JS.API.CONSUMER.MSG.NEXT." + trialStream + ".>", "$JS.ACK." + trialStream + ".>",
		"$KV." + resultBucket + ".>", "$KV." + workerBucket + ".>", "$O." + artifactBucket + ".>",
		"_INBOX.>", // answers to requests for models
	}
	for _, stream := range []string{
		kv + resultBucket, kv + workerBucket, objects + dataBucket, objects + artifactBucket,
	} {
		allow = append(allow, "$JS.API.STREAM.INFO."+stream, "$JS.API.DIRECT.GET."+stream+".>",
			"$JS.API.DIRECT.GET."+stream, "$JS.API.STREAM.MSG.GET."+stream,
			"$JS.API.CONSUMER.CREATE."+stream+".>", "$JS.API.CONSUMER.DELETE."+stream+".>",
			"$JS.FC."+stream+".>")
	}
	allow = append(allow, "$JS.API.STREAM.PURGE."+objects+artifactBucket)
	return &server.Permissions{
		Publish: &server.SubjectPermission{Allow: allow},
		Subscribe: &server.SubjectPermission{
			Allow: []string{"_INBOX.>", withdrawSubject + ".*", artifactSubject + ".*"},
		},
	}
}

// Key holds an nkey: the seed is secret, the public part identifies the user.
type Key struct{ Seed, Public string }

// NewKey makes a key.
func NewKey() (k Key, err error) {
	pair, err := nkeys.CreateUser()
	if err != nil {
		return k, fmt.Errorf("make a key: %w", err)
	}
	seed, err := pair.Seed()
	if err != nil {
		return k, fmt.Errorf("make a key: %w", err)
	}
	public, err := pair.PublicKey()
	return Key{string(seed), public}, err
}

// sign answers the challenge of a server.
func (k Key) sign(challenge []byte) ([]byte, error) {
	pair, err := nkeys.FromSeed([]byte(k.Seed))
	if err != nil {
		return nil, err
	}
	return pair.Sign(challenge)
}
