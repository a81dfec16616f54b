// Package server answers queries to trained models over HTTP: a JSON API below /v1, a page to
// look around, and metrics for Prometheus. It reads models and never trains or writes.
//
//	o := server.DefaultOptions()
//	listener, err := server.Listen(ctx, "127.0.0.1:8090", o)
//	s, err := server.New(ctx, []server.Source{{Name: "world", Open: open}}, o)
//	err = s.Serve(ctx, listener)
//
// A [Source] opens a model, also when it is loaded again. Requests that began with the previous
// model end with it. Queries that wait at the same time are answered as one batch.
package server
