package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/netip"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"
)

// ServerOptions configure a NATS server within this program.
type ServerOptions struct {
	// Addr is the host and the port.
	Addr string
	// Store is the folder of the queue, the results and the files.
	Store string
	// Users are the public keys of coordinators and workers. Without them, anyone who reaches the
	// address may use the server, so it must be a loopback address.
	Users Users
	// TLSCert and TLSKey are the certificate of the server. With TLSCA, clients need certificates of
	// this authority.
	TLSCert, TLSKey, TLSCA string
	// MaxStore is the largest size of the store in bytes; 0 is up to the free space.
	MaxStore int64
	// Lease is the time after which a trial of a silent worker is delivered to another one; 0 is
	// [DefaultLease].
	Lease time.Duration
	// Note receives warnings and errors of the server; nil for none.
	Note func(text string)
	keep time.Duration // as in [Cluster]; 0 is the default
}

// Users holds the public nkeys of the two roles.
type Users struct {
	Coordinator string `json:"coordinator"`
	Worker      string `json:"worker"`
}

// Server runs NATS with JetStream.
type Server struct {
	server  *server.Server
	options ServerOptions
	own     Key // of connections within this process
}

// Serve starts a server.
func Serve(o ServerOptions) (*Server, error) {
	own, err := NewKey()
	if err != nil {
		return nil, err
	}
	s, err := start(o, own, func(*server.Options) {})
	if err != nil {
		return nil, err
	}
	err = setUp(s, o, own, s.JetStreamConfig().MaxStore)
	if isFull(err) {
		if s, err = shrink(s, o, own); err != nil {
			return nil, err
		}
		err = setUp(s, o, own, s.JetStreamConfig().MaxStore)
	}
	if err != nil {
		s.Shutdown()
		return nil, fmt.Errorf("set up the queue on %s: %w", o.Addr, withRoom(err))
	}
	return &Server{s, o, own}, nil
}

// shrink starts a server again whose stores have more room than it may use, and reduces their room.
// A server reserves the room of its stores, and refuses any change of them, even a reduction, while
// this is more than its limit. The limit falls when the disk fills or the user lowers it.
func shrink(s *server.Server, o ServerOptions, own Key) (*server.Server, error) {
	limit := s.JetStreamConfig().MaxStore
	stop(s)
	s, err := start(o, own, func(options *server.Options) {
		options.DontListen, options.JetStreamMaxStore = true, math.MaxInt64
	})
	if err != nil {
		return nil, err
	}
	err = setUp(s, o, own, limit)
	stop(s)
	if err != nil {
		return nil, fmt.Errorf("reduce the room of the queue in %s: %w", o.Store, err)
	}
	return start(o, own, func(*server.Options) {})
}

// start starts NATS with changed options.
func start(
	o ServerOptions, own Key, change func(*server.Options),
) (*server.Server, error) {
	options, err := o.nats(own.Public)
	if err != nil {
		return nil, fmt.Errorf("start the queue on %s: %w", o.Addr, err)
	}
	change(options)
	s, err := server.NewServer(options)
	if err != nil {
		return nil, fmt.Errorf("start the queue on %s: %w", o.Addr, err)
	}
	note := o.Note
	if note == nil {
		note = func(string) {}
	}
	log := serverLog{note: note, fatal: make(chan string), started: make(chan struct{})}
	s.SetLogger(log, false, false)
	go s.Start()
	ready := make(chan bool, 1)
	go func() { ready <- s.ReadyForConnections(startTime) }()
	failure := ""
	select {
	case failure = <-log.fatal:
		failure += "; use another port and folder, or stop the program that uses them"
	case isReady := <-ready:
		if !isReady || !s.JetStreamEnabled() {
			failure = fmt.Sprintf("it is not ready after %v; use a faster disk, or another folder if "+
				"its data are not needed", startTime)
		}
	}
	close(log.started)
	if failure != "" {
		s.Shutdown()
		return nil, fmt.Errorf("start the queue on %s in %s: %s", o.Addr, o.Store, failure)
	}
	return s, nil
}

// startTime is the longest time for a server to read its store.
const startTime = time.Minute

// stop ends a server after it has written everything.
func stop(s *server.Server) {
	s.Shutdown()
	s.WaitForShutdown()
}

// dial connects to a server within this process, as a coordinator.
func dial(s *server.Server, o ServerOptions, own Key) (*nats.Conn, error) {
	options := []nats.Option{nats.InProcessServer(s)}
	if o.hasKeys() {
		options = append(options, nats.Nkey(own.Public, own.sign),
			nats.CustomInboxPrefix(inboxOf(own.Public)))
	}
	return nats.Connect("", options...)
}

// Connect connects to the server within this process, as a coordinator.
func (s *Server) Connect(ctx context.Context) (*Cluster, error) {
	conn, err := dial(s.server, s.options, s.own)
	if err != nil {
		return nil, err
	}
	c := newCluster(func(string) {})
	c.conn = conn
	if err := c.setUp(ctx, Options{}); err != nil {
		conn.Close()
		return nil, err
	}
	return c, nil
}

// setUp creates the queue and the stores, so that workers need no coordinator to begin. limit is the
// largest size of the store in bytes.
func setUp(s *server.Server, o ServerOptions, own Key, limit int64) error {
	conn, err := dial(s, o, own)
	if err != nil {
		return err
	}
	defer conn.Close()
	c := newCluster(func(string) {})
	if c.js, err = jetstream.New(conn); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), callTime)
	defer cancel()
	// Results and trials are small, and have the rest.
	room := limit / 5 * 2
	return c.create(ctx, limits{
		lease: cmp.Or(o.Lease, DefaultLease), keep: cmp.Or(o.keep, defaultKeep), data: room, models: room,
	})
}

// check returns an error if the options would protect the server less than they seem to.
func (o ServerOptions) check() error {
	if o.hasKeys() {
		for role, key := range map[string]string{
			"coordinator": o.Users.Coordinator, "worker": o.Users.Worker,
		} {
			if !nkeys.IsValidPublicUserKey(key) {
				return fmt.Errorf("public key %q of the %s: not a public user nkey; "+
					"make keys with autoblm cluster keys", key, role)
			}
		}
	}
	if o.TLSCert == "" && (o.TLSKey != "" || o.TLSCA != "") {
		return errors.New("there is no TLS without a certificate of the server: set tls-cert")
	}
	return nil
}

// ReadUsers decodes the public keys of both roles.
func ReadUsers(r io.Reader) (u Users, err error) {
	decoder := json.NewDecoder(r)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&u); err != nil {
		return u, err
	}
	if u == (Users{}) {
		return u, errors.New("there are no keys; make them with autoblm cluster keys")
	}
	return u, ServerOptions{Users: u}.check()
}

func (o ServerOptions) hasKeys() bool { return o.Users != Users{} }

// nats returns the options of a server that also has a user of its own.
func (o ServerOptions) nats(own string) (*server.Options, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	host, portText, err := net.SplitHostPort(o.Addr)
	if err != nil {
		return nil, err
	}
	port, err := strconv.Atoi(portText)
	if err != nil {
		return nil, err
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	if address, err := netip.ParseAddr(host); host != "localhost" && (err != nil || !address.IsLoopback()) {
		switch {
		case !o.hasKeys():
			return nil, errors.New("other machines can reach this address, so keys are needed: " +
				"make them with autoblm cluster keys, and set users")
		case o.TLSCert == "":
			return nil, errors.New("other machines can reach this address, so TLS is needed: " +
				"set tls-cert and tls-key")
		}
	}
	options := &server.Options{
		ServerName: "autoblm", Host: host, Port: port, NoSigs: true,
		JetStream: true, StoreDir: o.Store, JetStreamMaxStore: o.MaxStore, MaxPayload: maxMessage + 1<<16,
		LameDuckDuration: time.Second, LameDuckGracePeriod: time.Millisecond,
	}
	if o.TLSCert != "" {
		options.TLSConfig, err = server.GenTLSConfig(&server.TLSConfigOpts{
			CertFile: o.TLSCert, KeyFile: o.TLSKey, CaFile: o.TLSCA, Verify: o.TLSCA != "",
		})
		if err != nil {
			return nil, err
		}
		options.TLS, options.TLSTimeout, options.TLSVerify = true, 10, o.TLSCA != ""
	}
	if o.hasKeys() {
		options.Nkeys = []*server.NkeyUser{
			{Nkey: o.Users.Coordinator, Permissions: coordinatorPermissions(o.Users.Coordinator)},
			{Nkey: o.Users.Worker, Permissions: workerPermissions(o.Users.Worker)},
			{Nkey: own, Permissions: coordinatorPermissions(own)},
		}
	}
	return options, nil
}

// URL returns the address for clients.
func (s *Server) URL() string { return s.server.ClientURL() }

// Wait waits for the end of ctx. It returns an error if the server stops a queue before, as it does
// when its disk is full: it then answers nobody who writes.
func (s *Server) Wait(ctx context.Context) error {
	for {
		if sleep(ctx, time.Second); ctx.Err() != nil {
			return nil
		}
		if health := s.server.Healthz(&server.HealthzOptions{}); health.Error != "" {
			return fmt.Errorf("the queue in %s stopped: %s; if the disk is full, free space there, and "+
				"start it again: searches and workers wait for it", s.server.StoreDir(), health.Error)
		}
	}
}

// Close ends the server. Everything is on disk.
func (s *Server) Close() { stop(s.server) }

// serverLog passes warnings and errors on.
type serverLog struct {
	note func(string)
	// fatal receives the errors that end the start, until started is closed.
	fatal   chan string
	started chan struct{}
}

func (l serverLog) Noticef(string, ...any) {}
func (l serverLog) Debugf(string, ...any)  {}
func (l serverLog) Tracef(string, ...any)  {}
func (l serverLog) Warnf(format string, args ...any) {
	l.note("warning: " + fmt.Sprintf(format, args...))
}
func (l serverLog) Errorf(format string, args ...any) {
	l.note("warning: " + fmt.Sprintf(format, args...))
}
func (l serverLog) Fatalf(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	select {
	case l.fatal <- text:
	case <-l.started:
		l.note("error: " + text)
	}
}
