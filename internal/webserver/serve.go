package webserver

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/netip"
	"time"
)

// Server limits the time of slow clients.
func Server(handler http.Handler, errorLog *log.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    1 << 14,
		ErrorLog:          errorLog,
	}
}

// Serve answers requests until the context ends, and those that have begun for a grace time more.
func Serve(
	ctx context.Context, listener net.Listener, server *http.Server, grace time.Duration,
) error {
	ended := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		deadline, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
		defer cancel()
		err := server.Shutdown(deadline)
		if errors.Is(err, context.DeadlineExceeded) {
			err = server.Close()
		}
		ended <- err
	})
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-ended
}

// URL returns the URL of an address. One without a host is reached on this machine.
func URL(address netip.AddrPort) string {
	host := address.Addr().Unmap()
	if host.IsUnspecified() {
		host = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	return fmt.Sprintf("http://%v/", netip.AddrPortFrom(host, address.Port()))
}
