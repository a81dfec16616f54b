package cluster

import (
	"fmt"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

// inboxOf returns the beginning of the subjects for answers to a user. Each user has its own, so that
// no other one can read them.
func inboxOf(publicKey string) string { return nats.InboxPrefix + publicKey }

// coordinatorPermissions returns the subjects of a coordinator: everything of this package.
func coordinatorPermissions(publicKey string) *server.Permissions {
	return &server.Permissions{
		Publish: &server.SubjectPermission{Allow: []string{
			"autoblm.>", "$KV.>", "$O.>", "$JS.API.>", "$JS.FC.>",
		}},
		Subscribe: &server.SubjectPermission{Allow: []string{inboxOf(publicKey) + ".>"}},
	}
}

// workerPermissions returns the subjects of a worker. It takes trials and stores results and models,
// but publishes no trials, withdraws none, and changes neither the queue nor the data. It creates no
// consumer on a stream that it can write to, because a consumer sends messages to any subject.
func workerPermissions(publicKey string) *server.Permissions {
	kv, objects := "KV_", "OBJ_"
	allow := []string{
		"$JS.API.INFO", "$JS.API.STREAM.INFO." + trialStream,
		"$JS.API.CONSUMER.INFO." + trialStream + ".>",
		"$JS.API.CONSUMER.MSG.NEXT." + trialStream + ".>", "$JS.ACK." + trialStream + ".>",
		"$KV." + resultBucket + ".>", "$KV." + workerBucket + ".>", "$O." + artifactBucket + ".>",
	}
	for _, stream := range []string{
		kv + resultBucket, kv + workerBucket, objects + dataBucket, objects + artifactBucket,
	} {
		allow = append(allow, "$JS.API.STREAM.INFO."+stream, "$JS.API.DIRECT.GET."+stream+".>",
			"$JS.API.DIRECT.GET."+stream, "$JS.API.STREAM.MSG.GET."+stream)
	}
	data := objects + dataBucket
	allow = append(allow, "$JS.API.STREAM.PURGE."+objects+artifactBucket,
		"$JS.API.CONSUMER.CREATE."+data+".>", "$JS.API.CONSUMER.DELETE."+data+".>",
		"$JS.FC."+data+".>")
	return &server.Permissions{
		Publish: &server.SubjectPermission{Allow: allow},
		Subscribe: &server.SubjectPermission{
			Allow: []string{inboxOf(publicKey) + ".>", withdrawSubject + ".*", artifactSubject + ".*"},
		},
		// Answers to requests for models.
		Response: &server.ResponsePermission{MaxMsgs: 1, Expires: callTime},
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
