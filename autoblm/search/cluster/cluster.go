package cluster

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Names on the server.
const (
	trialStream     = "AUTOBLM_TRIALS"
	trialSubjects   = "autoblm.trials" // .ARITHMETIC.KEY or .ARITHMETIC.KEY.again
	withdrawSubject = "autoblm.withdraw"
	artifactSubject = "autoblm.artifact" // requests to send a model
	resultBucket    = "autoblm-results"
	workerBucket    = "autoblm-workers"
	dataBucket      = "autoblm-data"
	artifactBucket  = "autoblm-artifacts"
)

const (
	// DefaultLease is the time after which a trial of a silent worker is delivered to another one.
	DefaultLease = 30 * time.Second
	// callTime is the time for one answer of the server.
	callTime = 10 * time.Second
)

// Options say how to reach the cluster, in the terms of NATS.
type Options struct {
	// URL has the addresses of NATS servers, separated by commas; "" for that of the context, or else
	// for a server on this machine.
	URL string
	// NKey is a file with the seed of an nkey, and Credentials a file of a JWT and its seed.
	NKey, Credentials string
	// TLSCert and TLSKey are the certificate of this client, and TLSCA the authority of the server.
	TLSCert, TLSKey, TLSCA string
	// Context is a context of the program nats, "" for none. It gives what the fields above leave out.
	Context string
	// Name names the connection in the lists of the server.
	Name string
	// IsWorker waits for a coordinator to create the queue, if the server has none.
	IsWorker bool
	// IsViewer fails if the server has no queue; it neither creates one nor waits for it. A lost
	// connection of a viewer returns also after the server refused its key for some time.
	IsViewer bool
	// Note receives messages, such as a lost connection; nil for none.
	Note func(text string)

	user, password, token, inbox string // of a context
	tlsFirst                     bool   // the server expects the handshake of TLS before anything else
}

// Cluster holds a connection to the queue, the results and the files of a cluster.
type Cluster struct {
	conn            *nats.Conn
	url             string
	js              jetstream.JetStream
	trials          jetstream.Stream
	results         jetstream.KeyValue
	workers         jetstream.KeyValue
	data, artifacts jetstream.ObjectStore
	note            func(string)
	onTrouble       func(text string) // also receives what a call waits for; may be nil
	fullWait        time.Duration     // for room; 0 is for ever
	idle            time.Duration     // after which a download without bytes fails
	// lease is the time after which a trial of a silent worker is delivered to another one, and keep
	// the time for which results and data are kept. The stores on the server have them.
	lease, keep time.Duration
	// connected is the time of the last new connection in nanoseconds, and lost that of its loss, 0
	// while it stands.
	connected, lost atomic.Int64
	// denied is the last permission that the server refused. It reports this apart from the call,
	// which gets no answer.
	denied atomic.Pointer[error]
}

// Connect connects to a cluster. A coordinator creates its queue and its stores if they are missing.
func Connect(ctx context.Context, o Options) (*Cluster, error) {
	note := o.Note
	if note == nil {
		note = func(string) {}
	}
	o, err := o.withContext()
	if err != nil {
		return nil, err
	}
	c := newCluster(note)
	if !o.IsWorker {
		c.fullWait = fullWait // a worker has a result to store
	}
	conn, err := nats.Connect(o.URL, append(o.nats(),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			if errors.Is(err, nats.ErrPermissionViolation) {
				c.denied.Store(&err)
			}
			if !errors.Is(err, nats.ErrSlowConsumer) {
				note(fmt.Sprintf("warning: the cluster reports: %v", err))
			}
		}),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			c.lost.CompareAndSwap(0, time.Now().UnixNano()) // not at each failed attempt to connect again
			if err != nil {
				note(fmt.Sprintf("warning: the connection to the cluster is lost: %v", err))
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) {
			c.connected.Store(time.Now().UnixNano())
			c.lost.Store(0)
			note("the cluster is connected again")
		}))...)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", Redacted(o.URL), explained(err))
	}
	c.conn, c.url = conn, Redacted(o.URL)
	c.connected.Store(time.Now().UnixNano())
	if err := c.setUp(ctx, o); err != nil {
		conn.Close()
		return nil, fmt.Errorf("set up the queue on %s: %w", c.url, explained(err))
	}
	return c, nil
}

func newCluster(note func(string)) *Cluster {
	return &Cluster{note: note, idle: callTime}
}

func (o Options) nats() []nats.Option {
	options := []nats.Option{
		nats.Name(o.Name), nats.MaxReconnects(-1), nats.ReconnectWait(time.Second),
		nats.ReconnectJitter(time.Second, time.Second), nats.Timeout(callTime),
		nats.PingInterval(callTime), nats.MaxPingsOutstanding(2),
	}
	if o.NKey != "" {
		options = append(options, keyOption(o.NKey))
	}
	if o.Credentials != "" {
		options = append(options, credentialsOption(o.Credentials))
	}
	if o.user != "" {
		options = append(options, nats.UserInfo(o.user, o.password))
	}
	if o.token != "" {
		options = append(options, nats.Token(o.token))
	}
	if o.inbox != "" {
		options = append(options, nats.CustomInboxPrefix(o.inbox))
	}
	if o.tlsFirst {
		options = append(options, nats.TLSHandshakeFirst())
	}
	if o.TLSCert != "" {
		options = append(options, nats.ClientCert(o.TLSCert, o.TLSKey))
	}
	if o.TLSCA != "" {
		options = append(options, nats.RootCAs(o.TLSCA))
	}
	if o.IsViewer {
		options = append(options, nats.IgnoreAuthErrorAbort(), nats.CustomReconnectDelay(viewerDelay))
	}
	return options
}

// viewerDelay returns the time before the next attempt of a viewer to connect again.
func viewerDelay(attempts int) time.Duration { return time.Second << min(attempts, 4) }

// keyOption returns the option for the nkey in a file.
func keyOption(file string) nats.Option {
	return func(options *nats.Options) error {
		key, err := nats.NkeyOptionFromSeed(file)
		if err == nil {
			err = key(options)
		}
		if err != nil {
			return fmt.Errorf("read the key %s: %w", file, err)
		}
		return nats.CustomInboxPrefix(inboxOf(options.Nkey))(options)
	}
}

// credentialsOption returns the option for the credentials in a file, which must hold a JWT and a
// key. The library would read them only when it connects.
func credentialsOption(file string) nats.Option {
	return func(options *nats.Options) error {
		err := nats.UserCredentials(file)(options)
		if err == nil {
			_, err = options.UserJWT()
		}
		if err == nil {
			_, err = options.SignatureCB(nil)
		}
		if err != nil {
			return fmt.Errorf("read the credentials %s: %w", file, err)
		}
		return nil
	}
}

// explained adds what to do about an error.
func explained(err error) error {
	switch {
	case errors.Is(err, nats.ErrNoServers):
		return fmt.Errorf("%w; start one with autoblm cluster serve", err)
	case errors.As(err, new(x509.UnknownAuthorityError)):
		return fmt.Errorf("%w; name the certificate of its authority", err)
	case IsRefused(err):
		return fmt.Errorf("%w; name a key of this cluster", err)
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled):
		return fmt.Errorf("%w; start the NATS server with JetStream (-js)", err)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%w; use a key that may access the subjects of autoblm, "+
			"such as one from autoblm cluster keys", err)
	case errors.Is(err, nats.ErrPermissionViolation):
		return fmt.Errorf("%w; use a key that may do this, such as the coordinator's of "+
			"autoblm cluster keys for a search", err)
	}
	return err
}

// heartbeat returns the time between two signs of life of a worker.
func (c *Cluster) heartbeat() time.Duration { return c.lease / 3 }

// URL returns the addresses of the servers without passwords, separated by commas.
func (c *Cluster) URL() string { return c.url }

// Redacted hides the passwords in addresses that are separated by commas.
func Redacted(addresses string) string {
	all := strings.Split(addresses, ",")
	for i, address := range all {
		if u, err := url.Parse(address); err == nil {
			all[i] = u.Redacted()
		}
	}
	return strings.Join(all, ",")
}

// Close ends the connection.
func (c *Cluster) Close() { c.conn.Close() }

// Disconnected returns the error of a cluster that has not been connected since a time, and why.
func Disconnected(since time.Time, why error) error {
	return fmt.Errorf("not connected since %s: %w", since.Format("Jan 2 15:04:05 MST"), why)
}

// trouble notes what a call waits for.
func (c *Cluster) trouble(text string) {
	c.note("warning: " + text)
	if c.onTrouble != nil {
		c.onTrouble(text)
	}
}

// retry calls a function until it succeeds, its error is permanent or ctx ends. The cluster may be
// away for long. It may be full for the time of a [patience].
func (c *Cluster) retry(ctx context.Context, what string, call func(context.Context) error) error {
	const longest = 5 * time.Second
	full := c.newPatience(what)
	for wait := longest / 32; ; wait = min(2*wait, longest) {
		attempt, cancel := context.WithTimeout(ctx, callTime)
		c.denied.Store(nil)
		err := call(attempt)
		cancel()
		denied := c.denied.Load()
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case denied != nil:
			return fmt.Errorf("%s: %w", what, explained(*denied))
		case isPermanent(err):
			return fmt.Errorf("%s: %w", what, err)
		case isFull(err):
			if err := full.wait(withFix(err)); err != nil {
				return err
			}
		case wait == longest:
			c.trouble(fmt.Sprintf("%s: %v; trying again", what, err))
		}
		if sleep(ctx, wait); ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
}

// isPermanent reports whether a call would fail again.
func isPermanent(err error) bool {
	return errors.Is(err, jetstream.ErrKeyExists) || errors.Is(err, jetstream.ErrKeyNotFound) ||
		errors.Is(err, jetstream.ErrObjectNotFound) || errors.Is(err, jetstream.ErrMsgNotFound) ||
		errors.Is(err, nats.ErrMaxPayload) || errors.Is(err, nats.ErrConnectionClosed) ||
		errors.Is(err, errDamaged) || errors.As(err, new(*fs.PathError))
}

// queue returns the part of a subject that separates trials by arithmetic and by the version of the
// program, such as "cpu_avx512-v0_1_0".
func queue(arithmetic string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' {
			return r
		}
		return '_'
	}, cmp.Or(arithmetic, "any")+"-"+program())
}

// program returns the version of this program, with its commit. A build of no release or commit, or with
// changes, has a digest of its file instead, as two of them may compute differently.
var program = sync.OnceValue(func() string {
	b := cli.ReadBuild()
	version := strings.TrimSpace(b.Version + " " + b.Commit)
	isRelease := strings.HasPrefix(b.Version, "v") && !strings.HasSuffix(b.Version, "+dirty")
	if !b.Modified && (b.Commit != "" || isRelease) {
		return version
	}
	path, err := os.Executable()
	if err != nil {
		return version
	}
	file, err := os.Open(path)
	if err != nil {
		return version
	}
	defer file.Close()
	digest := sha256.New()
	if _, err := io.Copy(digest, file); err != nil {
		return version
	}
	return fmt.Sprintf("%s %x", version, digest.Sum(nil)[:6])
})

func subject(parts ...string) string { return strings.Join(parts, ".") }
